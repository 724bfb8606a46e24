/** `POST /{path}/{name}` of a door as an Express router. Mount it before any body parser. */
import type { Request, Response, Router } from 'express';
import express from 'express';
import { NOT_FOUND, send } from './answers.ts';
import type { DoorReception } from './door.ts';
import type { ReceiverPlace } from './receiver.ts';
import { readRawBody } from './receiver.ts';

/** Creates the router. As a guest in somebody else's program it leaves names that are not ours to it. */
export function createDoorRoutes(
  door: string,
  reception: DoorReception,
  { isGuest = false }: ReceiverPlace = {},
): Router {
  const path = `/${door}/:name` as const;
  const routes = routesAt(path, () => reception);
  if (!isGuest) return routes;
  return express
    .Router()
    .all(path, (request, _response, next) =>
      next(reception.knows(request.params.name) ? undefined : 'router'),
    )
    .use(routes);
}

/** Finds who takes in what is posted for an organisation, or for a merchant that has something of its own. */
export type FindReception = (organisation: string, merchant: string) => DoorReception | undefined;

/** The same for several organisations: `POST /{path}/{organisation}[/{merchant}]/{name}`. */
export function createOrganisationDoorRoutes(door: string, find: FindReception): Router {
  return express
    .Router()
    .use(routesAt(`/${door}/:organisation/:name`, find))
    .use(routesAt(`/${door}/:organisation/:merchant/:name`, find));
}

function routesAt(path: string, find: FindReception): Router {
  const router = express.Router();
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  router.post(path, async (request: Request, response: Response) => {
    const { name, organisation, merchant } = request.params;
    const reception = find(textOf(organisation), textOf(merchant));
    if (reception === undefined) return send(response, NOT_FOUND);
    const answer = await reception.receive({
      name: textOf(name),
      headers: headersOf(request),
      readBody: (budget) => readRawBody(request, budget),
    });
    send(response, answer);
  });
  router.all(path, (request, response) => {
    const { organisation, merchant } = request.params;
    const reception = find(textOf(organisation), textOf(merchant));
    send(response, reception?.refuse('method') ?? NOT_FOUND);
  });
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
