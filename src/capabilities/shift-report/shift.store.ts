/** What happened within the last hours, who did what, and what the next ones bring: for a shift's end, and for the daily digest. */

import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import { ENDED_AS } from '../../alerts/cases/ended-as.store.ts';
import type { Review } from '../../alerts/review/review-queue.store.ts';
import type { Db } from '../../base/db/database.ts';

/** Lines of each kind that are read. */
const LINES_MAX = 50;

/** Which hours: those until now, and as many to come. */
export interface ShiftScope {
  readonly organisationId: string;
  readonly now: Date;
  readonly hours: number;
}

/** What one person did, by the words of the audit log. */
export interface PersonStep {
  readonly person: string;
  readonly what: string;
  readonly count: number;
}

/** A step about the installation itself. */
export interface ShiftStep {
  readonly at: Date;
  readonly actor: string;
  readonly subject: string;
  readonly what: string;
}

/** What somebody wrote about an alert. */
export interface ShiftComment {
  readonly at: Date;
  readonly alertId: string;
  readonly operator: string;
  readonly text: string;
}

/** An alert that waits for a person and is acted upon, or runs out, within the next hours. */
export type ShiftDue = Pick<
  Review,
  'alertId' | 'actsAt' | 'amountMinor' | 'currency' | 'holdReason' | 'claimedBy'
>;

/** Alerts that came, that ran out without an answer, and that ended, by the state in which they did. */
export type ShiftMeasure = 'received' | 'missed' | `closed:${string}`;

export interface Shift {
  readonly counts: ReadonlyMap<ShiftMeasure, number>;
  readonly refunded: readonly { readonly currency: string; readonly amountMinor: number }[];
  readonly people: readonly PersonStep[];
  readonly steps: readonly ShiftStep[];
  readonly comments: readonly ShiftComment[];
  readonly due: readonly ShiftDue[];
  readonly open: number;
  readonly waiting: number;
  readonly findings: number;
}

export async function readShift(db: Db, scope: ShiftScope): Promise<Shift> {
  const { organisationId, now, hours } = scope;
  const lengthMs = hours * 3_600_000;
  const since = new Date(now.getTime() - lengthMs);
  const until = new Date(now.getTime() + lengthMs);
  const sinceThen = { organisationId, since, now };
  const [counts, refunded, people, steps, comments, due, open] = await Promise.all([
    countEnds(db, sinceThen),
    sumRefunds(db, sinceThen),
    countPeople(db, sinceThen),
    listSteps(db, sinceThen),
    listComments(db, sinceThen),
    listDue(db, { organisationId, until }),
    countOpen(db, organisationId),
  ]);
  return { counts, refunded, people, steps, comments, due, ...open };
}

interface Since {
  readonly organisationId: string;
  readonly since: Date;
  readonly now: Date;
}

async function countEnds(
  db: Db,
  { organisationId, since }: Since,
): Promise<ReadonlyMap<ShiftMeasure, number>> {
  const { rows } = await sql<{ measure: ShiftMeasure; count: number }>`
    select 'received' as measure, count(*)::bigint as count from alert_case
    where organisation_id = ${organisationId} and opened_at >= ${since} and alert_id not like ${CLAIM_IDS}
    union all
    select 'missed', count(*)::bigint from alert_case
    where organisation_id = ${organisationId} and missed_at >= ${since}
    union all
    select 'closed:' || ${ENDED_AS}, count(*)::bigint from alert_case c
    where organisation_id = ${organisationId} and closed_at >= ${since} and alert_id not like ${CLAIM_IDS}
    group by 1`.execute(db);
  return new Map(rows.map(({ measure, count }) => [measure, count]));
}

async function sumRefunds(db: Db, { organisationId, since }: Since): Promise<Shift['refunded']> {
  const { rows } = await sql<{ currency: string; amountMinor: number }>`
    select currency, sum(amount_minor)::bigint as "amountMinor" from movement
    where organisation_id = ${organisationId} and confirmed_at >= ${since}
      and idempotency_key is not null and amount_minor > 0
    group by 1 order by 1`.execute(db);
  return rows;
}

async function countPeople(
  db: Db,
  { organisationId, since }: Since,
): Promise<readonly PersonStep[]> {
  const { rows } = await sql<PersonStep>`
    select substr(actor, length('operator:') + 1) as person, what, count(*)::bigint as count from audit
    where organisation_id = ${organisationId} and at >= ${since} and actor like 'operator:%'
      and what <> 'signed in'
    group by 1, 2 order by 1, 3 desc, 2 limit ${LINES_MAX}`.execute(db);
  return rows;
}

async function listSteps(db: Db, { organisationId, since }: Since): Promise<readonly ShiftStep[]> {
  return await db
    .selectFrom('audit')
    .select(['at', 'actor', 'subject', 'what'])
    .where('organisation_id', '=', organisationId)
    .where('at', '>=', since)
    .where('subject', 'in', ['policy', 'system', 'operator'])
    .where('what', '<>', 'signed in')
    .orderBy('id', 'desc')
    .limit(LINES_MAX)
    .execute();
}

async function listComments(
  db: Db,
  { organisationId, since }: Since,
): Promise<readonly ShiftComment[]> {
  return await db
    .selectFrom('review_comment')
    .select(['at', 'alert_id as alertId', 'operator', 'text'])
    .where('organisation_id', '=', organisationId)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .limit(LINES_MAX)
    .execute();
}

async function listDue(
  db: Db,
  { organisationId, until }: { readonly organisationId: string; readonly until: Date },
): Promise<readonly ShiftDue[]> {
  const { rows } = await sql<ShiftDue>`
    select c.alert_id as "alertId", least(c.fallback_at, c.deadline_at) as "actsAt",
      a.amount_minor as "amountMinor", a.currency, c.hold_reason as "holdReason", r.operator as "claimedBy"
    from alert_case c
    left join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    left join review_claim r on r.organisation_id = c.organisation_id and r.alert_id = c.alert_id
    where c.organisation_id = ${organisationId} and c.state = 'HUMAN'
      and least(c.fallback_at, c.deadline_at) < ${until}
    order by least(c.fallback_at, c.deadline_at), c.alert_id limit ${LINES_MAX}`.execute(db);
  return rows;
}

async function countOpen(
  db: Db,
  organisationId: string,
): Promise<Pick<Shift, 'open' | 'waiting' | 'findings'>> {
  const { rows } = await sql<Pick<Shift, 'open' | 'waiting' | 'findings'>>`
    select count(*)::bigint as open, count(*) filter (where state = 'HUMAN')::bigint as waiting,
      (select count(*) from finding where organisation_id = ${organisationId} and closed_at is null)::bigint as findings
    from alert_case where organisation_id = ${organisationId} and is_open`.execute(db);
  return rows[0] ?? { open: 0, waiting: 0, findings: 0 };
}
