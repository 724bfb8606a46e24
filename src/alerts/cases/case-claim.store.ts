/** Claims the cases whose moment has come, for one worker at a time. */
import type { Kysely, QueryCreator, RawBuilder, Selectable, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { HELD_BACK } from '../guard/resume.store.ts';
import type { CaseRow } from './case.store.ts';
import type { AlertCaseTable, ClaimedCase } from './case.table.ts';

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
 * deadline before the others; what has expired comes last and delays nobody.
 */
export async function claimDueCases(
  db: Kysely<Database>,
  options: ClaimOptions,
): Promise<ClaimedCase[]> {
  const { now, owner, limit, leaseMs, isShut } = options;
  const rows = await db
    .with(
      (cte) => cte('gate').materialized(),
      (qb) => qb.selectNoFrom(isShut.as('is_shut')),
    )
    // Two selections, so that each is read in the order of an index.
    .with('in_time', (qb) => dueCases(qb, options, '>').limit(limit))
    .with('expired', (qb) =>
      dueCases(qb, options, '<=').limit(sql<number>`${limit} - (select count(*) from in_time)`),
    )
    .with('due', (qb) =>
      qb.selectFrom('in_time').selectAll().unionAll(qb.selectFrom('expired').selectAll()),
    )
    .updateTable('alert_case as c')
    .from('due')
    .set({
      lease_owner: owner,
      lease_until: new Date(now.getTime() + leaseMs),
      version: sql<number>`c.version + 1`,
    })
    .whereRef('c.organisation_id', '=', 'due.organisation_id')
    .whereRef('c.alert_id', '=', 'due.alert_id')
    .returningAll('c')
    .returning(HELD_BACK.as('held_back'))
    .execute();
  // Returned in the order of a join, which is the planner's: sorted here, ties included.
  return rows.sort(byUrgency(now));
}

type DueCases = SelectQueryBuilder<
  Database,
  'alert_case',
  Pick<Selectable<AlertCaseTable>, 'organisation_id' | 'alert_id'>
>;

/** Due cases with time left, or without, in the order of their deadlines, locked. */
function dueCases(
  qb: QueryCreator<Database>,
  { organisationId, now }: ClaimOptions,
  deadline: '>' | '<=',
): DueCases {
  return qb
    .selectFrom('alert_case')
    .select(['organisation_id', 'alert_id'])
    .where(sql<boolean>`not (select is_shut from gate)`)
    .where('is_open', '=', true)
    .where('organisation_id', '=', organisationId)
    .where('deadline_at', deadline, now)
    .where('next_action_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .orderBy('deadline_at')
    .orderBy('alert_id')
    .forUpdate()
    .skipLocked();
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
