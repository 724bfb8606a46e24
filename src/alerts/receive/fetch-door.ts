/**
 * `POST /processor-events/{name}` as a function from `Request` to `Response`, for servers that speak the Fetch API.
 * The body must not have been read: the adapter vouches for the bytes as they came.
 */
import { readFetchBody, responseOf } from '../receive/fetch-receiver.ts';
import type { EventReception } from './event-reception.ts';

/** Takes one webhook of the processor in. `name` is the last part of the path unless it is given. */
export type FetchEventReceiver = (request: Request, name?: string) => Promise<Response>;

/** Creates the function. */
export function createFetchEventReceiver(reception: EventReception): FetchEventReceiver {
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
