/** A webhook receiver that keeps what it gets and answers as told. */
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './json.ts';

/** One delivery as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly json: Json;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The status and body of the next answers. */
  status: number;
  body: string;
  /** Never answers while set. */
  silent: boolean;
  types(): string[];
  close(): Promise<void>;
}

/** Starts a receiver that answers 200. */
export async function createReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const bytes = Buffer.concat(chunks);
      received.push({ headers: req.headers, bytes, json: parse(bytes) });
      if (receiver.silent) return;
      res.statusCode = receiver.status;
      res.end(receiver.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    status: 200,
    body: '',
    silent: false,
    types: () => received.map(({ json }) => json?.type),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return receiver;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
