/** What the adapters' webhooks share: signatures in constant time, their age, and reading a body without trusting it. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { EventVerdict, ProcessorEvent, ProcessorEventKind } from '../wire/processor-event.ts';

/** Provider's word → what Forestall takes it for. What is not in it says nothing to Forestall. */
export type EventWords = Readonly<Record<string, ProcessorEventKind>>;

/** The kind of a provider's word, or undefined. */
export function kindOf(words: EventWords, word: string | null): ProcessorEventKind | undefined {
  return word !== null && Object.hasOwn(words, word) ? words[word] : undefined;
}

/** Compares digests, so that neither length nor content shows in the time it takes. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** How a provider signs: what it signs, and the keys that may have done so. */
export interface HmacSigned {
  /** What is signed, one part after the other. */
  readonly parts: readonly (string | Uint8Array)[];
  /** The new key and, while it is exchanged, the old one. */
  readonly keys: readonly (string | Uint8Array)[];
  /** @default 'sha256' */
  readonly algorithm?: 'sha1' | 'sha256' | 'sha512';
  /** @default 'hex' */
  readonly encoding?: 'hex' | 'base64';
}

/** Whether one of the keys has made one of the digests. Every key meets every digest, whether or not one has matched. */
export function isHmacOf(given: readonly string[], signed: HmacSigned): boolean {
  const { parts, keys, algorithm = 'sha256', encoding = 'hex' } = signed;
  const expected = keys.map((key) =>
    parts.reduce((hmac, part) => hmac.update(part), createHmac(algorithm, key)).digest(encoding),
  );
  const matches = given.flatMap((digest) => expected.map((own) => isSame(digest, own)));
  return matches.includes(true);
}

/** A clock that differs by more is wrong, and so is a delivery from its future. */
const SKEW_MS = 300_000;

/** The verdict on what is signed rightly: one that is older than `maxMs`, or of no readable moment, is stale. */
export function verdictOfAge(ageMs: number, maxMs: number): EventVerdict {
  return { kind: ageMs >= -SKEW_MS && ageMs <= maxMs ? 'genuine' : 'stale' };
}

/**
 * The body as JSON, in the type that the provider's SDK gives it. It was not checked whether it is so: check what
 * you rest on. @throws when it is none
 */
export function jsonOf<Body = unknown>(raw: Uint8Array): Body {
  return JSON.parse(Buffer.from(raw).toString('utf8'));
}

/** What an event does not say. */
export const UNSAID = {
  refundReference: null,
  disputeReference: null,
  amountMinor: null,
  currency: null,
  occurredAt: null,
} as const satisfies Partial<ProcessorEvent>;

/** The latest moment that a `Date` holds. */
const SECONDS_MAX = 8_640_000_000_000;

/** Seconds since 1970 as ISO 8601, or null. */
export function isoOfSeconds(seconds: number | null | undefined): string | null {
  const isMoment = typeof seconds === 'number' && Math.abs(seconds) <= SECONDS_MAX;
  return isMoment ? new Date(seconds * 1_000).toISOString() : null;
}
