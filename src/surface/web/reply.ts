/**
 * How the console answers programs: JSON with the error envelope of the interface itself, and 405
 * for a method that a known path does not take.
 */

import type { IRouter, RequestHandler, Response } from 'express';
import express from 'express';
import { refuseCardNumbers } from './card-guard.ts';
import type { Fault } from './fault.ts';

export function sendJson(response: Response, status: number, body: unknown): void {
  response.status(status).json(body);
}

export function sendFault(response: Response, status: number, ...faults: readonly Fault[]): void {
  sendJson(response, status, { errors: faults });
}

export const NOT_FOUND: Fault = {
  code: 'NOT_FOUND',
  message: 'There is nothing here. Check the path and the id.',
};

/** Before money moves a person proves who they are; with an operator's token this is not possible. */
export function proofFault(
  { kind }: { readonly kind: 'program' | 'person' },
  before = 'money moves',
): Fault {
  const message =
    kind === 'person'
      ? `Confirm who you are on the page /confirm before ${before}.`
      : `An operator's token is no proof of who sends it, which is asked for before ${before}. Do it in the console.`;
  return { code: 'CONFIRM_IDENTITY', message };
}

/** Answers 403 with {@link proofFault}. */
export function askForProof(
  response: Response,
  caller: { readonly kind: 'program' | 'person' },
  before?: string,
): void {
  sendFault(response, 403, proofFault(caller, before));
}

/** Reads the body of a request to the API, a dozen short fields at most. */
export const jsonBody: RequestHandler = express.json({
  limit: 16 * 1024,
  strict: true,
  type: 'application/json',
});

export interface Methods {
  readonly get?: RequestHandler;
  readonly post?: RequestHandler | RequestHandler[];
}

/**
 * Registers a path with its methods; any other method is answered 405. What reads the body of a POST comes first among its
 * handlers: the last one never sees a full card number.
 */
export function route(router: IRouter, path: string, methods: Methods): void {
  const allowed: string[] = [];
  if (methods.get !== undefined) {
    router.get(path, methods.get);
    allowed.push('GET', 'HEAD');
  }
  if (methods.post !== undefined) {
    const readers = [methods.post].flat();
    const last = readers.pop();
    if (last !== undefined) router.post(path, ...readers, refuseCardNumbers, last);
    allowed.push('POST');
  }
  router.all(path, (_request, response) => {
    response.set('allow', allowed.join(', '));
    sendFault(response, 405, {
      code: 'METHOD_NOT_ALLOWED',
      message: `This path takes ${allowed.join(', ')}.`,
    });
  });
}
