/** An HTTP server that a slow or endless sender cannot hold open. */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** Times and sizes of a server. */
export interface ServerLimits {
  /** All headers must have arrived within this time, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** The whole request must have arrived within this time, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** How often both are looked at, in milliseconds. */
  readonly checkIntervalMs: number;
  /** All headers together, in bytes. */
  readonly headerBytesMax: number;
  /** Connections at once. Beyond, idle ones are closed, and new ones while there is none. */
  readonly connectionsMax: number;
}

/**
 * A request that drips in is cut off within 10 s: Node looks once a second, so a request may live a
 * second longer than its limit.
 */
export const SERVER_LIMITS: ServerLimits = {
  headersTimeoutMs: 8_000,
  requestTimeoutMs: 9_000,
  checkIntervalMs: 1_000,
  headerBytesMax: 16 * 1024,
  connectionsMax: 5_000,
};

/** An idle connection outlives the 60 s that common proxies keep theirs, in milliseconds. */
const KEEP_ALIVE_MS = 65_000;

/** Options of {@link createHttpServer}. */
export interface HttpServerOptions {
  /** PEM texts. With them the server speaks HTTPS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** @default SERVER_LIMITS */
  readonly limits?: ServerLimits;
}

/** Creates a server; the caller listens and closes. */
export function createHttpServer(
  listener: RequestListener,
  options: HttpServerOptions = {},
): Server {
  const { tls, limits = SERVER_LIMITS } = options;
  const settings: ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.headerBytesMax,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Two senders of one message must not be able to disagree about where it ends.
    insecureHTTPParser: false,
  };
  const server =
    tls === undefined
      ? createServer(settings, listener)
      : createTlsServer(
          { ...settings, ...tls, handshakeTimeout: limits.headersTimeoutMs },
          listener,
        );
  server.maxConnections = limits.connectionsMax;
  server.on('drop', () => server.closeIdleConnections());
  return server;
}
