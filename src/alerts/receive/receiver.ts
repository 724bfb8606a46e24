/**
 * The public listener: the webhook endpoint, `POST /webhooks` and `POST /webhooks/{subscription}`, what else is received
 * there, and health; nothing else.
 *
 * It is an Express application. A delivery whose path is written plainly passes it by: it needs nothing of what Express
 * finds out about a request, which takes as long as looking at the signature. Everything else goes to Express: other
 * methods and paths, and other spellings of these two.
 *
 * A body is read as the bytes that were signed: no parser, no charset, no decompression. One that was inflated on the way
 * is not what the sender signed, so a Content-Encoding is refused instead of undone. The limit applies before anything is
 * kept: to the declared length, and while a body without one arrives.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, Response, Router } from 'express';
import express from 'express';
import type { Log } from '../../base/kernel/log.ts';
import { INTERNAL_ERROR, NOT_FOUND, NOT_READY, READY, REFUSAL_ANSWERS, send } from './answers.ts';
import type { BodyBudget, BodyFault, BodyOutcome } from './body-budget.ts';
import { headersFault } from './body-budget.ts';
import type { Incoming, Reception } from './reception.ts';
import { signatureHeaders } from './signature.ts';

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

/** Creates the public listener. */
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

/** What the doctor calls itself when it asks whether the address is ours: no delivery, so none that is refused. */
export const DOCTOR_AGENT = 'forestall-doctor';

/** Where the router of the webhook endpoint lives. */
export interface ReceiverPlace {
  /**
   * In somebody else's program: what names no subscription of ours goes on to its own routes, unread and uncounted.
   * @default false: it is answered 404
   */
  readonly isGuest?: boolean;
}

/** Creates the webhook endpoint as a router. Mount it before any body parser. */
export function createReceiver(
  reception: Reception,
  { isGuest = false }: ReceiverPlace = {},
): Router {
  const nameOf = ({ params: { subscription } }: Request): string =>
    typeof subscription === 'string' ? subscription : '';
  const receive = async (request: Request, response: Response): Promise<void> => {
    send(response, await reception.receive(incomingOf(request, nameOf(request))));
  };
  const router = express.Router();
  for (const path of ['/webhooks', '/webhooks/:subscription']) {
    if (isGuest) {
      router.all(path, (request, _response, next) =>
        next(reception.knows(nameOf(request)) ? undefined : 'router'),
      );
    }
    router.post(path, receive);
    router.all(path, (request, response) => {
      const isAsked = request.headers['user-agent'] === DOCTOR_AGENT;
      send(response, isAsked ? REFUSAL_ANSWERS.method : reception.refuse('method'));
    });
  }
  return router;
}

/** What takes the requests that are no plain delivery, and what answers a defect of ours. */
interface DirectReceiverOptions {
  readonly reception: Reception;
  readonly others: RequestListener;
  readonly onError: (error: unknown, response: Parameters<RequestListener>[1]) => void;
}

/** Creates the listener that takes plain deliveries itself. */
function createDirectReceiver(options: DirectReceiverOptions): RequestListener {
  const { reception, others, onError } = options;
  return (request, response) => {
    const subscription = plainSubscription(request);
    if (subscription === undefined) {
      others(request, response);
      return;
    }
    reception.receive(incomingOf(request, subscription)).then(
      (answer) => send(response, answer),
      (error: unknown) => onError(error, response),
    );
  };
}

/** Characters that mean themselves in a path. */
const PLAIN_PATH = /^\/webhooks(?:\/([\w.~-]+))?$/;

/** The subscription that a delivery's path names, empty for the only one; undefined: Express decides. */
function plainSubscription({ method, url }: IncomingMessage): string | undefined {
  if (method !== 'POST' || url === undefined) return undefined;
  if (url === '/webhooks') return '';
  return PLAIN_PATH.exec(url)?.[1];
}

function incomingOf(request: IncomingMessage, subscription: string): Incoming {
  const { 'x-idempotency-key': deliveryId } = request.headers;
  return {
    subscription,
    signatures: signatureHeaders(request.rawHeaders),
    deliveryId: typeof deliveryId === 'string' ? deliveryId : null,
    contentEncoding: request.headers['content-encoding'],
    transferEncoding: request.headers['transfer-encoding'],
    readBody: (budget) => readRawBody(request, budget),
  };
}

/** Reads a request's body. It never throws for what the sender did. */
export async function readRawBody(
  request: IncomingMessage,
  budget: BodyBudget,
): Promise<BodyOutcome> {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  const fault = headersFault(encoding, length);
  if (fault !== undefined) return { ok: false, reason: fault };
  // Somebody else has read it, or has it decoded: these are not the bytes any more.
  if (!request.readable || request.readableEncoding !== null) {
    return { ok: false, reason: 'incomplete' };
  }
  const arriving = budget.begin(length === undefined ? undefined : Number(length));
  try {
    const given = await arrive(request, (piece) => arriving.add(piece));
    return given === undefined
      ? { ok: true, body: arriving.whole() }
      : { ok: false, reason: given };
  } finally {
    arriving.end();
  }
}

/** Resolves when the last piece has come, or with why no more are taken. What follows the first end changes nothing. */
function arrive(
  request: IncomingMessage,
  take: (piece: Buffer) => BodyFault | undefined,
): Promise<BodyFault | undefined> {
  return new Promise((resolve) => {
    const onData = (piece: Buffer): void => {
      const fault = take(piece);
      if (fault === undefined) return;
      request.off('data', onData).pause();
      resolve(fault);
    };
    request
      .on('data', onData)
      .on('end', () => resolve(undefined))
      .on('close', () => resolve('incomplete'))
      // A broken connection is told by "close"; without a listener it would end the process.
      .on('error', ignore);
  });
}

function ignore(): void {
  // See where it listens.
}
