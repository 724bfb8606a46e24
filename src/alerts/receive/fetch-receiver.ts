/**
 * The webhook endpoint as a function from `Request` to `Response`, for servers that speak the Fetch
 * API: Hono, a Next.js route handler, Bun, Deno.
 *
 * The body must not have been read: the bytes that were signed are what counts.
 */
import type { Answer } from './answers.ts';
import type { BodyBudget, BodyOutcome } from './body-budget.ts';
import { headersFault } from './body-budget.ts';
import type { Reception } from './reception.ts';

/** Takes one delivery in. `subscription` is empty for the only one. */
export type FetchReceiver = (request: Request, subscription?: string) => Promise<Response>;

/** Creates the function. */
export function createFetchReceiver(reception: Reception): FetchReceiver {
  return async (request, subscription = '') => {
    if (request.method !== 'POST') return responseOf(reception.refuse('method'));
    const { headers } = request;
    const signature = headers.get('x-signature');
    return responseOf(
      await reception.receive({
        subscription,
        // Two headers arrive joined by a comma and a space, which no signature holds.
        signatures: signature === null ? [] : signature.split(', '),
        deliveryId: headers.get('x-idempotency-key'),
        contentEncoding: headers.get('content-encoding') ?? undefined,
        transferEncoding: headers.get('transfer-encoding') ?? undefined,
        readBody: (budget) => readFetchBody(request, budget),
      }),
    );
  };
}

/** Reads the bytes of a request that was not read yet. */
export async function readFetchBody(request: Request, budget: BodyBudget): Promise<BodyOutcome> {
  const { headers } = request;
  const length = headers.get('content-length');
  const fault = headersFault(headers.get('content-encoding') ?? undefined, length);
  if (fault !== undefined) return { ok: false, reason: fault };
  const arriving = budget.begin(length === null ? undefined : Number(length));
  try {
    for await (const piece of request.body ?? []) {
      const given = arriving.add(piece);
      if (given !== undefined) return { ok: false, reason: given };
    }
    return { ok: true, body: arriving.whole() };
  } catch {
    return { ok: false, reason: 'incomplete' };
  } finally {
    arriving.end();
  }
}

/** The answer as a server of that kind gives it. */
export function responseOf({ status, body, headers }: Answer): Response {
  const response = new Response(body, { status });
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index];
    // The server computes these itself.
    if (name === undefined || name === 'content-length' || name === 'connection') continue;
    response.headers.set(name, headers[index + 1] ?? '');
  }
  return response;
}
