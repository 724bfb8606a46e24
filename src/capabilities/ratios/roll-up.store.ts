/**
 * All SQL of the counts: judged, added up, and read for a scope. What was judged and not added up yet is in what
 * is read.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import type { Db } from '../../base/db/database.ts';
import { takenChanges } from '../../base/db/taken-changes.ts';
import type { Measure, Occurrence } from './roll-up.table.ts';
import type { Scope } from './scope.ts';

/** Counts of one period that are about the same. */
export interface PeriodCount {
  /** YYYY-MM-DD: the day, or the first of the month. */
  readonly period: string;
  readonly measure: Measure;
  readonly brand: string;
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

export interface CountsWanted {
  readonly organisationId: string;
  readonly scope: Scope;
  readonly grain: 'day' | 'month';
  /** The first period, YYYY-MM-DD. */
  readonly from: string;
}

export async function readCounts(
  db: Db,
  { organisationId, scope, grain, from }: CountsWanted,
): Promise<readonly PeriodCount[]> {
  const within = sql`organisation_id = ${organisationId} and measure not like 'order_known:%' and (${scopeFilter(scope)})`;
  const { rows } = await sql<PeriodCount>`
    select to_char(period, 'YYYY-MM-DD') as period, measure, brand, currency, count, "amountMinor" from (
      select period, measure, brand, currency, sum(count)::bigint as count, sum(amount_minor)::bigint as "amountMinor"
      from (
        select period, measure, brand, currency, count, amount_minor from roll_up
        where grain = ${grain} and period >= ${from}::date and ${within}
        union all
        select date_trunc(${grain}, day)::date, measure, brand, currency, count, amount_minor
        from roll_up_change where day >= ${from}::date and ${within}
      ) as counts
      group by period, measure, brand, currency
    ) as summed
    where count <> 0 order by summed.period, measure, brand, currency`.execute(db);
  return rows;
}

function scopeFilter({ kind, id, descriptors, enrolments }: Scope): RawBuilder<unknown> {
  if (kind === 'organisation') return sql`true`;
  const isOwnText =
    descriptors === 'all' ? sql`true` : sql`descriptor = any(${[...descriptors]}::text[])`;
  const isOwn = {
    merchant: sql`merchant_id = ${id} or (merchant_id = ''
      and (enrolment_id = any(${[...enrolments]}::text[]) or (enrolment_id = '' and ${isOwnText})))`,
    submerchant: sql`submerchant_id = ${id}`,
    descriptor: sql`descriptor = ${id}`,
    enrolment: sql`enrolment_id = ${id} or (enrolment_id = '' and ${isOwnText})`,
  }[kind];
  return sql`(measure = 'payment' and ${isOwnText}) or (measure <> 'payment' and (${isOwn}))`;
}

/** One notice, dispute or answer that counts. */
export interface CountedItem {
  readonly source: 'notice' | 'representment' | 'alert';
  readonly id: string;
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly measure: Measure;
  readonly currency: string;
  readonly amountMinor: number;
  readonly acquirerReference: string | null;
  readonly cardLast4: string | null;
  /** Of our books, where its acquirer reference leads to a payment. */
  readonly chargeReference: string | null;
  readonly orderReference: string | null;
}

export interface ItemsWanted {
  readonly organisationId: string;
  readonly scope: Scope;
  /** Days, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  readonly measures: readonly Measure[];
  /** Undefined: every brand. */
  readonly brands: readonly string[] | undefined;
  readonly limit: number;
  /** Of the last item of the page before. */
  readonly after?: readonly [day: string, source: string, id: string] | undefined;
}

/** What is behind a count, newest first. What counts in another month by its report is left out of this one. */
export async function readCountedItems(
  db: Db,
  { organisationId, scope, from, to, measures, brands, limit, after }: ItemsWanted,
): Promise<readonly CountedItem[]> {
  const ofBrand = brands === undefined ? sql`true` : sql`brand = any(${[...brands]}::text[])`;
  const { rows } = await sql<CountedItem>`
    with counted as materialized (
      select source, source_id, max(day) as day,
        max(replace(measure, '_moved', '')) as measure, max(currency) as currency, max(amount_minor) as amount_minor,
        max(group_key) as group_key
      from roll_up_event
      where organisation_id = ${organisationId} and measure = any(${[...measures]}::text[]) and ${ofBrand}
        and day between ${from}::date and ${to}::date and (${scopeFilter(scope)})
      group by source, source_id
      having sum(case part when 'moved_out' then -1 else 1 end) > 0
    ), page as (
      select * from counted
      where ${after === undefined ? sql`true` : sql`(day, source, source_id) < (${after[0]}::date, ${after[1]}, ${after[2]})`}
      order by day desc, source desc, source_id desc limit ${limit}
    )
    select page.source, page.source_id as id, to_char(page.day, 'YYYY-MM-DD') as day, page.measure, page.currency,
      page.amount_minor as "amountMinor",
      case when page.group_key = page.source || ':' || page.source_id then null else page.group_key end as "acquirerReference",
      coalesce(n.card_last4, a.card_last4, c.card_last4) as "cardLast4", c.reference as "chargeReference",
      c.order_reference as "orderReference"
    from page
    left join scheme_notice n on page.source = 'notice' and n.organisation_id = ${organisationId} and n.id = page.source_id
    left join alert a on page.source = 'alert' and a.organisation_id = ${organisationId} and a.id = page.source_id
    left join lateral (select reference, order_reference, card_last4 from charge
      where organisation_id = ${organisationId} and acquirer_reference_number = page.group_key
      order by reference limit 1) c on true
    order by page.day desc, page.source desc, page.source_id desc`.execute(db);
  return rows;
}

/** Which merchants, descriptors and enrolments there are since a month, the most counted first. */
export async function readOccurrences(
  db: Db,
  organisationId: string,
  from: string,
): Promise<readonly Occurrence[]> {
  const { rows } = await sql<Occurrence>`
    with counts as materialized (
      select measure = 'payment' as is_payment, merchant_id, submerchant_id, descriptor, enrolment_id, sum(count)::bigint as count
      from (
        select measure, merchant_id, submerchant_id, descriptor, enrolment_id, count from roll_up
        where organisation_id = ${organisationId} and grain = 'month' and period >= ${from}::date
          and measure not like 'order_known:%'
        union all
        select measure, merchant_id, submerchant_id, descriptor, enrolment_id, count from roll_up_change
        where organisation_id = ${organisationId} and day >= ${from}::date and measure not like 'order_known:%'
      ) as both_tables group by 1, 2, 3, 4, 5
    )
    select dimension, value, sum(count) filter (where is_payment)::bigint as payments,
      coalesce(sum(count) filter (where not is_payment), 0)::bigint as events
    from counts cross join lateral (values ('merchant_id', merchant_id), ('submerchant_id', submerchant_id),
      ('descriptor', descriptor), ('enrolment_id', enrolment_id)) as each_one (dimension, value)
    where value <> '' group by 1, 2 having sum(count) <> 0
    order by 1, sum(count) desc, 2`.execute(db);
  return rows.map((row) => ({ ...row, payments: row.payments ?? 0 }));
}

/** Changes judged, or added up, in one statement. */
export const COUNTS_BATCH = 10_000;

/**
 * Judges the payments that notices, disputes, answers and lookups changed since the last time. One process at a
 * time does.
 *
 * @returns how many changes it judged
 */
export async function judgeCounts(db: Db, organisationId: string): Promise<number> {
  const { rows } = await sql<{ judged: number }>`
    select judge_counts(${organisationId}, ${COUNTS_BATCH}) as judged`.execute(db);
  return rows[0]?.judged ?? 0;
}

/** Adds the changes up, in one statement. Returns how many. */
export async function addUpCounts(db: Db, organisationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ${takenChanges({ table: 'roll_up_change', organisationId, lock: 'counts', max: COUNTS_BATCH })}, kept as (
      insert into roll_up as r
      select organisation_id, grain, date_trunc(grain, day)::date, measure, brand, merchant_id, submerchant_id,
        descriptor, enrolment_id, currency, sum(count), sum(amount_minor)
      from moved cross join (values ('day'), ('month')) as grains (grain)
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
      on conflict (organisation_id, grain, period, measure, brand, merchant_id, submerchant_id, descriptor, enrolment_id, currency)
        do update set count = r.count + excluded.count, amount_minor = r.amount_minor + excluded.amount_minor
    )
    select count(*) as count from moved`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Alerts that wait for an answer, of one brand and reason. */
export interface OpenAlerts {
  readonly brand: string;
  readonly enrolmentType: string;
  readonly reasonCode: string;
  readonly count: number;
}

/** Counts them for a scope. */
export async function readOpenAlerts(
  db: Db,
  organisationId: string,
  { kind, id, enrolments }: Scope,
): Promise<readonly OpenAlerts[]> {
  const scope = {
    organisation: sql`true`,
    merchant: sql`(a.merchant_id = ${id} or (a.merchant_id is null and a.enrolment_id = any(${[...enrolments]}::text[])))`,
    descriptor: sql`descriptor_key(a.descriptor) = ${id}`,
    enrolment: sql`a.enrolment_id = ${id}`,
    // No alert says which submerchant it is about.
    submerchant: sql`false`,
  }[kind];
  // The index of what the service waits for is read once. "is true" keeps a planner without statistics from joining: it reads the other
  // side again for each.
  const { rows } = await sql<OpenAlerts>`
    with open as materialized (
      select alert_id from alert_case where organisation_id = ${organisationId} and is_open
        and alert_id not like ${CLAIM_IDS}
    )
    select coalesce(a.card_scheme, '') as brand, coalesce(a.enrolment_type, '') as "enrolmentType",
      coalesce(a.reason_code, '') as "reasonCode", count(*) as count
    from alert a where a.organisation_id = ${organisationId} and a.status = 'ACTION_REQUIRED' and ${scope}
      and (a.id in (select alert_id from open)) is true
    group by 1, 2, 3`.execute(db);
  return rows;
}
