/**
 * Reading orders is work without a wait. In `forestall start` the same process takes webhooks in: of all bodies that are read at a
 * time one has a turn, a short one, and whatever else waits in the process comes first.
 */
import { setImmediate } from 'node:timers/promises';

/** How long a turn lasts, in milliseconds: a webhook is stored in several turns of the event loop, and may meet one in each. */
const TURN_MS = 2;

/** Whose turn is last. */
let last: Promise<void> = Promise.resolve();

/** What one reader has of the process. */
export interface ReadingTurn {
  /** Waits for another turn where this one is over. */
  take(): Promise<void>;
}

/** Begins reading: with a turn that has just begun, or at the end of the queue. */
export function beginReading(): ReadingTurn {
  let from = performance.now();
  return {
    async take(): Promise<void> {
      if (performance.now() - from < TURN_MS) return;
      const mine = last.then(() => setImmediate());
      last = mine;
      await mine;
      from = performance.now();
    },
  };
}
