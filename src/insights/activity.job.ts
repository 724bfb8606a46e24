/** Adds up the hours that are over, once each. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import { rollUpActivity, settledUntil } from './activity.store.ts';

/** How often it is looked whether an hour is over, in milliseconds. */
export const ROLL_UP_EVERY_MS = 60_000;

/** Makes the step: it asks the database only when another hour is over. */
export function createRollUp(of: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly organisationId: string;
}): () => Promise<number> {
  let doneUntilMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = nowDate(of.clock);
    const untilMs = settledUntil(now).getTime();
    if (untilMs <= doneUntilMs) return 0;
    await rollUpActivity(of.db, { organisationId: of.organisationId, now });
    doneUntilMs = untilMs;
    return 0;
  };
}
