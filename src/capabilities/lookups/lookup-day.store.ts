/**
 * Lookups counted by the day they were created on: days that are over are added up and kept, the rest is
 * counted from the rows.
 *
 * A lookup changes after its day, when a deflection is decided or taken back. So a kept day counts only
 * while none of its lookups has changed since it was added up; those that have are counted from the rows
 * until a worker adds their day up again, within a minute. The sum is right whether or not one runs.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readMoment, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { startOfUtcDay } from '../../base/kernel/instant.ts';
import { SETTLING_MS } from '../../base/kernel/limits.ts';

/** The fact that says when days were added up last. */
const ROLLED_UP_AT = 'lookups_rolled_up_at';

/** Lookups of one stretch of time that have the same type, answer, deflection and currency. */
export interface LookupCount {
  readonly at: Date;
  readonly type: string;
  readonly lookup_status: string | null;
  readonly deflection_status: string | null;
  readonly currency: string | null;
  readonly count: number;
  readonly amountMinor: number | null;
}

export interface LookupPeriod {
  readonly organisationId: string;
  /** Created at or after. */
  readonly from: Date;
  /** Created before. @default now */
  readonly to?: Date;
  /** Length of each stretch, in hours. */
  readonly stretchHours: number;
}

/** Counts the lookups of a period, per stretch. */
export async function countLookups(
  db: Db,
  { organisationId, from, to, stretchHours }: LookupPeriod,
): Promise<readonly LookupCount[]> {
  const isByDay = stretchHours % 24 === 0 && startOfUtcDay(from).getTime() === from.getTime();
  const rolledUpAt = isByDay ? await readMoment(db, organisationId, ROLLED_UP_AT) : undefined;
  const counts =
    rolledUpAt === undefined
      ? counted(sql`lookup where organisation_id = ${organisationId} and created_at >= ${from}`)
      : keptAndRest({ organisationId, from, rolledUpAt });
  const { rows } = await sql<LookupCount>`
    select date_bin(make_interval(hours => ${stretchHours}::int), day, ${from}::timestamptz) as at, type,
      nullif(lookup_status, '') as lookup_status, nullif(deflection_status, '') as deflection_status,
      nullif(currency, '') as currency, sum(count)::bigint as count,
      case when currency <> '' then sum(amount_minor)::bigint end as "amountMinor"
    from (${counts}) as counts where day < ${to ?? 'infinity'}::timestamptz
    group by 1, 2, 3, 4, counts.currency order by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** Counts of the rows that `source` names, by the hour. */
function counted(source: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select date_trunc('hour', created_at, 'UTC') as day, coalesce(type, 'unknown') as type,
      coalesce(lookup_status, '') as lookup_status, coalesce(deflection_status, '') as deflection_status,
      case when amount_minor is null then '' else coalesce(currency, '') end as currency,
      count(*) as count, coalesce(sum(amount_minor), 0)::bigint as amount_minor
    from ${source}
    group by 1, 2, 3, 4, 5`;
}

/** Kept days that still hold, then the lookups of the others, then those since. */
function keptAndRest({
  organisationId,
  from,
  rolledUpAt,
}: {
  readonly organisationId: string;
  readonly from: Date;
  readonly rolledUpAt: Date;
}): RawBuilder<unknown> {
  const until = startOfUtcDay(rolledUpAt);
  const changed = changedDays({ organisationId, since: rolledUpAt, from, until });
  return sql`
    select day, type, lookup_status, deflection_status, currency, count, amount_minor from lookup_day
    where organisation_id = ${organisationId} and day >= ${from} and day < ${until}
      and day not in (${changed})
    union all
    ${countedOn(changed, organisationId)}
    union all
    ${counted(sql`lookup where organisation_id = ${organisationId}
      and created_at >= ${from > until ? from : until}`)}`;
}

/** Counts of each of some days. Day by day: a join of days with rows would read every row. */
function countedOn(days: RawBuilder<unknown>, organisationId: string): RawBuilder<unknown> {
  return sql`
    select days.day, type, lookup_status, deflection_status, currency, sum(count), sum(amount_minor)::bigint
    from (${days}) as days (day) cross join lateral (
      ${counted(sql`lookup where organisation_id = ${organisationId}
        and created_at >= days.day and created_at < days.day + interval '24 hours'`)}
    ) as counted
    group by 1, 2, 3, 4, 5`;
}

/**
 * Days before `until` of which a lookup may have changed since they were added up. A change counts from
 * a while before, because its transaction may have ended only afterwards.
 */
function changedDays({
  organisationId,
  since,
  from,
  until,
}: {
  readonly organisationId: string;
  readonly since: Date;
  readonly from: Date | null;
  readonly until: Date;
}): RawBuilder<unknown> {
  const changedSince = new Date(since.getTime() - SETTLING_MS);
  // What has changed is little: it is read first. A plan for any period would read all lookups of the period.
  return sql`
    select distinct date_trunc('day', created_at, 'UTC') as day from (
      select created_at from lookup where organisation_id = ${organisationId} and changed_at > ${changedSince} offset 0
    ) as changed
    where created_at >= ${from ?? '-infinity'}::timestamptz and created_at < ${until}`;
}

/** Adds up the days that ended, or changed, since the last time. One process at a time does. */
export async function rollUpLookups(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const key = `forestall.${ROLLED_UP_AT}:${organisationId}`;
    await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx);
    const before = await readMoment(trx, organisationId, ROLLED_UP_AT);
    if (before !== undefined && before >= now) return;
    await addUpDays(trx, { organisationId, before, until: startOfUtcDay(now) });
    const value = now.toISOString();
    await writeNamedValue(trx, { organisationId, name: ROLLED_UP_AT, value, at: now });
  });
}

async function addUpDays(
  trx: Trx,
  {
    organisationId,
    before,
    until,
  }: { readonly organisationId: string; readonly before: Date | undefined; readonly until: Date },
): Promise<void> {
  const days =
    before === undefined
      ? sql`select distinct date_trunc('day', created_at, 'UTC') as day from lookup
          where organisation_id = ${organisationId} and created_at < ${until}`
      : sql`${changedDays({ organisationId, since: before, from: null, until })}
          union select day from generate_series(${startOfUtcDay(before)}::timestamptz,
            ${until}::timestamptz - interval '1 day', interval '24 hours') as day`;
  const { rows } = await sql<{ day: Date }>`${days}`.execute(trx);
  const list = rows.map(({ day }) => day.toISOString());
  if (list.length === 0) return;
  await sql`
    delete from lookup_day
    where organisation_id = ${organisationId} and day = any(${list}::timestamptz[])`.execute(trx);
  await sql`
    insert into lookup_day (organisation_id, day, type, lookup_status, deflection_status, currency, count, amount_minor)
    select ${organisationId}, counts.*
    from (${countedOn(sql`select unnest(${list}::timestamptz[])`, organisationId)}) as counts`.execute(
    trx,
  );
}
