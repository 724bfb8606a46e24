/** Adds up the hours and days that are over: hours once each, days of lookups again when one changed; and what the metrics count. */
import type { Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { rollUpActivity, settledUntil } from './activity.store.ts';
import { addUpFigures } from './figure.store.ts';
import { rollUpLookups } from './lookup-day.store.ts';
import { rollUpOutcomes } from './outcome-day.store.ts';

/** How often it is looked whether there is anything to add up, in milliseconds. */
export const ROLL_UP_EVERY_MS = 60_000;

/** Creates the step: hours are asked for only when another one is over, lookups and the metrics' figures once a minute. */
export function createRollUp(of: {
  readonly db: Db;
  readonly clock: Clock;
  readonly organisationId: string;
}): () => Promise<number> {
  const { db, organisationId } = of;
  let doneUntilMs = Number.NEGATIVE_INFINITY;
  let lookupsDueMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = nowDate(of.clock);
    const untilMs = settledUntil(now).getTime();
    if (untilMs > doneUntilMs) {
      await rollUpActivity(db, { organisationId, now });
      doneUntilMs = untilMs;
    }
    if (now.getTime() >= lookupsDueMs) {
      await rollUpLookups(db, { organisationId, now });
      await addUpFigures(db, organisationId);
      lookupsDueMs = now.getTime() + ROLL_UP_EVERY_MS;
    }
    // After an upgrade the past is added up a week at a time, one after another.
    return (await rollUpOutcomes(db, { organisationId, now })) ? 1 : 0;
  };
}
