/**
 * Signs and verifies deliveries of events as Standard Webhooks has it: headers `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`; HMAC-SHA256 over `<id>.<timestamp>.<body>` in Base64, one `v1,…` for each secret. The key is what
 * comes after `whsec_`, read as Base64.
 *
 * @module
 * @example
 * const verdict = verify({ secret: 'whsec_…', headers: request.headers, body: rawBody });
 * if (!verdict.ok) return answer(401);
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { systemClock } from '../kernel/clock.ts';
import { ConfigError } from '../kernel/errors.ts';

/** How far the timestamp may be away, in either direction, inclusive, in seconds. */
export const DELIVERY_TOLERANCE_SECONDS = 300;

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** As the standard has it: 24 to 64 bytes. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** Signatures of one header that are looked at: two secrets sign at most. */
const SIGNATURES_MAX = 10;

export function createEndpointSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Whether it is `whsec_` with 24 to 64 bytes in Base64. */
export function isEndpointSecret(text: string): boolean {
  return keyOf(text) !== undefined;
}

function keyOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const isKey =
    key.length >= SECRET_BYTES_MIN &&
    key.length <= SECRET_BYTES_MAX &&
    key.toString('base64') === encoded;
  return isKey ? key : undefined;
}

export interface DeliveryHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * The headers of a delivery. `secrets`: during a rotation the new one and the one before.
 *
 * @throws {ConfigError} without a secret, or with one that is none
 */
export function signDelivery(delivery: {
  readonly id: string;
  readonly atSeconds: number;
  readonly body: string;
  readonly secrets: readonly string[];
}): DeliveryHeaders {
  const { id, atSeconds, body, secrets } = delivery;
  const content = contentOf(id, String(atSeconds), Buffer.from(body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': keysOf(secrets)
      .map((key) => signatureOf(key, content))
      .join(' '),
  };
}

function keysOf(secrets: readonly string[]): Buffer[] {
  const keys = secrets.flatMap((secret) => keyOf(secret) ?? []);
  if (keys.length === 0 || keys.length < secrets.length) {
    throw new ConfigError(
      'A secret of the endpoint is missing or is none: it is “whsec_” and 24 to 64 bytes in Base64. Copy it from the page of the endpoint.',
    );
  }
  return keys;
}

function contentOf(id: string, timestamp: string, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
}

function signatureOf(key: Buffer, content: Buffer): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

/**
 * Why a delivery is refused.
 *
 * - `missing_header`: one of the three headers is not there, is empty, or came twice
 * - `malformed_header`: the timestamp is no number of seconds
 * - `no_match`: none of the secrets made any of the signatures
 * - `too_old`, `too_new`: ours, but signed more than five minutes away; every attempt is signed again
 */
export type DeliveryRefusal =
  | 'missing_header'
  | 'malformed_header'
  | 'no_match'
  | 'too_old'
  | 'too_new';

export type DeliveryVerdict =
  /** `id` is the same at every attempt: who has seen it has seen the event. */
  | { readonly ok: true; readonly id: string; readonly signedAtSeconds: number }
  | { readonly ok: false; readonly reason: DeliveryRefusal };

/** What {@link verify} needs. */
export interface DeliveryToVerify {
  /** `whsec_…`; several while one is replaced. */
  readonly secret: string | readonly string[];
  /** Of the request: by name in lower case as Node has them, or a `Headers`. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null };
  /** As it came, before any parsing. */
  readonly body: string | Uint8Array;
  /** @default now */
  readonly nowSeconds?: number;
}

/**
 * Whether a delivery is ours, unchanged, and signed in the last five minutes.
 *
 * @throws {ConfigError} without a secret, or with one that is none: a receiver that is set up wrongly must not look like a forgery
 */
export function verify(delivery: DeliveryToVerify): DeliveryVerdict {
  const { secret, headers, body, nowSeconds = Math.floor(systemClock.nowMs() / 1_000) } = delivery;
  const keys = keysOf(typeof secret === 'string' ? [secret] : secret);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signature = headerOf(headers, 'webhook-signature');
  if (id === undefined || timestamp === undefined || signature === undefined)
    return { ok: false, reason: 'missing_header' };
  if (!/^\d{1,12}$/.test(timestamp)) return { ok: false, reason: 'malformed_header' };

  const content = contentOf(id, timestamp, Buffer.from(body));
  const given = signature.split(' ').slice(0, SIGNATURES_MAX);
  const isOurs = keys.some((key) => {
    const expected = signatureOf(key, content);
    return given.some((each) => isSame(each, expected));
  });
  if (!isOurs) return { ok: false, reason: 'no_match' };

  const signedAtSeconds = Number(timestamp);
  const ageSeconds = nowSeconds - signedAtSeconds;
  if (ageSeconds > DELIVERY_TOLERANCE_SECONDS) return { ok: false, reason: 'too_old' };
  if (ageSeconds < -DELIVERY_TOLERANCE_SECONDS) return { ok: false, reason: 'too_new' };
  return { ok: true, id, signedAtSeconds };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function headerOf(headers: DeliveryToVerify['headers'], name: string): string | undefined {
  const value = isReadable(headers) ? headers.get(name) : headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isReadable(
  headers: DeliveryToVerify['headers'],
): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}
