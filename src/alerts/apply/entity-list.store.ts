/** Lists of what the service sent us beside alerts: enrolments, representments, scheme notices. */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { directed, momentKey, moneyKey } from '../../base/db/sort-keys.ts';
import type { EnrolmentTable, RepresentmentTable, SchemeNoticeTable } from './entity.table.ts';

export type EnrolmentRow = Selectable<EnrolmentTable>;
export type RepresentmentRow = Selectable<RepresentmentTable>;
export type SchemeNoticeRow = Selectable<SchemeNoticeTable>;

/** Enrolments of an organisation that are shown; it has a few per merchant. */
const ENROLMENTS_MAX = 500;

/** Enrolments, newest first. */
export async function listEnrolments(db: Db, organisationId: string): Promise<EnrolmentRow[]> {
  return await db
    .selectFrom('enrolment')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(ENROLMENTS_MAX)
    .execute();
}

/** Representments by the moment their evidence is due; those without one last. */
export async function listRepresentments(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<RepresentmentRow[]> {
  return await db
    .selectFrom('representment')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy(sql`dispute_status = 'OPEN' desc`)
    .orderBy('dispute_due_by')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Which representments: those that are open, those that ended so, or all. */
export const REPRESENTMENT_STATES = ['open', 'won', 'lost', 'over', 'all'] as const;
export type RepresentmentState = (typeof REPRESENTMENT_STATES)[number];

/** With a minus from the latest, largest or last to the first. */
export const REPRESENTMENT_SORTS = [
  ...(['due', '-due', 'amount', '-amount'] as const),
  ...(['changed', '-changed', 'status', '-status'] as const),
] as const;
export type RepresentmentSort = (typeof REPRESENTMENT_SORTS)[number];

/**
 * Statuses after which nothing can be handed in. The specification shows `OPEN` and `LOST` and names no others,
 * so every other word counts as open: an alarm too many is better than one too few.
 */
export const CLOSED_STATUSES = ['LOST', 'WON', 'ACCEPTED', 'CLOSED'] as const;

function inState(state: RepresentmentState): RawBuilder<unknown> {
  const isOver = sql`coalesce(r.dispute_status, '') = any(${[...CLOSED_STATUSES]}::text[])`;
  switch (state) {
    case 'open':
      return sql`not ${isOver}`;
    case 'over':
      return isOver;
    case 'all':
      return sql`true`;
    default:
      return sql`r.dispute_status = ${state.toUpperCase()}`;
  }
}

function keyOf(sort: RepresentmentSort): RawBuilder<string> {
  switch (sort.replace('-', '')) {
    case 'amount':
      return moneyKey('r');
    case 'changed':
      return momentKey('r.changed_at');
    case 'status':
      return sql`coalesce(r.dispute_status, '') collate "C"`;
    default:
      return momentKey('r.dispute_due_by');
  }
}

export interface RepresentmentQuery {
  readonly organisationId: string;
  readonly state: RepresentmentState;
  readonly sort: RepresentmentSort;
  readonly limit: number;
  /** The key and id of the last row of the page before. */
  readonly after?: readonly [key: string, id: string] | undefined;
}

/** A representment in the list, and what our books know of its charge. */
export type RepresentmentItem = RepresentmentRow & {
  readonly key: string;
  readonly orderReference: string | null;
  readonly cardLast4: string | null;
};

/** Representments of a state in an order. A merchant contests few of its alerts, so that they are sorted as they are. */
export async function findRepresentments(
  db: Db,
  { organisationId, state, sort, limit, after }: RepresentmentQuery,
): Promise<RepresentmentItem[]> {
  const key = keyOf(sort);
  const { direction, sign } = directed(sort);
  const { rows } = await sql<RepresentmentItem>`
    with page as (
      select r.id, ${key} as key from representment r
      where r.organisation_id = ${organisationId} and ${inState(state)}
        ${after === undefined ? sql`` : sql`and (${key}, r.id) ${sign} (${after[0]}::text, ${after[1]}::text)`}
      order by 2 ${direction}, 1 ${direction} limit ${limit})
    select r.*, page.key, c.order_reference as "orderReference", c.card_last4 as "cardLast4"
    from page
    cross join lateral (select * from representment
      where organisation_id = ${organisationId} and id = page.id limit 1) r
    left join lateral (select * from charge
      where organisation_id = ${organisationId} and reference = r.transaction_reference_id limit 1) c on true
    order by page.key ${direction}, r.id ${direction}`.execute(db);
  return rows;
}

export interface RepresentmentSum {
  readonly state: 'open' | 'won' | 'lost' | 'other';
  readonly currency: string | null;
  readonly count: number;
  readonly amountMinor: number;
}

/** How many there are of each end, and how much that is. */
export async function sumRepresentments(
  db: Db,
  organisationId: string,
): Promise<readonly RepresentmentSum[]> {
  const { rows } = await sql<RepresentmentSum>`
    select case when r.dispute_status in ('WON', 'LOST') then lower(r.dispute_status)
        when ${inState('open')} then 'open' else 'other' end as state,
      r.currency, count(*)::int as count, coalesce(sum(r.amount_minor), 0)::bigint as "amountMinor"
    from representment r where r.organisation_id = ${organisationId} group by 1, 2 order by 1, 2`.execute(
    db,
  );
  return rows;
}

/** Scheme notices, newest first. */
export async function listSchemeNotices(
  db: Db,
  organisationId: string,
  of: { readonly limit: number; readonly offset: number },
): Promise<SchemeNoticeRow[]> {
  return await db
    .selectFrom('scheme_notice')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy(sql`coalesce(fraud_reported_at, created_at) desc`)
    .orderBy('id')
    .limit(of.limit)
    .offset(of.offset)
    .execute();
}
