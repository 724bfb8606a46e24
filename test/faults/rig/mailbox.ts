/** A mail server in the runner's own process: takes every message and keeps it. */
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';

/** A running one. */
export interface Mailbox {
  readonly messages: readonly string[];
  close(): void;
}

/** Opens it on a port of this machine. */
export async function openMailbox(port: number): Promise<Mailbox> {
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket, (message) => void messages.push(message));
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    messages,
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** As much of SMTP as one who sends needs. */
function converse(socket: Socket, keep: (message: string) => void): void {
  let heard = '';
  let isMessage = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const hear = (part: string): void => {
    if (isMessage) keep(part);
    const isData = !isMessage && /^DATA/i.test(part);
    if (isData) say('354 continue');
    else say(/^QUIT/i.test(part) && !isMessage ? '221 bye' : '250 kept');
    isMessage = isData;
  };
  say('220 mailbox');
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('utf8');
    for (;;) {
      const end = isMessage ? '\r\n.\r\n' : '\r\n';
      const at = heard.indexOf(end);
      if (at === -1) return;
      const part = heard.slice(0, at);
      heard = heard.slice(at + end.length);
      hear(part);
    }
  });
}
