/**
 * The webhook endpoint, `POST /webhooks` and `POST /webhooks/{subscription}`: as an Express router, and for the
 * public listener as a listener that passes Express by.
 *
 * A delivery whose path is written plainly needs nothing of what Express finds out about a request, which takes as
 * long as looking at the signature. Everything else goes to Express: other methods and paths, and other
 * spellings of these two.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Request, Response, Router } from 'express';
import express from 'express';
import { REFUSAL_ANSWERS, send } from './answers.ts';
import { readRawBody } from './raw-body.ts';
import type { Incoming, Reception } from './reception.ts';
import { signatureHeaders } from './signature.ts';

/** What the doctor calls itself when it asks whether the address is ours: no delivery, so none that is refused. */
export const DOCTOR_AGENT = 'forestall-doctor';

/** Where the router lives. */
export interface ReceiverPlace {
  /**
   * In somebody else's program: what names no subscription of ours goes on to its own routes, unread and uncounted.
   * @default false: it is answered 404
   */
  readonly isGuest?: boolean;
}

/** Creates the router. Mount it before any body parser. */
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
export interface DirectReceiverOptions {
  readonly reception: Reception;
  readonly others: RequestListener;
  readonly onError: (error: unknown, response: Parameters<RequestListener>[1]) => void;
}

/** Creates the listener. */
export function createDirectReceiver(options: DirectReceiverOptions): RequestListener {
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

/** Characters that stand for themselves in a path. */
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
