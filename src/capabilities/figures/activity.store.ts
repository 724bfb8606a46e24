/**
 * What happened when: alerts received, answered and missed, money refunded, per stretch of time. Claims for a
 * refund are no alerts; their money is counted, and that one was missed.
 *
 * Hours that are over are added up once and kept, and so are days; the rest is counted from the rows. The
 * sum is the truth at any time, whether or not anybody has added up, so a chart of 90 days costs the same
 * among a thousand alerts and among a million.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import { ENDED_AS } from '../../alerts/cases/ended-as.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readMoment, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { startOfUtcDay } from '../../base/kernel/instant.ts';
import { SETTLING_MS } from '../../base/kernel/limits.ts';
import type { ActivityMeasure } from './figures.table.ts';

/** The fact that says up to which hour everything is added up. */
const ROLLED_UP_TO = 'activity_rolled_up_to';

const HOUR_MS = 60 * 60_000;

export interface ActivityFigure {
  /** The stretch's beginning. */
  readonly at: Date;
  readonly measure: ActivityMeasure;
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

export interface ActivityQuery {
  readonly organisationId: string;
  readonly from: Date;
  /** @default now */
  readonly until?: Date;
  /** Length of each stretch, in hours. */
  readonly stretchHours: number;
}

/** Reads the figures since `from`, which should be the beginning of an hour. */
export async function readActivity(
  db: Db,
  { organisationId, from, until, stretchHours }: ActivityQuery,
): Promise<ActivityFigure[]> {
  const rolledUpTo = (await readMoment(db, organisationId, ROLLED_UP_TO)) ?? null;
  const since = rolledUpTo !== null && rolledUpTo > from ? rolledUpTo : from;
  const isByDay = stretchHours % 24 === 0 && startOfUtcDay(from).getTime() === from.getTime();
  const byHourFrom = isByDay ? startOfUtcDay(since) : from;
  const { rows } = await sql<ActivityFigure>`
    select date_bin(make_interval(hours => ${stretchHours}::int), hour, ${from}::timestamptz) as at,
      measure, currency, sum(count)::bigint as count, sum(amount_minor)::bigint as "amountMinor"
    from (
      select day as hour, measure, currency, count, amount_minor from activity_day
      where organisation_id = ${organisationId} and day >= ${from} and day < ${byHourFrom}
      union all
      select hour, measure, currency, count, amount_minor from activity_hour
      where organisation_id = ${organisationId} and hour >= ${byHourFrom} and hour < ${since}
      union all
      ${counted({ organisationId, from: since, until: null })}
    ) as figures
    where hour < ${until ?? 'infinity'}::timestamptz
    group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows;
}

/** Our refunds that failed after they had been confirmed, ever. */
export async function countReversed(db: Db, organisationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from movement
    where organisation_id = ${organisationId} and idempotency_key is not null and state = 'REVERSED'`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

interface Stretch {
  readonly organisationId: string;
  readonly from: Date | null;
  readonly until: Date | null;
}

/** The figures per hour, counted from the rows. */
function counted(stretch: Stretch): RawBuilder<unknown> {
  const { organisationId } = stretch;
  return sql`
    select date_trunc('hour', opened_at, 'UTC') as hour, 'received' as measure, '' as currency,
      count(*) as count, 0::bigint as amount_minor
    from alert_case where organisation_id = ${organisationId} and ${within('opened_at', stretch)}
      and alert_id not like ${CLAIM_IDS}
    group by 1
    union all
    select date_trunc('hour', closed_at, 'UTC'), 'closed:' || ${ENDED_AS}, '', count(*), 0
    from alert_case c where organisation_id = ${organisationId} and ${within('closed_at', stretch)}
      and alert_id not like ${CLAIM_IDS}
    group by 1, 2
    union all
    select date_trunc('hour', missed_at, 'UTC'), 'missed', '', count(*), 0
    from alert_case where organisation_id = ${organisationId} and ${within('missed_at', stretch)}
    group by 1
    union all
    select date_trunc('hour', confirmed_at, 'UTC'), 'refund', currency, count(*), sum(amount_minor)::bigint
    from movement where organisation_id = ${organisationId} and idempotency_key is not null and amount_minor > 0
      and ${within('confirmed_at', stretch)}
    group by 1, 3`;
}

function within(column: string, { from, until }: Stretch): RawBuilder<unknown> {
  const at = sql.ref(column);
  return sql`(${at} >= ${from ?? '-infinity'}::timestamptz and ${at} < ${until ?? 'infinity'}::timestamptz)`;
}

/** Which hours may be added up at this moment: those that ended {@link SETTLING_MS} ago and earlier. */
export function settledUntil(now: Date): Date {
  return new Date(Math.floor((now.getTime() - SETTLING_MS) / HOUR_MS) * HOUR_MS);
}

/** Adds up the hours that are over and were not yet. One process at a time does; returns whether it was us. */
export async function rollUpActivity(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<boolean> {
  const until = settledUntil(now);
  return await inTransaction(db, async (trx) => {
    const key = `forestall.${ROLLED_UP_TO}:${organisationId}`;
    await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx);
    const from = (await readMoment(trx, organisationId, ROLLED_UP_TO)) ?? null;
    if (from !== null && from >= until) return false;
    await sql`
      insert into activity_hour (organisation_id, hour, measure, currency, count, amount_minor)
      select ${organisationId}, hour, measure, currency, count, amount_minor
      from (${counted({ organisationId, from, until })}) as figures
      on conflict do nothing`.execute(trx);
    await addUpDays(trx, { organisationId, from, until });
    const value = until.toISOString();
    await writeNamedValue(trx, { organisationId, name: ROLLED_UP_TO, value, at: now });
    return true;
  });
}

/** The days that are over by now and were not yet: all of their hours are kept. */
async function addUpDays(
  trx: Trx,
  { organisationId, from, until }: Stretch & { readonly until: Date },
): Promise<void> {
  await sql`
    insert into activity_day (organisation_id, day, measure, currency, count, amount_minor)
    select organisation_id, date_trunc('day', hour, 'UTC'), measure, currency, sum(count), sum(amount_minor)
    from activity_hour
    where organisation_id = ${organisationId} and hour < ${startOfUtcDay(until)}
      and hour >= ${from === null ? '-infinity' : startOfUtcDay(from)}::timestamptz
    group by 1, 2, 3, 4
    on conflict do nothing`.execute(trx);
}
