/**
 * The webhook endpoint as an Express router: `POST /webhooks` and `POST /webhooks/{subscription}`.
 */
import type { Request, Response, Router } from 'express';
import express from 'express';
import { send } from './answers.ts';
import { readRawBody } from './raw-body.ts';
import type { Incoming, Reception } from './reception.ts';
import { signatureHeaders } from './signature.ts';

/** Creates the router. Mount it before any body parser. */
export function createReceiver(reception: Reception): Router {
  const receive = async (request: Request, response: Response): Promise<void> => {
    send(response, await reception.receive(incomingOf(request)));
  };
  const router = express.Router();
  for (const path of ['/webhooks', '/webhooks/:subscription']) {
    router.post(path, receive);
    router.all(path, (_request, response) => send(response, reception.refuse('method')));
  }
  return router;
}

function incomingOf(request: Request): Incoming {
  const { subscription } = request.params;
  const { 'x-idempotency-key': deliveryId } = request.headers;
  return {
    subscription: typeof subscription === 'string' ? subscription : '',
    signatures: signatureHeaders(request.rawHeaders),
    deliveryId: typeof deliveryId === 'string' ? deliveryId : null,
    contentEncoding: request.headers['content-encoding'],
    transferEncoding: request.headers['transfer-encoding'],
    readBody: (budget) => readRawBody(request, budget),
  };
}
