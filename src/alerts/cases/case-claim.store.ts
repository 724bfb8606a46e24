/** Claims the cases whose moment has come, for one worker at a time. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { HELD_BACK } from '../guard/recovery-check.store.ts';
import type { CaseRow } from './case.store.ts';
import type { ClaimedCase } from './case.table.ts';
import { CASE_COLUMNS } from './case.table.ts';

/** What {@link claimDueCases} needs. */
export interface ClaimOptions {
  readonly organisationId: string;
  readonly now: Date;
  readonly owner: string;
  readonly limit: number;
  readonly leaseMs: number;
  /** Nothing is claimed while this holds (`claim-gate.store.ts`). */
  readonly isShut: RawBuilder<boolean>;
}

/**
 * Claims cases whose moment has come, each for `leaseMs`: those with time left first, the earliest
 * deadline before the others; what has expired comes last and delays no other case.
 */
export async function claimDueCases(db: Db, options: ClaimOptions): Promise<ClaimedCase[]> {
  const { now, owner, limit, leaseMs, isShut } = options;
  const until = new Date(now.getTime() + leaseMs);
  // Two selections, so that each is read in the order of an index.
  const { rows } = await sql<ClaimedCase>`
    with gate as materialized (select ${isShut} as is_shut),
    in_time as (${dueCases(options, sql`>`)} limit ${limit} for update skip locked),
    expired as (${dueCases(options, sql`<=`)} limit ${limit} - (select count(*) from in_time) for update skip locked),
    due as (select * from in_time union all select * from expired)
    update alert_case as c set lease_owner = ${owner}, lease_until = ${until}, version = c.version + 1
    from due where c.organisation_id = due.organisation_id and c.alert_id = due.alert_id
    returning ${CASE_COLUMNS.of('c')}, ${HELD_BACK} as held_back`.execute(db);
  // Returned in the order of a join, which is the planner's: sorted here, ties included.
  return rows.sort(byUrgency(now));
}

/** Due cases with time left, or without, in the order of their deadlines. */
function dueCases(
  { organisationId, now }: ClaimOptions,
  deadline: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select organisation_id, alert_id from alert_case
    where not (select is_shut from gate) and is_open and organisation_id = ${organisationId}
      and deadline_at ${deadline} ${now} and next_action_at <= ${now}
      and (lease_until is null or lease_until <= ${now})
    order by deadline_at, alert_id`;
}

/** Whether {@link claimDueCases} would find a case, the gate left aside. */
export const hasDueCases: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from alert_case where is_open and organisation_id = ${organisation} and next_action_at <= ${now}
      and (lease_until is null or lease_until <= ${now}))`;

/** The order of work; equal deadlines in the order of ids, so that every run works alike. */
export function byUrgency(now: Date): (a: CaseRow, b: CaseRow) => number {
  return (a, b) =>
    Number(a.deadline_at <= now) - Number(b.deadline_at <= now) ||
    a.deadline_at.getTime() - b.deadline_at.getTime() ||
    (a.alert_id < b.alert_id ? -1 : 1);
}
