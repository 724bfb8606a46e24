/**
 * Reads a request's body as the bytes that were signed: no parser, no charset, no decompression.
 *
 * A body that was inflated on the way is not what the sender signed, so a Content-Encoding is refused
 * instead of undone. The limit applies before anything is kept: to the declared length, and while a
 * body without one arrives.
 */
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { WEBHOOK_BODY_BYTES_MAX } from '../kernel/limits.ts';

/** The bytes, or why there are none. */
export type BodyOutcome =
  | { readonly ok: true; readonly body: Buffer }
  | { readonly ok: false; readonly reason: BodyFault };

/** `encoding`: 415. `too_large`: 413. `incomplete`: 400, where anybody is left to be told. */
export type BodyFault = 'encoding' | 'too_large' | 'incomplete';

/** Reads the body. It never throws for what the sender did. */
export async function readRawBody(request: IncomingMessage): Promise<BodyOutcome> {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return { ok: false, reason: 'encoding' };
  }
  try {
    const body: Promise<Buffer> = getRawBody(request, {
      limit: WEBHOOK_BODY_BYTES_MAX,
      length: request.headers['content-length'] ?? null,
    });
    return { ok: true, body: await body };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'status' in error && error.status === 413;
    return { ok: false, reason: isTooLarge ? 'too_large' : 'incomplete' };
  }
}
