/**
 * A row that something comes in for while a step holds it: the step may have read before that. It takes another `changed_at` than
 * the step knows, so that the step's own plan finds out, and the row is looked at again.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Whether a step holds the row of this table, or of what represents it, right now. */
export function isLookedAt(now: Date, source: string): RawBuilder<boolean> {
  return sql<boolean>`coalesce(${sql.ref(`${source}.lease_until`)} > ${now}::timestamptz, false)`;
}

/** Its `changed_at` then; where no step holds it, as it was. */
export function wokenMark(now: Date, source: string): RawBuilder<Date> {
  const changedAt = sql.ref(`${source}.changed_at`);
  return sql<Date>`case when ${isLookedAt(now, source)}
    then greatest(${now}::timestamptz, ${changedAt} + interval '1 millisecond') else ${changedAt} end`;
}
