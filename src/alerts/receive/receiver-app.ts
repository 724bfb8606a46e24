/**
 * The public listener: webhooks, what else is received there, and health; nothing else. An Express application, which
 * plain deliveries pass by.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Router } from 'express';
import express from 'express';
import type { Log } from '../../base/kernel/log.ts';
import { INTERNAL_ERROR, NOT_FOUND, NOT_READY, READY, send } from './answers.ts';
import { createDirectReceiver, createReceiver } from './receiver.ts';
import type { Reception } from './reception.ts';

/** What a health check found. */
export interface Health {
  readonly ok: boolean;
  /** What was looked at. For people and the private port: the public listener tells a status only. */
  readonly checks?: Readonly<Record<string, string>>;
}

/** Options of {@link createReceiverApp}. */
export interface ReceiverAppOptions {
  readonly reception: Reception;
  /** Other doors of the same listener. @default none */
  readonly routes?: Router;
  readonly log: Log;
  /** Whether it can do its work: database, migrations, worker heartbeat. Anybody may ask. */
  readonly readyz: () => Health | Promise<Health>;
}

/** Creates the listener. */
export function createReceiverApp(options: ReceiverAppOptions): RequestListener {
  const { reception, routes, log, readyz } = options;
  const onError = (error: unknown, response: ServerResponse): void => {
    if (isBadRequest(error)) {
      // Anybody can send one: it is no error of ours that somebody should look at.
      log.debug({ err: error }, 'request could not be read');
      send(response, NOT_FOUND);
    } else {
      log.error({ err: error }, 'request failed');
      send(response, INTERNAL_ERROR);
    }
  };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', false);
  app.use(createReceiver(reception));
  if (routes !== undefined) app.use(routes);
  app.get('/healthz', (_request, response) => send(response, READY));
  app.get('/readyz', async (_request, response) => {
    send(response, (await readyz()).ok ? READY : NOT_READY);
  });
  app.use((_request, response) => send(response, NOT_FOUND));
  // Express's own handler would answer with HTML and print the whole error.
  const onExpressError: ErrorRequestHandler = (error: unknown, _request, response, _next) =>
    onError(error, response);
  app.use(onExpressError);
  return createDirectReceiver({ reception, others: app, onError });
}

/** A path that cannot be decoded (`/webhooks/%zz`) names nothing. */
function isBadRequest(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 400;
}
