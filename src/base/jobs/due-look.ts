/**
 * One look for all loops of a process, whichever organisation is theirs: asks in a single statement which of
 * them have something due, and wakes those. An idle loop asks nothing itself but for a safety round once a minute.
 *
 * It asks with the clock as it is at each look, so that a clock that jumped forward is noticed by the
 * next one. What comes in is announced by a wake-up (`wake.ts`); the look finds what falls due by time,
 * and what a lost wake-up would have announced.
 */
import type { Db } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import { readAllDue } from './due.store.ts';
import type { Loop, LoopSpec } from './loop.ts';

/** How often it looks, in milliseconds: this much later than planned does work begin at most. */
export const LOOK_MS = 2_000;

/** A loop that is running. */
export interface RunningLoop {
  readonly organisationId: string;
  readonly spec: LoopSpec;
  readonly loop: Pick<Loop, 'wake'>;
}

/** Creates the look, a loop itself. Loops without a condition keep to their idle time. */
export function createDueLook(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  running: () => readonly RunningLoop[],
): LoopSpec {
  return {
    name: 'due',
    idleMs: LOOK_MS,
    runOnce: async (): Promise<number> => {
      const looked = running().flatMap(({ organisationId, spec: { isDue }, loop }) =>
        isDue === undefined ? [] : [{ organisationId, isDue, loop }],
      );
      // Loops of the same kind share a condition, whichever organisation is theirs.
      const conditions = [...new Set(looked.map(({ isDue }) => isDue))];
      const organisationIds = [...new Set(looked.map((each) => each.organisationId))];
      const due = await readAllDue(db, { organisationIds, now: nowDate(clock) }, conditions).catch(
        (error: unknown) => {
          // Whichever condition failed: each loop looks for itself, as if its own held.
          for (const { loop } of looked) loop.wake();
          throw error;
        },
      );
      const places = new Map(conditions.map((condition, place) => [condition, place]));
      for (const { organisationId, isDue, loop } of looked) {
        if (due.get(organisationId)?.[places.get(isDue) ?? -1] === true) loop.wake();
      }
      return 0;
    },
  };
}
