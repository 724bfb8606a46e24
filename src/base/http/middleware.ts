/** Routes of ours inside a program of somebody else's, whose Express may be another version than ours. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response, Router } from 'express';

/** What Express 4 and 5 take as middleware. Whatever is not for it goes on to the program's own routes. */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** The router under a type that names no version of Express. It must be called by Express anyway. */
export function middlewareOf(router: Router): Middleware {
  return (request, response, next) => {
    // biome-ignore lint/nursery/noUnsafeTypeAssertion: Express has made both, and either version's have what we call.
    router(request as Request, response as Response, next);
  };
}
