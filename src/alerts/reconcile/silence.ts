/**
 * Distinguishes a quiet day from a disabled webhook endpoint. Pure.
 *
 * The service disables an endpoint that keeps failing and then says nothing more. Polling continues
 * working, so nothing looks wrong from the outside. The sign is this: polling finds changes and no
 * webhook arrives after them. A poll that is a moment faster than a webhook is no sign, so one
 * change needs time before it counts; several need less.
 */
import { z } from 'zod';

/** Changes without any later webhook that raise the alarm at once, given {@link SILENCE_SHORT_MS}. */
const SILENCE_CHANGES = 3;

/** Least age of the first of several changes: above the service's first retry, after 1 minute. */
const SILENCE_SHORT_MS = 3 * 60_000;

/** Least age of a single change: above its second retry, 5 minutes later. */
const SILENCE_LONG_MS = 15 * 60_000;

const silenceSchema = z.object({
  /** Changes that happened before this moment (milliseconds) are none of our webhooks' business. */
  watchSinceMs: z.number(),
  changes: z.number(),
  /** When the first of them was found, in milliseconds; null without any. */
  firstFoundMs: z.number().nullable(),
});

/** What polling has found since a webhook last arrived. Kept as a fact between rounds. */
export type SilenceRecord = Readonly<z.infer<typeof silenceSchema>>;

export interface SilenceInput {
  readonly nowMs: number;
  /** When the last genuine webhook was stored, in milliseconds; null when none ever was. */
  readonly lastWebhookMs: number | null;
  /** `updated_at` of each change that this round found first, in milliseconds. */
  readonly foundUpdatedMs: readonly number[];
}

/** The record to keep, and whether webhooks must be taken for silent. */
export interface SilenceVerdict {
  readonly record: SilenceRecord;
  readonly silent: boolean;
}

/** Judges one round. The first round of all only starts the watch: what lies before it is history. */
export function judgeSilence(
  before: SilenceRecord | undefined,
  input: SilenceInput,
): SilenceVerdict {
  const { nowMs, lastWebhookMs } = input;
  if (before === undefined) {
    return { record: { watchSinceMs: nowMs, changes: 0, firstFoundMs: null }, silent: false };
  }
  const { watchSinceMs } = before;
  const heardSince =
    before.firstFoundMs !== null && lastWebhookMs !== null && lastWebhookMs >= before.firstFoundMs;
  const carried = heardSince ? { changes: 0, firstFoundMs: null } : before;
  const fresh = input.foundUpdatedMs.filter((updatedMs) => updatedMs >= watchSinceMs).length;
  const changes = carried.changes + fresh;
  const firstFoundMs = changes === 0 ? null : (carried.firstFoundMs ?? nowMs);
  const ageMs = firstFoundMs === null ? 0 : nowMs - firstFoundMs;
  const silent =
    (changes >= SILENCE_CHANGES && ageMs >= SILENCE_SHORT_MS) ||
    (changes > 0 && ageMs >= SILENCE_LONG_MS);
  return { record: { watchSinceMs, changes, firstFoundMs }, silent };
}

/** Reads a record back from its fact; undefined when it is not one. */
export function readSilenceRecord(value: unknown): SilenceRecord | undefined {
  return silenceSchema.safeParse(value).data;
}

/** The service has sent its last retry by then: 14 h 36 min after the first attempt, in milliseconds. */
const RETRIES_END_MS = (14 * 60 + 36) * 60_000;

/** What is known when a round has read everything there is to read. */
export interface UnheardInput {
  /** The record before this round. */
  readonly before: SilenceRecord | undefined;
  readonly nowMs: number;
  /** The last whole round before this one. */
  readonly lastPollMs: number | undefined;
  readonly lastWebhookMs: number | undefined;
  /** Time between rounds, in milliseconds. */
  readonly intervalMs: number;
}

/**
 * The period in which events may be lost for good, once it is over; undefined when there is none.
 *
 * Either the endpoint was silent while things happened and is heard again, or nothing of ours ran for
 * longer than the service repeats a delivery.
 */
export function unheardPeriod(
  input: UnheardInput,
): { readonly fromMs: number; readonly toMs: number } | undefined {
  const { before, nowMs, lastPollMs, lastWebhookMs, intervalMs } = input;
  const firstFoundMs = before?.firstFoundMs ?? null;
  if (firstFoundMs !== null && lastWebhookMs !== undefined && lastWebhookMs >= firstFoundMs) {
    // Shorter than the alarm needs, it was a poll that overtook its webhook.
    const isLong = lastWebhookMs - firstFoundMs >= SILENCE_LONG_MS;
    return isLong ? { fromMs: firstFoundMs - intervalMs, toMs: lastWebhookMs } : undefined;
  }
  if (lastPollMs === undefined) return undefined;
  const aliveMs = Math.max(lastPollMs, lastWebhookMs ?? 0);
  return nowMs - aliveMs >= RETRIES_END_MS ? { fromMs: aliveMs, toMs: nowMs } : undefined;
}
