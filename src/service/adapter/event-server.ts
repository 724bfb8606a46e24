/**
 * A provider's webhooks at an address of your own, for an adapter that keeps them where Forestall does not run. Mount the
 * receiver in your server, or let it have a port.
 */
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:http';
import type { Clock } from '../../base/kernel/clock.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import type { ProcessorEvents } from '../wire/processor-event.ts';

/** Takes one webhook in. */
export type EventReceiver = (request: Request) => Promise<Response>;

export interface EventReceiverOptions {
  /** The body of an answer of 200, where the provider looks for one. @default none */
  readonly accepted?: string;
  /** By which an old signature is judged. @default the machine's */
  readonly clock?: Clock;
}

/** Far above a webhook of any provider, small enough for any process. */
const BODY_BYTES_MAX = 256 * 1024;

/**
 * The receiver. 200 once it is kept; 401 for what is forged or stale; 413 over 256 KiB; 503 where it cannot be verified or
 * kept now, so that the provider repeats it.
 */
export function eventReceiver(
  events: ProcessorEvents,
  { accepted, clock = systemClock }: EventReceiverOptions = {},
): EventReceiver {
  const statusOf = async (request: Request): Promise<number> => {
    if (request.method !== 'POST') return 405;
    const headers = Object.fromEntries(request.headers);
    if (!events.admits(headers)) return 401;
    const raw = await readBody(request);
    if (raw === undefined) return 413;
    const { kind } = await events.verify(raw, headers, clock.nowMs());
    if (kind === 'unavailable') return 503;
    if (kind !== 'genuine') return 401;
    return await Promise.resolve(events.keep?.(raw)).then(
      () => 200,
      () => 503,
    );
  };
  return async (request) => {
    const status = await statusOf(request);
    return new Response(status === 200 ? (accepted ?? null) : null, { status });
  };
}

async function readBody(request: Request): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (request.body === null) return Buffer.alloc(0);
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A caller that sends slower than this is cut off. */
const HEADERS_TIMEOUT_MS = 8_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Listens on the port, for plain HTTP: put it behind TLS. What throws is answered with 503. */
export function serveEvents(receive: EventReceiver, port: number): Server {
  const server = createServer(async (incoming, outgoing) => {
    const response = await receive(requestOf(incoming)).catch(
      () => new Response(null, { status: 503 }),
    );
    outgoing.writeHead(response.status).end(await response.text());
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return server.listen(port);
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', headersDistinct } = incoming;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body = method === 'POST' ? streamOf(incoming) : null;
  const init = { method, headers, body, duplex: 'half' as const };
  return new Request('http://receiver.internal/', init);
}

/** The body, read only as far as somebody asks for it. */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Buffer<ArrayBuffer>> = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller): Promise<void> {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void incoming.destroy(),
  });
}
