/** `POST /processor-events/{name}` as an Express router. Mount it before any body parser. */
import type { Request, Response, Router } from 'express';
import express from 'express';
import { send } from '../receive/answers.ts';
import { readRawBody } from '../receive/raw-body.ts';
import type { EventReception } from './event-reception.ts';

/** Makes the router. */
export function createEventRoutes(reception: EventReception): Router {
  const router = express.Router();
  const path = '/processor-events/:name';
  router.post(path, async (request: Request, response: Response) => {
    const { name } = request.params;
    const answer = await reception.receive({
      name: typeof name === 'string' ? name : '',
      headers: headersOf(request),
      readBody: (budget) => readRawBody(request, budget),
    });
    send(response, answer);
  });
  router.all(path, (_request, response) => send(response, reception.refuse('method')));
  return router;
}

function headersOf({ headers }: Request): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
