/**
 * Verifies and makes the `X-Signature` header of a webhook delivery.
 *
 * This runs before anything else touches the body: no JSON parse, no query and no log line may
 * depend on bytes that this module has not accepted. The header is `t=<seconds>,v1=<digest>`; the
 * digest is the lower-case hexadecimal HMAC-SHA512 of `<t>.<raw body>`, keyed with the whole secret
 * as shown in the dashboard, `whsec_` included (specification, Events, Signature).
 *
 * @module
 * @example
 * const verifier = createVerifier({ secrets: ['whsec_…'] });
 * const verdict = verifier.verify(signatureHeaders(request.rawHeaders), rawBody);
 * if (!verdict.ok) return answer(401);
 */

import type { KeyObject } from 'node:crypto';
import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/kernel/clock.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';

export type { Clock };

/** How far the timestamp may be away, in either direction, inclusive, in seconds. */
const TOLERANCE_SECONDS = 300;

/** Bounds of a configured tolerance: below, ordinary skew refuses; above, a capture stays usable. */
const TOLERANCE_SECONDS_MIN = 60;
const TOLERANCE_SECONDS_MAX = 900;

/** Secrets at once: the present one and, while one is replaced, its neighbours. */
export const SECRETS_MAX = 3;

/** A shorter secret is a typing slip, not a secret. */
export const SECRET_LENGTH_MIN = 16;

/** A header with five digests has 678 characters; a longer one is no signature. */
export const HEADER_LENGTH_MAX = 1_024;

/** The header that carries the signature, in lower case. */
export const SIGNATURE_HEADER = 'x-signature';

/**
 * Why a delivery was refused.
 *
 * - `missing_header`: no header, or an empty one
 * - `malformed_header`: more than one, too long, or not of the form `t=…,v1=…`
 * - `bad_hex`: the form is right, a digest is not 128 lower-case hexadecimal characters
 * - `no_match`: no configured secret made any of the digests
 * - `too_old`, `too_new`: authentic, but signed outside the tolerance; clocks differ, or a retry was
 *   not signed again
 */
export type Refusal = ForgedRefusal | StaleRefusal;
export type ForgedRefusal = 'missing_header' | 'malformed_header' | 'bad_hex' | 'no_match';
export type StaleRefusal = 'too_old' | 'too_new';

/** Every refusal, for counters that start at zero. */
export const REFUSALS = [
  'missing_header',
  'malformed_header',
  'bad_hex',
  'no_match',
  'too_old',
  'too_new',
] as const satisfies readonly Refusal[];

export type Verdict =
  | { readonly ok: true; readonly secretId: string; readonly signedAtSeconds: number }
  | { readonly ok: false; readonly authentic: false; readonly reason: ForgedRefusal }
  | {
      readonly ok: false;
      /** The holder of the secret signed these bytes; only the moment is wrong. */
      readonly authentic: true;
      readonly reason: StaleRefusal;
      readonly secretId: string;
      readonly signedAtSeconds: number;
      /** Our clock minus the signature's, in seconds; negative when it comes from the future. */
      readonly ageSeconds: number;
    };

/** Options of {@link createVerifier}. */
export interface VerifierOptions {
  /** One to three signing secrets of one subscription; the order does not matter. */
  readonly secrets: readonly string[];
  /** @default the machine's */
  readonly clock?: Clock;
  /** From 60 to 900. @default 300 */
  readonly toleranceSeconds?: number;
}

/** Decides about deliveries of one subscription. */
export interface Verifier {
  /**
   * @param header every value of `X-Signature`, as {@link signatureHeaders} reads them, or the one value
   * @param rawBody the bytes as they arrived; never a parsed or re-serialised body
   */
  verify(header: string | readonly string[] | undefined, rawBody: Uint8Array): Verdict;
  /** The same for a header that was read before, by {@link readSignature}. */
  verifyRead(signature: ReadSignature, rawBody: Uint8Array): Verdict;
  /** Ids of the configured secrets, in their order; see {@link secretIdOf}. */
  readonly secretIds: readonly string[];
}

/**
 * Creates the verifier of one subscription.
 *
 * @throws {ConfigError} when there is no secret, too many, or one that could be guessed or mistyped:
 * such a verifier accepts forgeries
 */
export function createVerifier(options: VerifierOptions): Verifier {
  const { secrets, clock = systemClock, toleranceSeconds = TOLERANCE_SECONDS } = options;
  assertSecrets(secrets);
  assertTolerance(toleranceSeconds);
  const keys = secrets.map((secret) => ({ id: secretIdOf(secret), key: keyOf(secret) }));

  function verify(header: string | readonly string[] | undefined, rawBody: Uint8Array): Verdict {
    const read = readSignature(typeof header === 'string' ? [header] : (header ?? []));
    return read.ok ? verifyRead(read, rawBody) : forged(read.reason);
  }

  function verifyRead(signature: ReadSignature, rawBody: Uint8Array): Verdict {
    const secretId = findSecret(keys, signature, rawBody);
    if (secretId === undefined) return forged('no_match');

    const signedAtSeconds = Number(signature.timestamp);
    const ageSeconds = Math.floor(clock.nowMs() / 1_000) - signedAtSeconds;
    if (Math.abs(ageSeconds) <= toleranceSeconds) return { ok: true, secretId, signedAtSeconds };
    const reason = ageSeconds > 0 ? 'too_old' : 'too_new';
    return { ok: false, authentic: true, reason, secretId, signedAtSeconds, ageSeconds };
  }

  return { verify, verifyRead, secretIds: keys.map(({ id }) => id) };
}

/**
 * Signs a body as the service does: the value of `X-Signature`. For tests, and for programs that
 * send deliveries.
 */
export function signDelivery(
  secret: string,
  rawBody: Uint8Array,
  timestampSeconds: number,
): string {
  const timestamp = String(timestampSeconds);
  const digest = digestOf(keyOf(secret), timestamp, rawBody).toString('hex');
  return `t=${timestamp},v1=${digest}`;
}

/**
 * Every value of `X-Signature` in Node's `rawHeaders`. Two headers stay two: Node's own `headers`
 * joins them into one.
 */
export function signatureHeaders(rawHeaders: readonly string[]): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    const value = rawHeaders[index + 1];
    if (name?.length !== SIGNATURE_HEADER.length || value === undefined) continue;
    if (name.toLowerCase() === SIGNATURE_HEADER) values.push(value);
  }
  return values;
}

/** What may be logged and stored of a secret: the first 8 hexadecimal characters of its SHA-256. */
export function secretIdOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}

// A leading zero is refused although the digits would do: one moment has one spelling.
const HEADER = /^t=([1-9][0-9]{0,11})((?:,v1=[0-9a-f]{128}){1,5})$/;
const HEADER_WITH_ANY_DIGEST = /^t=[1-9][0-9]{0,11}(?:,v1=[^,=]*){1,5}$/;
const DIGEST_LENGTH = 128;
const DIGEST_PREFIX_LENGTH = ',v1='.length;

/** A header of the right form. */
export interface ReadSignature {
  readonly ok: true;
  /** As it was written. */
  readonly timestamp: string;
  readonly digests: readonly Buffer[];
}

/** Reads the values of `X-Signature`, or says why no body at all could be genuine under them. */
export function readSignature(
  values: readonly string[],
): ReadSignature | { readonly ok: false; readonly reason: ForgedRefusal } {
  const [value] = values;
  if (value === undefined || value === '') return { ok: false, reason: 'missing_header' };
  if (values.length > 1 || value.length > HEADER_LENGTH_MAX) {
    return { ok: false, reason: 'malformed_header' };
  }
  const [, timestamp, list] = HEADER.exec(value) ?? [];
  if (timestamp === undefined || list === undefined) {
    const isForm = HEADER_WITH_ANY_DIGEST.test(value);
    return { ok: false, reason: isForm ? 'bad_hex' : 'malformed_header' };
  }
  const digests: Buffer[] = [];
  for (
    let at = DIGEST_PREFIX_LENGTH;
    at < list.length;
    at += DIGEST_LENGTH + DIGEST_PREFIX_LENGTH
  ) {
    digests.push(Buffer.from(list.slice(at, at + DIGEST_LENGTH), 'hex'));
  }
  return { ok: true, timestamp, digests };
}

/** Every secret meets every digest, so that the time taken tells nothing about either. */
function findSecret(
  keys: readonly { readonly id: string; readonly key: KeyObject }[],
  { timestamp, digests }: ReadSignature,
  rawBody: Uint8Array,
): string | undefined {
  let secretId: string | undefined;
  for (const { id, key } of keys) {
    const expected = digestOf(key, timestamp, rawBody);
    for (const digest of digests) {
      if (timingSafeEqual(digest, expected)) secretId = id;
    }
  }
  return secretId;
}

/** The timestamp goes in as it was written: the sender signed those characters. */
function digestOf(key: KeyObject, timestamp: string, rawBody: Uint8Array): Buffer {
  return createHmac('sha512', key).update(`${timestamp}.`).update(rawBody).digest();
}

function keyOf(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8');
}

function forged(reason: ForgedRefusal): Verdict {
  return { ok: false, authentic: false, reason };
}

function assertSecrets(secrets: readonly string[]): void {
  if (secrets.length === 0) {
    throw new ConfigError('A webhook signing secret is missing. Set FORESTALL_WEBHOOK_SECRETS.');
  }
  if (secrets.length > SECRETS_MAX) {
    throw new ConfigError(
      `There are ${secrets.length} webhook signing secrets; at most ${SECRETS_MAX} work at once. Remove the oldest.`,
    );
  }
  for (const [index, secret] of secrets.entries()) {
    const which = `Webhook signing secret number ${index + 1}`;
    if (secret.length < SECRET_LENGTH_MIN) {
      throw new ConfigError(
        `${which} has fewer than ${SECRET_LENGTH_MIN} characters. Copy the whole secret, "whsec_" included.`,
      );
    }
    if (/\s/.test(secret)) {
      throw new ConfigError(`${which} contains white space. Copy it again without line breaks.`);
    }
    if (secrets.indexOf(secret) !== index) {
      throw new ConfigError(`${which} is given twice. Remove one of the two.`);
    }
  }
}

function assertTolerance(seconds: number): void {
  const isUsable =
    Number.isSafeInteger(seconds) &&
    seconds >= TOLERANCE_SECONDS_MIN &&
    seconds <= TOLERANCE_SECONDS_MAX;
  if (!isUsable) {
    throw new ConfigError(
      `The signature tolerance must be a whole number of seconds from ${TOLERANCE_SECONDS_MIN} to ${TOLERANCE_SECONDS_MAX}.`,
    );
  }
}
