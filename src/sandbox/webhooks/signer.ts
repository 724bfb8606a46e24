/**
 * Signs webhooks as the service does: `X-Signature: t=<unix seconds>,v1=<hex>`, HMAC-SHA512 with
 * the subscription's secret over `<t>.<raw body>`.
 *
 * Written from the specification, apart from the verifier in `receive/`: two readings of one text.
 */
import type { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';

/** The lower-case hexadecimal digest. */
export function digestOf(secret: string, signedAtSeconds: number, body: string | Buffer): string {
  return createHmac('sha512', secret).update(`${signedAtSeconds}.`).update(body).digest('hex');
}

export function signatureHeader(
  secret: string,
  signedAtSeconds: number,
  body: string | Buffer,
): string {
  return `t=${signedAtSeconds},v1=${digestOf(secret, signedAtSeconds, body)}`;
}
