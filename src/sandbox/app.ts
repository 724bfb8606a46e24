/**
 * The sandbox's express application: every endpoint with and without trailing slash, bodies read as
 * bytes, JSON for every refusal.
 */
import { Buffer } from 'node:buffer';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import express from 'express';
import getRawBody from 'raw-body';
import { messageOf } from '../base/kernel/errors.ts';
import type { Endpoint } from './http/endpoint.ts';
import { createEntry, serve } from './http/endpoint.ts';
import { createRouteTable } from './http/route-table.ts';
import type { Recorder } from './recording/recorder.ts';
import type { RequestLog } from './request-log.ts';
import type { SandboxContext } from './sandbox-context.ts';

/** Largest request body. A hundred full orders are well below it. */
const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** What was asked, for people and for recordings. */
export interface Logs {
  readonly requestLog: RequestLog;
  readonly recorder: Recorder;
}

export function createApp(
  context: SandboxContext,
  logs: Logs,
  endpoints: readonly Endpoint[],
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(readBytes);
  app.use(dispatch(context, logs, endpoints));
  app.use((req: Request, res: Response) => {
    const entry = createEntry(context, req, null);
    entry.status = 404;
    logs.requestLog.add(entry);
    const message = `There is no ${req.method} ${req.path}. GET /openapi.json lists what there is.`;
    res.status(404).json({ errors: [{ code: 'NOT_FOUND', message }] });
  });
  app.use(answerError(context));
  return app;
}

/** The bytes as they were signed or sent; nothing is inflated. */
const readBytes: RequestHandler = (req, res, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  const hasNone = length === undefined && encoding === undefined;
  return hasNone ? next() : readBody(req, res, next);
};

const readBody: RequestHandler = async (req, _res, next) => {
  const length = req.headers['content-length'];
  const body: Promise<Buffer> = getRawBody(req, { limit: BODY_BYTES_MAX, length: length ?? null });
  req.body = await body;
  next();
};

/** Answers what the table has; the rest continues. */
function dispatch(
  context: SandboxContext,
  logs: Logs,
  endpoints: readonly Endpoint[],
): RequestHandler {
  const find = createRouteTable(endpoints);
  return async (req, res, next) => {
    const found = find(req.method, req.path);
    if (found === undefined) {
      next();
      return;
    }
    const { endpoint, name, params } = found;
    const entry = createEntry(context, req, name);
    // The control surface would only crowd out what tests and people look for.
    if (endpoint.faultable) logs.requestLog.add(entry);
    logs.recorder.add(endpoint, {
      method: req.method,
      url: req.originalUrl,
      authorization: req.headers.authorization,
      idempotencyKey: req.get('idempotency-key'),
      text: Buffer.isBuffer(req.body) ? req.body.toString() : '',
      entry,
    });
    await serve(context, endpoint, { name, req, res, entry, params });
  };
}

/** Errors of reading the body (too large, compressed, cut off), and whatever else gets here. */
function answerError(context: SandboxContext): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    if (status >= 500) context.settings.log.error({ err: error }, 'sandbox request failed');
    const message = MESSAGES[status] ?? messageOf(error);
    res.status(status).json({ errors: [{ code: 'BAD_REQUEST', message }] });
  };
}

/** What is wrong before any endpoint is asked, instead of the library's words. */
const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The path or the body cannot be read. Escape the path (%20), and send the body whole.',
  413: 'The body is over 10 MB. Send less in one request.',
};

function statusOf(error: unknown): number {
  if (error instanceof URIError) return 400;
  const given = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof given === 'number' && given >= 400 && given <= 599 ? given : 500;
}
