/** Counts what the receiver answered, by reason, since this process started. `/metrics` reads it. */
import type { QuarantineReason, StoreOutcome } from './inbox-flush.ts';
import type { Refusal } from './signature.ts';
import { REFUSALS } from './signature.ts';

/** Why a request was turned away. The first six are the signature's; the sender is not told which. */
export type RefusedReason = Refusal | RequestFault;

/** Faults of the request, before any signature was looked at, and the store's. */
export const REQUEST_FAULTS = [
  'unknown_subscription',
  'method',
  'encoding',
  'too_large',
  'incomplete',
  'busy',
  'unavailable',
] as const;
export type RequestFault = (typeof REQUEST_FAULTS)[number];

/** Why a webhook of the processor is turned away: what its signature lacks, the adapter only knows. */
const EVENT_REFUSALS = [
  'missing_header',
  'no_match',
  'too_old',
  ...REQUEST_FAULTS,
] as const satisfies readonly RefusedReason[];

/** Counters as numbers. */
export interface ReceiveCounts {
  /** Stored for the first time. */
  readonly stored: number;
  readonly duplicate: number;
  /** Stored or kept, without effect. */
  readonly quarantined: Readonly<Record<string, number>>;
  /** One entry for every {@link RefusedReason}. */
  readonly refused: Readonly<Record<string, number>>;
  /** Webhooks of the processor: another door. */
  readonly processorEvents: {
    /** Genuine ones, whatever they say; a repeat counts again. */
    readonly received: number;
    readonly refused: Readonly<Record<string, number>>;
  };
}

/** Counts. */
export interface ReceiveCounters {
  countStored(outcome: StoreOutcome): void;
  countRefused(reason: RefusedReason): void;
  countProcessorEvent(): void;
  countProcessorEventRefused(reason: RefusedReason): void;
  snapshot(): ReceiveCounts;
}

/** Creates counters at zero: every refusal is there from the start, so that a graph shows its absence. */
export function createReceiveCounters(): ReceiveCounters {
  let stored = 0;
  let duplicate = 0;
  const quarantined = new Map<QuarantineReason, number>();
  const refused = new Map<RefusedReason, number>();
  let events = 0;
  const eventsRefused = new Map<RefusedReason, number>();
  return {
    countStored(outcome): void {
      if (outcome.duplicate) duplicate += 1;
      else stored += 1;
      const reason = outcome.quarantined;
      if (reason !== undefined) quarantined.set(reason, (quarantined.get(reason) ?? 0) + 1);
    },
    countRefused(reason): void {
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    },
    countProcessorEvent(): void {
      events += 1;
    },
    countProcessorEventRefused(reason): void {
      eventsRefused.set(reason, (eventsRefused.get(reason) ?? 0) + 1);
    },
    snapshot: () => ({
      stored,
      duplicate,
      quarantined: Object.fromEntries(quarantined),
      refused: Object.fromEntries(
        [...REFUSALS, ...REQUEST_FAULTS].map((reason) => [reason, refused.get(reason) ?? 0]),
      ),
      processorEvents: {
        received: events,
        refused: Object.fromEntries(
          EVENT_REFUSALS.map((reason) => [reason, eventsRefused.get(reason) ?? 0]),
        ),
      },
    }),
  };
}
