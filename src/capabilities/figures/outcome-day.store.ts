/**
 * The outcome of alerts by the day on which they ended; by merchant, descriptor, reason and answer time by the
 * month.
 *
 * Hours that are over are added to their day and month once; the hours since then are counted from the rows, so that
 * a month costs the same among a thousand alerts and among a million. An ended alert never changes its end.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import { ENDED_AS } from '../../alerts/cases/ended-as.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readMoment, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import type { DayOutcome, OutcomeFigure } from '../../surface/of-month.ts';
import { settledUntil } from './activity.store.ts';

/** The fact that says up to which hour everything is added up. */
const ROLLED_UP_TO = 'outcomes_rolled_up_to';

/** Labels kept of a month and dimension; the rest is added up as {@link OTHERS}. */
export const LABELS_MAX = 200;

/** Means what is beyond the most frequent labels of a month. */
export const OTHERS = '*';

/** Longest label kept, in characters. */
const LABEL_LENGTH_MAX = 60;

/** Lower bounds of the time left when an alert was answered, in hours, the largest first. */
export const ANSWER_BOUNDS_HOURS = [24, 12, 6, 1, 0] as const;

const DAY_MS = 24 * 60 * 60_000;

/** Time added up in one go. */
const STEP_MS = 7 * DAY_MS;

/** Rows not added up yet are counted this far back, so that a page stays quick while a worker is away. */
const COUNTED_MS = 2 * DAY_MS;

/** A figure of one day, over everything. */
export interface OutcomeOfDay {
  readonly day: Date;
  readonly outcome: DayOutcome;
  readonly count: number;
}

export interface PeriodOutcomes {
  readonly figures: readonly OutcomeFigure[];
  readonly days: readonly OutcomeOfDay[];
  /** What ended between these two moments of the period is not counted yet; null: nothing is missing. */
  readonly missing: { readonly from: Date; readonly to: Date } | null;
}

/** Of which period. */
interface OutcomesQuery {
  readonly organisationId: string;
  readonly from: Date;
  readonly to: Date;
  readonly now: Date;
  /** Its days alone, and no figures. @default false */
  readonly onlyDays?: boolean;
}

export async function readPeriodOutcomes(
  db: Db,
  { organisationId, from, to, now, onlyDays = false }: OutcomesQuery,
): Promise<PeriodOutcomes> {
  const addedUpTo = (await readMoment(db, organisationId, ROLLED_UP_TO)) ?? new Date(0);
  const countedFrom = new Date(Math.max(addedUpTo.getTime(), now.getTime() - COUNTED_MS));
  const rest = labelled({ organisationId, from: later(from, countedFrom), until: to });
  const kept = sql`
    select day, dimension, label, outcome, currency, count, amount_minor from outcome_day
    where organisation_id = ${organisationId} and day >= ${from} and day < ${to}`;
  const { rows } = await sql<OutcomeFigure & { readonly day: Date | null }>`
    with found as (select * from (${kept} union all ${rest}) as each ${onlyDays ? sql`where dimension = 'all'` : sql``})
    select null::timestamptz as day, dimension, label, outcome, currency,
      sum(count)::bigint as count, sum(amount_minor)::bigint as "amountMinor"
    from found where dimension <> 'all' group by 2, 3, 4, 5
    union all
    select day, dimension, '', outcome, currency, sum(count)::bigint, sum(amount_minor)::bigint
    from found where dimension = 'all' group by 1, 2, 4, 5
    order by 6 desc, 3, 4, 5`.execute(db);
  const missingFrom = later(from, addedUpTo);
  const missingTo = countedFrom < to ? countedFrom : to;
  return {
    figures: rows.flatMap(({ day, ...figure }) => (day === null ? [figure] : [])),
    days: rows.flatMap(({ day, outcome, count }) =>
      day === null ? [] : [{ day, outcome, count }],
    ),
    missing: missingFrom < missingTo ? { from: missingFrom, to: missingTo } : null,
  };
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

interface Stretch {
  readonly organisationId: string;
  readonly from: Date;
  readonly until: Date;
}

/** Alerts that ended within the stretch, and claims that ran out, by day, and by the month and everything else they are counted by. */
function labelled({ organisationId, from, until }: Stretch): RawBuilder<unknown> {
  return sql`
    select day, dimension, label, outcome, currency, count(*) as count, sum(amount)::bigint as amount_minor
    from (
      select date_trunc(case d.dimension when 'all' then 'day' else 'month' end, e.at, 'UTC') as day, e.outcome, coalesce(a.currency, '') as currency,
        coalesce(a.amount_minor, 0) as amount, d.dimension, left(d.label, ${LABEL_LENGTH_MAX}::int) as label
      from (
        select alert_id, dispute_id, closed_at as at, deadline_at, ${outcomeOf()} as outcome from alert_case c
        where organisation_id = ${organisationId} and closed_at >= ${from} and closed_at < ${until}
          and missed_at is null and alert_id not like ${CLAIM_IDS}
        union all
        select alert_id, dispute_id, missed_at, deadline_at, 'missed' from alert_case
        where organisation_id = ${organisationId} and missed_at >= ${from} and missed_at < ${until}
      ) as e
      join alert a on a.organisation_id = ${organisationId} and a.id = e.alert_id
      cross join lateral (values
        ('all', ''),
        ('merchant', ${MERCHANT}),
        ('again', case when e.outcome in ('refunded', 'network') and ${isAgain(organisationId)} then ${MERCHANT} end),
        ('descriptor', coalesce(a.descriptor, '')),
        ('reason', coalesce(a.reason_code, '')),
        ('answer', case when e.outcome in ('refunded', 'accepted') then ${answerBound()} end)
      ) as d (dimension, label)
      where d.label is not null
    ) as ended
    group by 1, 2, 3, 4, 5`;
}

/** The merchant of an alert `a`, with the network after a space. */
const MERCHANT = sql`coalesce(a.merchant_id, '') || ' ' || split_part(coalesce(a.enrolment_type, ''), '_', 1)`;

/** Whether another alert about the same dispute had ended as refunded before `e`: the money went back once. */
function isAgain(organisationId: string): RawBuilder<unknown> {
  return sql`exists (
    select from alert_case c where c.organisation_id = ${organisationId} and c.dispute_id = e.dispute_id
      and (c.closed_at, c.alert_id) < (e.at, e.alert_id) and c.missed_at is null
      and c.alert_id not like ${CLAIM_IDS} and ${outcomeOf()} in ('refunded', 'network'))`;
}

function outcomeOf(): RawBuilder<unknown> {
  return sql`case ${ENDED_AS} when 'DECLARED_REFUND' then 'refunded' when 'RECONCILED_RDR' then 'network'
    when 'DECLARED_ACCEPT' then 'accepted' else 'otherwise' end`;
}

function answerBound(): RawBuilder<unknown> {
  const bounds = ANSWER_BOUNDS_HOURS.filter((hours) => hours > 0).map(
    (hours) =>
      sql`when e.deadline_at - e.at >= make_interval(hours => ${hours}::int) then ${String(hours)}`,
  );
  return sql`case ${sql.join(bounds, sql` `)} else '0' end`;
}

/** Adds up the hours that are over and were not yet, a week at most. Returns whether there is more. */
export async function rollUpOutcomes(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<boolean> {
  const settled = settledUntil(now);
  return await inTransaction(db, async (trx) => {
    const key = `forestall.${ROLLED_UP_TO}:${organisationId}`;
    await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx);
    const from =
      (await readMoment(trx, organisationId, ROLLED_UP_TO)) ??
      (await findFirst(trx, organisationId)) ??
      settled;
    const until = new Date(Math.min(settled.getTime(), from.getTime() + STEP_MS));
    if (from > until) return false;
    if (from < until) await addUp(trx, { organisationId, from, until });
    const value = until.toISOString();
    await writeNamedValue(trx, { organisationId, name: ROLLED_UP_TO, value, at: now });
    return until < settled;
  });
}

/** The day of the first alert that ended. */
async function findFirst(trx: Trx, organisationId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ first: Date | null }>`
    select date_trunc('day', least(min(closed_at), min(missed_at)), 'UTC') as first
    from alert_case where organisation_id = ${organisationId}`.execute(trx);
  return rows[0]?.first ?? undefined;
}

/** Labels beyond the bound of their month are added to the others; those that are kept already stay. */
async function addUp(trx: Trx, stretch: Stretch): Promise<void> {
  const { organisationId } = stretch;
  await sql`
    with ended as materialized (${labelled(stretch)}),
    ranked as (
      select day, dimension, label, row_number() over (
        partition by day, dimension order by is_kept desc, count desc, label) as place
      from (
        select day, dimension, label, bool_or(is_kept) as is_kept, sum(count) as count from (
          select day, dimension, label, count, false as is_kept from ended
          union all
          select k.day, k.dimension, k.label, 0, true from outcome_day k
          where k.organisation_id = ${organisationId}
            and (k.day, k.dimension) in (select day, dimension from ended)
        ) as both_kinds group by 1, 2, 3
      ) as labels
    )
    insert into outcome_day (organisation_id, day, dimension, label, outcome, currency, count, amount_minor)
    select ${organisationId}, e.day, e.dimension,
      case when r.place <= ${LABELS_MAX} then e.label else ${OTHERS} end, e.outcome, e.currency,
      sum(e.count), sum(e.amount_minor)
    from ended e join ranked r using (day, dimension, label)
    group by 2, 3, 4, 5, 6
    on conflict (organisation_id, day, dimension, label, outcome, currency) do update
      set count = outcome_day.count + excluded.count,
        amount_minor = outcome_day.amount_minor + excluded.amount_minor`.execute(trx);
}
