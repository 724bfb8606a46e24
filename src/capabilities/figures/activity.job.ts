/** Adds up the hours that are over, once each. */
import type { Installation } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { rollUpActivity, settledUntil } from './activity.store.ts';
import { rollUpOutcomes } from './outcome-day.store.ts';

/** Creates the step: activity is asked for only when another hour is over. */
export function createRollUp({
  db,
  clock,
  organisationId,
}: Pick<Installation, 'db' | 'clock' | 'organisationId'>): () => Promise<number> {
  let doneUntilMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = nowDate(clock);
    const untilMs = settledUntil(now).getTime();
    if (untilMs > doneUntilMs) {
      await rollUpActivity(db, { organisationId, now });
      doneUntilMs = untilMs;
    }
    // After an upgrade the past is added up a week at a time, one after another.
    return (await rollUpOutcomes(db, { organisationId, now })) ? 1 : 0;
  };
}
