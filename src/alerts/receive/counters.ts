/** Counts what the receiver answered, by reason, since this process started. `/metrics` reads it. */
import type { QuarantineReason, StoreOutcome } from './inbox.ts';
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

/** A counter of another door: one number or, with a label, one for each of the label's values. */
export interface DoorCounter {
  /** The metric's. */
  readonly name: string;
  readonly label?: string;
  /** Shown from the start, at zero. A value that is not among them is shown once it was counted. */
  readonly values?: readonly string[];
}

/** What it has counted. */
export interface DoorCount {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Counters as numbers. */
export interface ReceiveCounts {
  /** Stored for the first time. */
  readonly stored: number;
  readonly duplicate: number;
  /** Stored or kept, without effect. */
  readonly quarantined: Readonly<Record<string, number>>;
  /** One entry for every {@link RefusedReason}. */
  readonly refused: Readonly<Record<string, number>>;
  /** Of other doors. */
  readonly ofDoors: readonly DoorCount[];
}

/** Counts. */
export interface ReceiveCounters {
  countStored(outcome: StoreOutcome): void;
  countRefused(reason: RefusedReason): void;
  /** Counts at another door: under the metric's name and, where it has a label, the label's value. */
  countAtDoor(name: string, value?: string): void;
  snapshot(): ReceiveCounts;
}

/** Creates counters at zero: every refusal is there from the start, so that a graph shows its absence. */
export function createReceiveCounters(ofDoors: readonly DoorCounter[] = []): ReceiveCounters {
  let stored = 0;
  let duplicate = 0;
  const quarantined = new Map<QuarantineReason, number>();
  const refused = new Map<RefusedReason, number>();
  const atDoors = new Map(
    ofDoors.map(({ name, values = [''] }) => [name, new Map(values.map((value) => [value, 0]))]),
  );
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
    countAtDoor(name, value = ''): void {
      const counted = atDoors.get(name);
      counted?.set(value, (counted.get(value) ?? 0) + 1);
    },
    snapshot: () => ({
      stored,
      duplicate,
      quarantined: Object.fromEntries(quarantined),
      refused: Object.fromEntries(
        [...REFUSALS, ...REQUEST_FAULTS].map((reason) => [reason, refused.get(reason) ?? 0]),
      ),
      ofDoors: ofDoors.flatMap(({ name, label }) =>
        [...(atDoors.get(name) ?? [])].map(
          ([text, value]): DoorCount =>
            label === undefined ? { name, value } : { name, labels: { [label]: text }, value },
        ),
      ),
    }),
  };
}
