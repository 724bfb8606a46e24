/**
 * Reads a request's body as the bytes that were signed: no parser, no charset, no decompression.
 *
 * A body that was inflated on the way is not what the sender signed, so a Content-Encoding is refused
 * instead of undone. The limit applies before anything is kept: to the declared length, and while a
 * body without one arrives.
 */
import type { IncomingMessage } from 'node:http';
import { WEBHOOK_BODY_BYTES_MAX } from '../../base/kernel/limits.ts';
import type { BodyBudget, BodyFault, BodyOutcome } from './body-budget.ts';

/** Reads the body. It never throws for what the sender did. */
export async function readRawBody(
  request: IncomingMessage,
  budget: BodyBudget,
): Promise<BodyOutcome> {
  const { 'content-encoding': encoding, 'content-length': length } = request.headers;
  const fault = headersFault(encoding, length);
  if (fault !== undefined) return { ok: false, reason: fault };
  // Somebody else has read it, or has it decoded: these are not the bytes any more.
  if (!request.readable || request.readableEncoding !== null) {
    return { ok: false, reason: 'incomplete' };
  }
  const arriving = budget.begin(length === undefined ? undefined : Number(length));
  try {
    const given = await arrive(request, (piece) => arriving.add(piece));
    return given === undefined
      ? { ok: true, body: arriving.whole() }
      : { ok: false, reason: given };
  } finally {
    arriving.end();
  }
}

/** What the headers say already about a body that is not to be read. */
export function headersFault(
  encoding: string | undefined,
  length: string | null | undefined,
): BodyFault | undefined {
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') return 'encoding';
  return Number(length ?? 0) > WEBHOOK_BODY_BYTES_MAX ? 'too_large' : undefined;
}

/** Resolves when the last piece has come, or with why no more are taken. What follows the first end changes nothing. */
function arrive(
  request: IncomingMessage,
  take: (piece: Buffer) => BodyFault | undefined,
): Promise<BodyFault | undefined> {
  return new Promise((resolve) => {
    const onData = (piece: Buffer): void => {
      const fault = take(piece);
      if (fault === undefined) return;
      request.off('data', onData).pause();
      resolve(fault);
    };
    request
      .on('data', onData)
      .on('end', () => resolve(undefined))
      .on('close', () => resolve('incomplete'))
      // A broken connection is told by "close"; without a listener it would end the process.
      .on('error', ignore);
  });
}

function ignore(): void {
  // See where it listens.
}
