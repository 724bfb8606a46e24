/**
 * The webhook endpoint as a function from `Request` to `Response`, for servers that speak the Fetch
 * API: Hono, a Next.js route handler, Bun, Deno.
 *
 * The body must not have been read: the bytes that were signed are what counts.
 */
import { WEBHOOK_BODY_BYTES_MAX } from '../kernel/limits.ts';
import type { Answer } from './answers.ts';
import type { BodyOutcome } from './raw-body.ts';
import type { Reception } from './reception.ts';

/** Takes one delivery in. `subscription` is empty for the only one. */
export type FetchReceiver = (request: Request, subscription?: string) => Promise<Response>;

/** Makes the function. */
export function createFetchReceiver(reception: Reception): FetchReceiver {
  return async (request, subscription = '') => {
    if (request.method !== 'POST') return responseOf(reception.refuse('method'));
    const { headers } = request;
    const signature = headers.get('x-signature');
    const contentEncoding = headers.get('content-encoding') ?? undefined;
    return responseOf(
      await reception.receive({
        subscription,
        // Two headers arrive joined by a comma and a space, which no signature holds.
        signatures: signature === null ? [] : signature.split(', '),
        deliveryId: headers.get('x-idempotency-key'),
        contentEncoding,
        transferEncoding: headers.get('transfer-encoding') ?? undefined,
        readBody: () => readFetchBody(request, contentEncoding),
      }),
    );
  };
}

async function readFetchBody(request: Request, encoding: string | undefined): Promise<BodyOutcome> {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return { ok: false, reason: 'encoding' };
  }
  if (Number(request.headers.get('content-length') ?? 0) > WEBHOOK_BODY_BYTES_MAX) {
    return { ok: false, reason: 'too_large' };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > WEBHOOK_BODY_BYTES_MAX) return { ok: false, reason: 'too_large' };
      chunks.push(chunk);
    }
  } catch {
    return { ok: false, reason: 'incomplete' };
  }
  return { ok: true, body: Buffer.concat(chunks) };
}

function responseOf({ status, body, headers }: Answer): Response {
  const response = new Response(body, { status });
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index];
    // The server computes these itself.
    if (name === undefined || name === 'content-length' || name === 'connection') continue;
    response.headers.set(name, headers[index + 1] ?? '');
  }
  return response;
}
