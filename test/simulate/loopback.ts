/**
 * HTTP without sockets: gives a request to a server of this process and takes its answer. No byte
 * travels, so nothing depends on the machine's timing.
 */
import { Buffer } from 'node:buffer';
import type { RequestListener } from 'node:http';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A request. */
export interface LoopbackRequest {
  /** Whom it is sent to, for example `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Its answer. */
export interface LoopbackAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

class NoSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly encrypted = false;
  override _read(): void {
    // The request is pushed by hand.
  }
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
  setTimeout(): this {
    return this;
  }
}

/** Answers once the server has, or throws when it cut the connection. */
export function exchangeInside(
  listener: RequestListener,
  request: LoopbackRequest,
): Promise<LoopbackAnswer> {
  const socket = new NoSocket();
  const message = incomingOf(socket as unknown as Socket, request);
  const response = new ServerResponse(message);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const take = (chunk: unknown): void => {
      if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
      else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    Object.assign(response, {
      socket,
      write: (chunk: unknown) => {
        take(chunk);
        return true;
      },
      end: (chunk?: unknown) => {
        take(chunk);
        const headers = Object.entries(response.getHeaders());
        resolve({
          status: response.statusCode,
          headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
          body: Buffer.concat(chunks),
        });
        response.emit('finish');
        return response;
      },
    });
    socket.once('close', () => reject(new Error('socket hang up')));
    listener(message, response);
  });
}

function incomingOf(socket: Socket, request: LoopbackRequest): IncomingMessage {
  const { method, path, body } = request;
  const message = new IncomingMessage(socket);
  const headers: Record<string, string> = { host: 'simulated', ...request.headers };
  if (body.length > 0) headers['content-length'] = String(body.length);
  message.method = method;
  message.url = path;
  message.httpVersion = '1.1';
  message.httpVersionMajor = 1;
  message.httpVersionMinor = 1;
  for (const [name, value] of Object.entries(headers)) {
    message.headers[name.toLowerCase()] = value;
    message.rawHeaders.push(name, value);
  }
  if (body.length > 0) message.push(body);
  message.push(null);
  message.complete = true;
  return message;
}
