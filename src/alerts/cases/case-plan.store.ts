/** When a case is looked at next: the columns of its plan, and a step that failed. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { cutWaitMs } from '../../base/kernel/backoff.ts';
import type { CaseRow } from './case.table.ts';

/**
 * Whether a webhook or a poll has touched the row since it was claimed: they leave the version alone,
 * so that a step under way is not lost, and `alert_case` here is the row as it is now.
 */
function isAsClaimed(from: CaseRow): RawBuilder<boolean> {
  return sql<boolean>`(date_trunc('milliseconds', alert_case.changed_at) = ${from.changed_at}::timestamptz
    and alert_case.deadline_at = ${from.deadline_at}::timestamptz)`;
}

/** The plan; at once when something came in meanwhile that the step did not know. */
export function planColumn(from: CaseRow, nextActionAt: Date): RawBuilder<Date> {
  return sql<Date>`case when ${isAsClaimed(from)} then ${nextActionAt}::timestamptz
    else least(${nextActionAt}::timestamptz, alert_case.next_action_at) end`;
}

/**
 * `changed_at` of a row whose step continues after this move: another moment than `now` where something came
 * in meanwhile. The step has `now` in its claim, so that its plan finds that out (`isAsClaimed`).
 */
export function keptMark(from: CaseRow, now: Date): RawBuilder<Date> {
  return sql<Date>`case when ${isAsClaimed(from)} then ${now}::timestamptz
    else greatest(${now}::timestamptz, alert_case.changed_at) + interval '1 millisecond' end`;
}

/** A fallback is meant as "so long before the deadline": a deadline that moved meanwhile takes it along. */
export function fallbackColumn(
  from: CaseRow,
  planned: Date | string | null | undefined,
  now: Date,
): { fallback_at?: RawBuilder<Date> } {
  if (planned === undefined || planned === null) return {};
  return {
    fallback_at: sql<Date>`case when alert_case.deadline_at = ${from.deadline_at}::timestamptz
      then ${planned}::timestamptz
      else greatest(${now}::timestamptz, ${planned}::timestamptz + (alert_case.deadline_at - ${from.deadline_at}::timestamptz)) end`,
  };
}

/** Records that a step failed and when it is tried again. A stale claim changes nothing. */
export async function postponeCase(
  db: Db,
  claim: CaseRow,
  failure: { readonly now: Date; readonly retryAt: Date; readonly error: string },
): Promise<void> {
  await db
    .updateTable('alert_case')
    .set({
      lease_owner: null,
      lease_until: null,
      version: claim.version + 1,
      attempts: claim.attempts + 1,
      last_error: failure.error.slice(0, 500),
      next_action_at: planColumn(claim, inTime(claim, failure)),
      changed_at: failure.now,
    })
    .where('organisation_id', '=', claim.organisation_id)
    .where('alert_id', '=', claim.alert_id)
    .where('version', '=', claim.version)
    .where('is_open', '=', true)
    .execute();
}

/** In the last hour before a deadline nothing waits longer than 30 s. */
function inTime(
  { deadline_at: deadlineAt }: CaseRow,
  { now, retryAt }: { readonly now: Date; readonly retryAt: Date },
): Date {
  const nowMs = now.getTime();
  return new Date(nowMs + cutWaitMs(retryAt.getTime() - nowMs, deadlineAt.getTime(), nowMs));
}
