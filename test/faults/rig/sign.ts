/**
 * Signs webhooks as the specification says, apart from the product's code, and sends them byte by byte
 * where a client library would not.
 */
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';

/** HMAC-SHA512 over `<t>.<body>`, in lower-case hex. */
export function digest(secret: string, t: string, body: string | Buffer): string {
  return createHmac('sha512', secret).update(`${t}.`).update(body).digest('hex');
}

/** An answer of the listener. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** From the first byte sent to the last byte read, in milliseconds. */
  readonly tookMs: number;
}

/** A request. Header values may be lists, for a header that is sent twice. */
export interface Outgoing {
  readonly port: number;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

/** Sends one request on a connection of its own. */
export async function send(outgoing: Outgoing): Promise<Answered> {
  const { port, method = 'POST', path = '/webhooks', headers = {}, body } = outgoing;
  const startedMs = performance.now();
  return await new Promise((done, fail) => {
    const call = request({ host: '127.0.0.1', port, method, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
          tookMs: performance.now() - startedMs,
        }),
      );
    });
    call.on('error', fail);
    for (const [name, value] of Object.entries(headers)) {
      call.setHeader(name, typeof value === 'string' ? value : [...value]);
    }
    call.end(body);
  });
}

/** What a connection heard until it was closed, and how long that took. */
export interface Heard {
  readonly text: string;
  readonly tookMs: number;
}

/**
 * Writes the pieces to a connection, `gapMs` apart, and listens until the other side closes it.
 *
 * @param limitMs after which the connection is given up and what was heard is returned
 */
export async function talk(
  port: number,
  pieces: Iterable<string | Buffer>,
  how: { gapMs?: number; limitMs?: number; halfClose?: boolean } = {},
): Promise<Heard> {
  const { gapMs = 0, limitMs = 30_000, halfClose = false } = how;
  const startedMs = performance.now();
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let open = true;
  const closed = new Promise<void>((done) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open = false;
      done();
    });
  });
  const timer = setTimeout(() => socket.destroy(), limitMs);
  for (const piece of pieces) {
    if (!open) break;
    socket.write(piece);
    if (gapMs > 0) await new Promise((done) => setTimeout(done, gapMs));
  }
  if (halfClose) socket.end();
  await closed;
  clearTimeout(timer);
  return { text, tookMs: performance.now() - startedMs };
}
