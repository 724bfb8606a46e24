/**
 * All SQL of the deadline sweep. Every query walks a partial index of open cases, so that a sweep
 * costs milliseconds among a million of them.
 *
 * Nothing here touches a case's version: an alarm must not void the step that is about to answer.
 */
import type { RawBuilder, Selectable, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database, Db, Trx } from '../../base/db/database.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { anyDue } from '../../base/jobs/due.store.ts';
import type { CaseRow } from './case.store.ts';
import type { AlertCaseTable } from './case.table.ts';
import { byUrgency } from './case-claim.store.ts';

/** An organisation at a moment. */
export interface SweepScope {
  readonly organisationId: string;
  readonly now: Date;
  readonly limit: number;
}

/** Open cases whose alarm is due, or was never planned; locked, the earliest deadline first. */
export async function lockDueAlarms(
  trx: Trx,
  { organisationId, now, limit }: SweepScope,
): Promise<CaseRow[]> {
  const due = await trx
    .selectFrom('alert_case')
    .selectAll()
    .where('is_open', '=', true)
    .where('organisation_id', '=', organisationId)
    .where('next_alarm_at', '<=', now)
    .orderBy('next_alarm_at')
    .orderBy('alert_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  const unplanned = await trx
    .selectFrom('alert_case')
    .selectAll()
    .where('is_open', '=', true)
    .where('organisation_id', '=', organisationId)
    .where('next_alarm_at', 'is', null)
    .where('alarm_level', '=', 0)
    .orderBy('alert_id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  return [...due, ...unplanned].sort(byUrgency(now));
}

/** How far the alarms of a case have come. */
export interface SavedAlarm {
  readonly alertId: string;
  readonly level: number;
  readonly nextAt: Date | null;
  /** Null: none was raised now. */
  readonly raisedAt: Date | null;
}

/** Records it, of many cases in one statement. */
export async function saveAlarms(
  trx: Trx,
  organisationId: string,
  alarms: readonly SavedAlarm[],
): Promise<void> {
  if (alarms.length === 0) return;
  await sql`
    update alert_case k set alarm_level = r.level, next_alarm_at = r."nextAt",
      alarmed_at = coalesce(r."raisedAt", k.alarmed_at)
    from json_to_recordset(${JSON.stringify(alarms)}::json)
      as r("alertId" text, level integer, "nextAt" timestamptz, "raisedAt" timestamptz)
    where k.organisation_id = ${organisationId} and k.alert_id = r."alertId"`.execute(trx);
}

/** An answer sent just before the deadline is given this long to show, in milliseconds. */
const ANSWER_SHOWS_MS = 5 * 60_000;

/**
 * Open cases whose deadline has passed with the alert still open and no answer of ours taken, not yet
 * recorded as missed; locked.
 */
export async function lockMissed(trx: Trx, scope: SweepScope): Promise<CaseRow[]> {
  return await unanswered(trx, scope)
    .orderBy('c.deadline_at')
    .limit(scope.limit)
    .forUpdate('c')
    .skipLocked()
    .execute();
}

type Missed = SelectQueryBuilder<Database & { c: AlertCaseTable }, 'c', Selectable<AlertCaseTable>>;

function unanswered(
  db: Db,
  { organisationId, now }: { organisationId: string | RawBuilder<string>; now: Date },
): Missed {
  return db
    .selectFrom('alert_case as c')
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .leftJoin('declaration as d', (join) =>
      join
        .onRef('d.organisation_id', '=', 'c.organisation_id')
        .onRef('d.alert_id', '=', 'c.alert_id'),
    )
    .selectAll('c')
    .where('c.is_open', '=', true)
    .where('c.missed_at', 'is', null)
    .where('c.organisation_id', '=', organisationId)
    .where('c.deadline_at', '<=', now)
    .where((eb) =>
      eb.or([eb('a.status', 'is', null), eb('a.status', 'not in', ['RESOLVED', 'INVALID'])]),
    )
    .where((eb) =>
      eb.or([
        eb('d.state', 'is', null),
        eb('d.state', 'in', ['DUE', 'REFUSED']),
        eb.and([
          eb('d.state', '=', 'SENT'),
          eb.or([
            eb('d.last_sent_at', '>', eb.ref('c.deadline_at')),
            eb('d.last_sent_at', '<=', new Date(now.getTime() - ANSWER_SHOWS_MS)),
          ]),
        ]),
      ]),
    );
}

/** Whether an alarm is due, or was never planned. */
export const hasDueAlarms: DueCondition = (now, organisation) => sql<boolean>`(
    exists (select from ${openOf(organisation)} and next_alarm_at <= ${now})
    or exists (select from ${openOf(organisation)} and next_alarm_at is null and alarm_level = 0))`;

/** Whether {@link lockMissed} would find a case. */
export const hasMissed: DueCondition = (now, organisation, db) =>
  sql<boolean>`exists (${unanswered(db, { organisationId: organisation, now })})`;

/**
 * Whether {@link repairLatePlans} would find a plan. As a minimum, because only the index of late plans has it first:
 * "exists" would read the table instead, of which the planner expects many rows like these.
 */
export const hasLatePlans: DueCondition = (now, organisation) => sql<boolean>`(
    select min(deadline_at) from ${openOf(organisation)} and deadline_at > ${now} and next_action_at > deadline_at
      and (lease_until is null or lease_until <= ${now})) is not null`;

/** Whether {@link countStalled} would find a case. `stalledMs`: how long a case has been due, in milliseconds. */
export function hasStalled(stalledMs: number): DueCondition {
  return (now, organisation): RawBuilder<boolean> => sql<boolean>`exists (
    select from ${openOf(organisation)} and next_action_at <= ${new Date(now.getTime() - stalledMs)}
      and (lease_until is null or lease_until <= ${now}))`;
}

/** Whether a sweep would raise an alarm, record a missed alert or mend a plan. */
export const hasDeadlineWork: DueCondition = anyDue([hasDueAlarms, hasLatePlans, hasMissed]);

function openOf(organisation: RawBuilder<string>): RawBuilder<unknown> {
  return sql`alert_case where is_open and organisation_id = ${organisation}`;
}

/** Records that the cases ran out unanswered. */
export async function saveMissed(
  trx: Trx,
  organisationId: string,
  { alertIds, now }: { alertIds: readonly string[]; now: Date },
): Promise<void> {
  if (alertIds.length === 0) return;
  await trx
    .updateTable('alert_case')
    .set({ missed_at: now, alarmed_at: sql<Date>`coalesce(alarmed_at, ${now}::timestamptz)` })
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`alert_id = any(${alertIds}::text[])`)
    .execute();
}

/** Brings plans that lie beyond a deadline still to come back to it. Returns how many. */
export async function repairLatePlans(
  db: Db,
  { organisationId, now }: SweepScope,
): Promise<number> {
  const result = await db
    .updateTable('alert_case')
    .set({ next_action_at: sql<Date>`deadline_at` })
    .where('is_open', '=', true)
    .where('organisation_id', '=', organisationId)
    .where('deadline_at', '>', now)
    .where('next_action_at', '>', sql<Date>`deadline_at`)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Counts cases due since before `stalledBefore` on which no worker is at work, up to `limit`. */
export async function countStalled(
  db: Db,
  { organisationId, now, limit }: SweepScope,
  stalledBefore: Date,
): Promise<number> {
  const rows = await db
    .selectFrom('alert_case')
    .select('alert_id')
    .where('is_open', '=', true)
    .where('organisation_id', '=', organisationId)
    .where('next_action_at', '<=', stalledBefore)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .limit(limit)
    .execute();
  return rows.length;
}
