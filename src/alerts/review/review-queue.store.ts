/**
 * The review queue: held cases by the time left to decide, with who looks at them and what happens when they do
 * not. That time ends where Forestall acts by itself, hours before the deadline where a fallback is set.
 * Walked by place in an index, so that a page costs the same among a million alerts. In another order than that of
 * time only the nearest cases are sorted.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { waitsForPeople } from '../cases/waits-for-people.store.ts';
import type { ReviewSort } from './review-order.store.ts';
import { ACTS_AT, nearest, orderOf } from './review-order.store.ts';

/** One review. */
export interface Review {
  readonly alertId: string;
  readonly deadlineAt: Date;
  /** When Forestall acts by itself, or the deadline where it does not. */
  readonly actsAt: Date;
  readonly openedAt: Date;
  /** Its place in the order of the query, for the next page: exact, to the microsecond. */
  readonly place: string;
  readonly holdReason: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly cardLast4: string | null;
  readonly reasonCode: string | null;
  readonly chargeReference: string | null;
  /** Of the charge; while none is chosen, of the likeliest candidate. */
  readonly orderReference: string | null;
  readonly fallbackAction: 'REFUND' | 'ACCEPT_DISPUTE' | null;
  readonly fallbackAt: Date | null;
  readonly claimedBy: string | null;
  readonly claimedUntil: Date | null;
  readonly comments: number;
}

/** Which reviews. */
export interface ReviewQuery {
  readonly organisationId: string;
  readonly now: Date;
  readonly limit: number;
  /** Begin after this one. */
  readonly after?: { readonly place: string; readonly alertId: string } | undefined;
  readonly sort?: ReviewSort | undefined;
  /** Only this alert. */
  readonly alertId?: string | undefined;
  /** Only these alerts. */
  readonly alertIds?: readonly string[] | undefined;
  readonly filter?: ReviewFilter | undefined;
}

/** Every part given must hold. */
export interface ReviewFilter {
  /** Held by this person; null: not held. */
  readonly claimedBy?: string | null | undefined;
  /** Forestall acts before this moment. */
  readonly actsBefore?: Date | undefined;
  readonly holdReason?: string | undefined;
  readonly reasonCode?: string | undefined;
}

const ORDER_OF_CHARGE = sql<string | null>`case when c.charge_reference is null
  then (select m.candidates -> 0 ->> 'orderReference' from match m
    where m.organisation_id = c.organisation_id and m.id = c.match_id)
  else (select h.order_reference from charge h
    where h.organisation_id = c.organisation_id and h.reference = c.charge_reference) end`;

/** Reads a page of the queue, least time left first or as asked for. */
export async function listReviews(db: Db, query: ReviewQuery): Promise<Review[]> {
  const { organisationId, now, limit, after, alertId, sort = 'acts' } = query;
  const { key, text, type, direction } = orderOf(sort);
  const waiting = db
    .selectFrom('alert_case as c')
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .leftJoin('review_claim as r', (join) =>
      join
        .onRef('r.organisation_id', '=', 'c.organisation_id')
        .onRef('r.alert_id', '=', 'c.alert_id')
        .on('r.claimed_until', '>', now),
    )
    .where('c.organisation_id', '=', organisationId)
    .where(waitsForPeople(organisationId))
    .orderBy(key, direction)
    .orderBy('c.alert_id', direction)
    .limit(limit);
  const conditions = [
    ...(alertId === undefined ? [] : [sql<boolean>`c.alert_id = ${alertId}`]),
    ...(query.alertIds === undefined
      ? []
      : [sql<boolean>`c.alert_id = any(${[...query.alertIds]}::text[])`]),
    ...(after === undefined
      ? []
      : [
          sql<boolean>`(${key}, c.alert_id) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after.place}::${type}, ${after.alertId})`,
        ]),
    ...conditionsOf(query.filter),
  ];
  const rows = sort.endsWith('acts')
    ? waiting.where((where) => where.and(conditions))
    : // Sorted are ids alone: what an order does not ask of alerts and claims is read of the page's rows only.
      waiting.where('c.alert_id', 'in', sortedNearest({ ...query, sort }, conditions));
  return await rows
    .select([
      'c.alert_id as alertId',
      'c.deadline_at as deadlineAt',
      'c.hold_reason as holdReason',
      'a.amount_minor as amountMinor',
      'a.currency',
      'a.card_last4 as cardLast4',
      'a.reason_code as reasonCode',
      'c.charge_reference as chargeReference',
      ORDER_OF_CHARGE.as('orderReference'),
      'c.fallback_action as fallbackAction',
      'c.fallback_at as fallbackAt',
      'r.operator as claimedBy',
      'r.claimed_until as claimedUntil',
      ACTS_AT.as('actsAt'),
      'c.opened_at as openedAt',
      text.as('place'),
      sql<number>`(select count(*) from review_comment k
        where k.organisation_id = c.organisation_id and k.alert_id = c.alert_id)`.as('comments'),
    ])
    .execute();
}

/** The page's alerts, of the nearest cases only: the queue is walked once, then sorted. */
function sortedNearest(
  { organisationId, now, limit, sort }: ReviewQuery & { readonly sort: ReviewSort },
  conditions: readonly RawBuilder<boolean>[],
): RawBuilder<string> {
  const { key, direction } = orderOf(sort);
  const order = sql.raw(direction);
  return sql`(select c.alert_id from ${nearest(organisationId, REVIEWS_COUNTED_MAX)} as c
    left join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    ${withClaims(now)}
    where ${sql.join([sql`true`, ...conditions], sql` and `)}
    order by ${key} ${order}, c.alert_id ${order} limit ${limit})`;
}

/** Who has claimed each case (`c`), where somebody has. */
function withClaims(now: Date): RawBuilder<unknown> {
  return sql`left join review_claim r on r.organisation_id = c.organisation_id and r.alert_id = c.alert_id
    and r.claimed_until > ${now}`;
}

function conditionsOf(filter: ReviewFilter = {}): RawBuilder<boolean>[] {
  const { claimedBy, actsBefore, holdReason, reasonCode } = filter;
  return [
    ...(claimedBy === undefined
      ? []
      : [sql<boolean>`r.operator is not distinct from ${claimedBy}`]),
    ...(actsBefore === undefined ? [] : [sql<boolean>`${ACTS_AT} < ${actsBefore}`]),
    ...(holdReason === undefined ? [] : [sql<boolean>`c.hold_reason = ${holdReason}`]),
    ...(reasonCode === undefined ? [] : [sql<boolean>`a.reason_code = ${reasonCode}`]),
  ];
}

/** Reviews counted, and sorted in another order, at most: beyond that the number says "more". */
export const REVIEWS_COUNTED_MAX = 2_000;

/** How many wait, and for what: what the filters offer. */
export interface ReviewCounts {
  readonly all: number;
  readonly mine: number;
  readonly unclaimed: number;
  readonly dueSoon: number;
  /** By reason, the commonest first. */
  readonly held: readonly (readonly [reason: string, count: number])[];
}

/** Counts the queue, its nearest {@link REVIEWS_COUNTED_MAX}. */
export async function countReviews(
  db: Db,
  {
    organisationId,
    operator,
    now,
    actsBefore,
  }: {
    readonly organisationId: string;
    readonly operator: string;
    readonly now: Date;
    readonly actsBefore: Date;
  },
): Promise<ReviewCounts> {
  const { rows } = await sql<CountRow>`
    select c.hold_reason as reason, count(*)::int as all,
      (count(*) filter (where r.operator = ${operator}))::int as mine,
      (count(*) filter (where r.operator is null))::int as unclaimed,
      (count(*) filter (where ${ACTS_AT} < ${actsBefore}))::int as "dueSoon"
    from ${nearest(organisationId, REVIEWS_COUNTED_MAX)} as c
    ${withClaims(now)}
    group by 1 order by 2 desc, 1`.execute(db);
  const sum = (field: 'all' | 'mine' | 'unclaimed' | 'dueSoon'): number =>
    rows.reduce((total, row) => total + row[field], 0);
  return {
    all: sum('all'),
    mine: sum('mine'),
    unclaimed: sum('unclaimed'),
    dueSoon: sum('dueSoon'),
    held: rows.flatMap(({ reason, all }) => (reason === null ? [] : [[reason, all] as const])),
  };
}

interface CountRow {
  readonly reason: string | null;
  readonly all: number;
  readonly mine: number;
  readonly unclaimed: number;
  readonly dueSoon: number;
}

/** What somebody wrote about an alert. */
export interface ReviewComment {
  readonly operator: string;
  readonly text: string;
  readonly at: Date;
}

/** Keeps what somebody wrote about an alert. Returns its number. */
export async function insertComment(
  trx: Trx,
  about: { readonly organisationId: string; readonly alertId: string; readonly now: Date },
  { operator, text }: Pick<ReviewComment, 'operator' | 'text'>,
): Promise<number> {
  const { id } = await trx
    .insertInto('review_comment')
    .values({
      organisation_id: about.organisationId,
      alert_id: about.alertId,
      operator,
      text,
      at: about.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Comments shown of one alert, the first ones: a person reads no more. */
const COMMENTS_MAX = 200;

/** What people wrote about an alert, oldest first. */
export async function listComments(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<ReviewComment[]> {
  return await db
    .selectFrom('review_comment')
    .select(['operator', 'text', 'at'])
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id')
    .limit(COMMENTS_MAX)
    .execute();
}
