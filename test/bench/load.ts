/**
 * The load generator, a process of its own: bare sockets that keep alive, requests made before the
 * clock starts, answers only counted. It takes as little of the machine as it can.
 */

import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import { BENCH_SECRET, benchEvent } from './events.ts';

/** What to send. */
export interface LoadOrder {
  readonly port: number;
  readonly connections: number;
  /** Which events; the same series is the same events. */
  readonly series: string;
  /** How many events to make ready. */
  readonly events: number;
  /** Stop after this time, in milliseconds. With `rewind`, begin again until then. */
  readonly durationMs: number;
  readonly rewind: boolean;
}

/** What came back. */
export interface LoadReport {
  /** Answered 200. */
  readonly accepted: number;
  /** Any other answer. */
  readonly others: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

function makeRequests(order: LoadOrder): Buffer[] {
  const seconds = Math.floor(Date.now() / 1_000);
  return Array.from({ length: order.events }, (_, index) => {
    const body = benchEvent(order.series, index);
    const signature = signDelivery(BENCH_SECRET, body, seconds);
    const head = `POST /webhooks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Signature: ${signature}\r\nX-Idempotency-Key: whdl_${order.series}${index}\r\nContent-Length: ${body.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), body]);
  });
}

async function run(order: LoadOrder, requests: readonly Buffer[]): Promise<LoadReport> {
  const sockets = await Promise.all(
    Array.from({ length: order.connections }, () => openSocket(order.port)),
  );
  const waits: number[] = [];
  let next = 0;
  let accepted = 0;
  let others = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + order.durationMs;
  const converse = (socket: Socket): Promise<void> =>
    new Promise((done, fail) => {
      let sentAt = 0;
      let text = '';
      const send = (): void => {
        if (order.rewind && next === requests.length) next = 0;
        const request = requests[next];
        if (request === undefined || performance.now() >= endsAt) {
          done();
          return;
        }
        next += 1;
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        // Every answer's body is one object, and no header holds a brace.
        if (!text.endsWith('}')) return;
        waits.push(performance.now() - sentAt);
        if (text.startsWith('HTTP/1.1 200')) accepted += 1;
        else others += 1;
        text = '';
        send();
      });
      socket.on('error', fail);
      socket.on('close', () => fail(new Error('The server closed a connection.')));
      send();
    });
  await Promise.all(sockets.map(converse));
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  waits.sort((a, b) => a - b);
  const quantile = (share: number): number => waits[Math.floor(waits.length * share)] ?? Number.NaN;
  return { accepted, others, seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => done(socket));
    socket.once('error', fail);
  });
}

let prepared: (() => Promise<LoadReport>) | undefined;

/** An order is prepared and answered with nothing; `go` then runs it. */
process.on('message', (order: LoadOrder | 'go') => {
  if (order !== 'go') {
    const requests = makeRequests(order);
    prepared = () => run(order, requests);
    process.send?.({});
    return;
  }
  prepared?.().then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
  prepared = undefined;
});
