/** Who did what: the steps of people in the audit log, by person, day and kind. Walked along the index of people's steps. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

/** What a step of a person is about. `step`: what followed from a decision, which has a line of its own. */
export const ACTIVITY_KINDS = [
  ...(['decision', 'review', 'credit', 'evidence', 'policy'] as const),
  ...(['money', 'people', 'export', 'sign-in', 'other', 'step'] as const),
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** Steps that are looked at, the newest first: a year of a busy team is cut, and the page says so. */
export const ACTIVITY_SCAN_MAX = 10_000;

export interface ActivityQuery {
  readonly organisationId: string;
  readonly from: Date;
  /** Exclusive. */
  readonly before: Date;
  readonly person?: string | undefined;
  readonly kind?: ActivityKind | undefined;
}

/** One step, as the list shows it. */
export interface ActivityStep {
  readonly id: number;
  readonly at: Date;
  /** With microseconds, for the place of the next page. */
  readonly atText: string;
  readonly person: string;
  readonly kind: ActivityKind;
  readonly what: string;
  readonly subject: string;
  readonly subjectId: string;
  readonly alertId: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly cardLast4: string | null;
}

export interface ActivityCount {
  readonly person: string;
  readonly kind: ActivityKind;
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string;
  readonly count: number;
}

const PERSON = sql<string>`substr(s.actor, length('operator:') + 1)`;

const KIND: RawBuilder<ActivityKind> = sql`case
  when s.what in ('signed in', 'sign-ins refused') then 'sign-in'
  when s.what like 'exported %' then 'export'
  when s.what like 'credit claim%' then 'credit'
  when s.subject = 'policy' or s.what = 'backtest asked for' then 'policy'
  when s.subject = 'system' and starts_with(s.subject_id, 'doc_') then 'evidence'
  when s.subject = 'system' then 'money'
  when s.what like '%evidence%' or s.what like '%dispute was%' then 'evidence'
  when s.what like 'agreed to %' or s.what like 'declined %' or s.what like 'said %' then 'decision'
  when s.subject = 'operator' and s.alert_id is not null
    and (s.what like 'asked for %' or s.what like '% refused' or s.what = 'chose the charge') then 'decision'
  when s.subject = 'operator' and s.alert_id is not null then 'review'
  when s.subject = 'operator' and s.subject_id <> substr(s.actor, length('operator:') + 1) then 'people'
  when s.subject in ('case', 'movement', 'dispute', 'declaration', 'refund') then 'step'
  else 'other' end`;

/** The name of a subject, where {@link KIND} asks for it: never of a step about an alert, but for those of the system. */
const NAME_ASKED = sql`case when s.subject = 'system' or s.alert_id is null then s.subject_id else '' end`;

function stepsOf({ organisationId, from, before }: ActivityQuery): RawBuilder<unknown> {
  return sql`select id, at, actor, what, subject, subject_id, alert_id from audit
    where organisation_id = ${organisationId} and actor like 'operator:%' and at >= ${from} and at < ${before}
    order by at desc, id desc limit ${sql.lit(ACTIVITY_SCAN_MAX)}`;
}

function conditionOf({ person, kind }: ActivityQuery): RawBuilder<unknown> {
  return sql`${person === undefined ? sql`true` : sql`person = ${person}`}
    and ${kind === undefined ? sql`kind <> 'step'` : sql`kind = ${kind}`}`;
}

export interface ActivityPlace {
  readonly atText: string;
  readonly id: number;
}

/** The steps, newest first. */
export async function listActivity(
  db: Db,
  query: ActivityQuery & { readonly limit: number; readonly after?: ActivityPlace | undefined },
): Promise<ActivityStep[]> {
  const { organisationId, after, limit } = query;
  const { rows } = await sql<ActivityStep>`
    with steps as (select s.*, ${PERSON} as person, ${KIND} as kind from (${stepsOf(query)}) s),
    page as (
      select * from steps where ${conditionOf(query)}
        ${after === undefined ? sql`` : sql`and (at, id) < (${after.atText}::timestamptz, ${after.id})`}
      order by at desc, id desc limit ${limit})
    select p.id, p.at, to_char(p.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "atText", p.person, p.kind,
      p.what, p.subject, p.subject_id as "subjectId", p.alert_id as "alertId",
      a.amount_minor as "amountMinor", a.currency, a.card_last4 as "cardLast4"
    from page p left join lateral (
      select * from alert where organisation_id = ${organisationId} and id = p.alert_id limit 1) a on true
    order by p.at desc, p.id desc`.execute(db);
  return rows;
}

export interface ActivitySummary {
  readonly counts: readonly ActivityCount[];
  /** Only the newest {@link ACTIVITY_SCAN_MAX} steps were counted, and there are more. */
  readonly isCut: boolean;
}

/** How often each person did something of each kind on each day. */
export async function countActivity(db: Db, query: ActivityQuery): Promise<ActivitySummary> {
  const { rows } = await sql<{ readonly counts: ActivityCount[]; readonly looked: number }>`
    with
    -- Alike steps are judged once: the words decide, and of a name only what the kind asks.
    alike as (
      select actor, what, subject, (at at time zone 'UTC')::date as day, ${NAME_ASKED} as subject_id,
        case when alert_id is not null then '' end as alert_id, count(*) as count
      from (${stepsOf(query)}) s group by 1, 2, 3, 4, 5, 6),
    steps as (select s.*, ${PERSON} as person, ${KIND} as kind from alike s),
    counts as (
      select person, kind, to_char(day, 'YYYY-MM-DD') as day, sum(count)::bigint as count
      from steps where ${conditionOf(query)} group by person, kind, steps.day)
    select (select coalesce(sum(count), 0)::int from alike) as looked,
      coalesce((select jsonb_agg(c order by person, kind, day) from counts c), '[]') as counts`.execute(
    db,
  );
  const [{ counts, looked } = { counts: [], looked: 0 }] = rows;
  return { counts, isCut: looked === ACTIVITY_SCAN_MAX };
}
