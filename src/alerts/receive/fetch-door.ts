/**
 * A door as a function from `Request` to `Response`, for servers that speak the Fetch API. The body must not have been read:
 * what vouches for a request vouches for the bytes as they came.
 */
import type { DoorReception } from './door.ts';
import { readFetchBody, responseOf } from './fetch-receiver.ts';

/** Takes one request in. `name` is the last part of the path unless it is given. */
export type FetchDoor = (request: Request, name?: string) => Promise<Response>;

/** Creates the function. */
export function createFetchDoor(reception: DoorReception): FetchDoor {
  return async (request, name = nameIn(request.url)) => {
    if (request.method !== 'POST') return responseOf(reception.refuse('method'));
    return responseOf(
      await reception.receive({
        name,
        headers: Object.fromEntries(request.headers),
        readBody: (budget) => readFetchBody(request, budget),
      }),
    );
  };
}

function nameIn(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}
