/** What the adapters' webhooks share: comparing in constant time, and reading a body without trusting it. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ProcessorEvent, ProcessorEventKind } from '../wire/processor-event.ts';

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

/**
 * The body as JSON, in the type that the provider's SDK gives it. Nobody has looked whether it is so: check what
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
