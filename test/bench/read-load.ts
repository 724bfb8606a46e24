/**
 * Sends one GET again and again over connections that keep alive, in a process of its own, and only
 * counts the answers: what is measured is the server.
 */
import type { Socket } from 'node:net';
import { connect } from 'node:net';

/** What to read. */
export interface ReadOrder {
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  readonly connections: number;
  readonly durationMs: number;
}

/** How much was answered. */
export interface ReadReport {
  readonly answered: number;
  readonly seconds: number;
}

async function run(order: ReadOrder): Promise<ReadReport> {
  const { port, path, authorization, durationMs } = order;
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`;
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  let answered = 0;
  const converse = (socket: Socket): Promise<void> =>
    new Promise((done, fail) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        // Every answer's body is one object, and no header holds a brace.
        if (!text.endsWith('}')) return;
        if (!text.startsWith('HTTP/1.1 200')) fail(new Error(text.slice(0, 200)));
        answered += 1;
        text = '';
        if (performance.now() < endsAt) socket.write(request);
        else done();
      });
      socket.on('error', fail);
      socket.write(request);
    });
  const sockets = Array.from({ length: order.connections }, () =>
    connect({ port, host: '127.0.0.1', noDelay: true }),
  );
  await Promise.all(sockets.map(converse));
  for (const socket of sockets) socket.destroy();
  return { answered, seconds: (performance.now() - startedAt) / 1_000 };
}

process.on('message', (order: ReadOrder) => {
  run(order).then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
