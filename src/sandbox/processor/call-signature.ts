/**
 * Checks that a call to the processor was signed: HMAC-SHA512 over
 * `<t>.<METHOD> <path and query as sent>.<raw body>`, so that a captured call cannot become another.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SIGNATURE_TOLERANCE_SECONDS } from '../../service/wire/limits.ts';
import type { Incoming } from '../http/endpoint.ts';

const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{128})$/;

/** Whether the call carries a fresh signature made with `secret`. */
export function isSignedCall(incoming: Incoming, secret: string, nowMs: number): boolean {
  const match = HEADER.exec(incoming.header('x-signature') ?? '');
  const [, signedAt, given] = match ?? [];
  if (signedAt === undefined || given === undefined) return false;
  const ageSeconds = Math.floor(nowMs / 1000) - Number(signedAt);
  if (Math.abs(ageSeconds) > SIGNATURE_TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha512', secret)
    .update(`${signedAt}.${incoming.method} ${incoming.url}.`)
    .update(incoming.rawBody)
    .digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}
