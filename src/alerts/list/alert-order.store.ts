/**
 * The alerts page in an order of its own: by receipt, amount, card, outcome, or who decided.
 *
 * Receipt and amount are walked along an index, so that they hold over all alerts, where most alerts are in the list. Every
 * other order, and a list of few, is that of the first {@link SORTED_MAX} alerts of the list by time; the page says so.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { directed, moneyKey } from '../../base/db/sort-keys.ts';
import type { Money } from '../../base/kernel/money.ts';
import { CASE_STATES } from '../cases/case-state.ts';
import type { AlertListItem, AlertListQuery } from './alert-list.store.ts';
import {
  alertConditions,
  asksAlert,
  asksCase,
  caseConditions,
  listAlertPage,
  scanned,
} from './alert-list.store.ts';

/** The words that are in an address; with a minus from the largest, latest or last to the first. */
export const ALERT_SORTS = [
  ...['deadline', '-deadline', 'received', '-received', 'amount', '-amount'],
  ...['card', '-card', 'outcome', '-outcome', 'who', '-who'],
] as const satisfies readonly string[];
export type AlertSort =
  `${'' | '-'}${'deadline' | 'received' | 'amount' | 'card' | 'outcome' | 'who'}`;

/** Alerts that are sorted where no index has the order. */
export const SORTED_MAX = 1_000;

/** Alerts of other states that are passed over for a page, at most: those still open are the newest, often thousands. */
const PASSED_MAX = 20_000;

/** After which row a page begins: its key in the order, as exact text, and its id. */
export interface OrderedPlace {
  readonly key: string;
  readonly alertId: string;
}

export interface OrderedQuery extends Omit<AlertListQuery, 'after' | 'order'> {
  readonly sort: Exclude<AlertSort, 'deadline' | '-deadline'>;
  /** By which time the list is cut where it is sorted afterwards. */
  readonly order: AlertListQuery['order'];
  readonly after?: OrderedPlace | undefined;
  /** The list holds most alerts: an index can be walked. */
  readonly isWide: boolean;
  /** Alerts of other states that are passed over, at most. @default PASSED_MAX */
  readonly passedMax?: number | undefined;
}

export interface OrderedPage {
  readonly items: readonly AlertListItem[];
  /** Null at the end. With a filter the page may be short and still continue. */
  readonly next: OrderedPlace | null;
  /** Only the first {@link SORTED_MAX} alerts of the list were sorted, and there are more. */
  readonly isCut: boolean;
}

interface Order {
  /** Whose column it is: of the case `k`, or of the alert `a`. */
  readonly owner: 'case' | 'alert';
  readonly key: RawBuilder<unknown>;
  /** The key as text that {@link Order.type} reads back. */
  readonly text: RawBuilder<string>;
  readonly type: RawBuilder<unknown>;
}

const MICROSECONDS = sql`'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** Who took the latest decision: `operator:Noor`, `policy`. */
const DECIDER = sql<string | null>`(select d.decided_by from decision d
  where d.organisation_id = k.organisation_id and d.id = k.decision_id)`;

function textOrder(owner: Order['owner'], key: RawBuilder<string>): Order {
  return { owner, key, text: key, type: sql`text` };
}

function orderOf(sort: OrderedQuery['sort']): Order {
  switch (sort.replace('-', '')) {
    case 'received':
      return {
        owner: 'case',
        key: sql`k.opened_at`,
        text: sql`to_char(k.opened_at at time zone 'UTC', ${MICROSECONDS})`,
        type: sql`timestamptz`,
      };
    case 'card':
      return textOrder('alert', sql<string>`coalesce(a.card_last4, '') collate "C"`);
    case 'outcome':
      return textOrder('case', sql<string>`k.state collate "C"`);
    case 'who':
      return textOrder('case', sql<string>`coalesce(${DECIDER}, '') collate "C"`);
    default:
      return textOrder('alert', moneyKey('a'));
  }
}

interface Place {
  readonly alertId: string;
  readonly key: string;
}

/** Lists a page in the order. */
export async function listOrderedAlerts(db: Db, query: OrderedQuery): Promise<OrderedPage> {
  const canWalk = query.isWide && query.ids === undefined && /received|amount/.test(query.sort);
  const { places, next, isCut } = await (canWalk ? walk(db, query) : sortWindow(db, query));
  const ids = places.map(({ alertId }) => alertId);
  const { items } = await listAlertPage(db, {
    organisationId: query.organisationId,
    states: query.states,
    order: query.order,
    limit: Math.max(ids.length, 1),
    ids,
  });
  const byId = new Map(items.map((item) => [item.alertId, item]));
  // What changed its state a moment ago is left out, as from any list.
  const sorted = ids.flatMap((id) => byId.get(id) ?? []);
  return { items: sorted, next, isCut };
}

interface Found {
  readonly places: readonly Place[];
  readonly next: OrderedPlace | null;
  readonly isCut: boolean;
}

/** The case and the alert of each row of `c`, as far as they are asked for: a thousand looks at a row take milliseconds. */
function joined(
  organisationId: string,
  asks: { readonly ofCase: boolean; readonly ofAlert: boolean },
): RawBuilder<unknown> {
  const ofCase = sql`cross join lateral (select * from alert_case
      where organisation_id = ${organisationId} and alert_id = c.alert_id limit 1) as k`;
  const ofAlert = sql`left join lateral (select * from alert
      where organisation_id = ${organisationId} and id = c.alert_id limit 1) as a on true`;
  return sql`${asks.ofCase ? ofCase : sql``} ${asks.ofAlert ? ofAlert : sql``}`;
}

/** The first of the list by time, in another order. */
async function sortWindow(db: Db, query: OrderedQuery): Promise<Found> {
  const { organisationId, limit, filter = {}, after, sort } = query;
  const { owner, key, text, type } = orderOf(sort);
  const { direction, sign } = directed(sort);
  const joins = joined(organisationId, {
    ofCase: owner === 'case' || asksCase(filter),
    ofAlert: owner === 'alert' || asksAlert(filter),
  });
  const looked = await sql<Place & { readonly looked: number }>`
    with c as materialized (${scanned({ ...query, after: undefined }, SORTED_MAX)})
    select c.alert_id as "alertId", ${text} as key, (select count(*)::int from c) as looked
    from c ${joins}
    where true ${alertConditions(filter)} ${caseConditions(filter)}
      ${after === undefined ? sql`` : sql`and (${key}, c.alert_id) ${sign} (${after.key}::${type}, ${after.alertId})`}
    order by ${key} ${direction}, c.alert_id ${direction}
    limit ${limit + 1}`.execute(db);
  const places = looked.rows.slice(0, limit);
  const last = looked.rows.length > limit ? places.at(-1) : undefined;
  return { places, next: last ?? null, isCut: (looked.rows[0]?.looked ?? 0) === SORTED_MAX };
}

/** Along the index of the order, over all alerts: as many as fill the page, or `scanMax`. */
async function walk(db: Db, query: OrderedQuery): Promise<Found> {
  const { organisationId, limit, filter = {}, states } = query;
  const { key, text } = orderOf(query.sort);
  const { direction } = directed(query.sort);
  const isByReceipt = query.sort.endsWith('received');
  // What is walked by receipt is of the list's states; by amount, of any.
  const isWhole =
    query.filter === undefined && (isByReceipt || states.length === CASE_STATES.length);
  const scanMax = isWhole ? limit + 1 : (query.scanMax ?? SORTED_MAX);
  const walked = isByReceipt ? walkedByReceipt(query, scanMax) : walkedByAmount(query, scanMax);
  const { rows } = await sql<Place & { readonly looked: number; readonly isListed: boolean }>`
    with c as materialized (${walked})
    select k.alert_id as "alertId", ${text} as key, (select count(*)::int from c) as looked,
      (k.state = any(${states}::text[]) ${alertConditions(filter)} ${caseConditions(filter)}) as "isListed"
    from c ${joined(organisationId, { ofCase: true, ofAlert: true })}
    order by ${key} ${direction}, k.alert_id ${direction}`.execute(db);
  const listed = rows.filter(({ isListed }) => isListed);
  const places = listed.slice(0, limit);
  const last = listed.length > limit ? places.at(-1) : undefined;
  if (last !== undefined) return { places, next: last, isCut: false };
  // The page is short because only so many were looked at: it continues after the last one of those.
  if ((rows[0]?.looked ?? 0) >= scanMax) return { places, next: rows.at(-1) ?? null, isCut: false };
  return { places, next: isByReceipt ? await lastPassed(db, query) : null, isCut: false };
}

/** The page's alerts of these states, past at most `passedMax` of any. */
function walkedByReceipt(query: OrderedQuery, scan: number): RawBuilder<unknown> {
  const { direction } = directed(query.sort);
  return sql`select alert_id from (${passed(query)} limit ${query.passedMax ?? PASSED_MAX}) as passed
    where state = any(${query.states}::text[])
    order by opened_at ${direction}, alert_id ${direction} limit ${scan}`;
}

function passed({ organisationId, after, sort }: OrderedQuery): RawBuilder<unknown> {
  const { direction, sign } = directed(sort);
  const place =
    after === undefined
      ? sql``
      : sql`and (opened_at, alert_id) ${sign} (${after.key}::timestamptz, ${after.alertId})`;
  return sql`select alert_id, state, opened_at from alert_case where organisation_id = ${organisationId} ${place}
    order by opened_at ${direction}, alert_id ${direction}`;
}

/** The last of those that were passed over; null where all there are were looked at. */
async function lastPassed(db: Db, query: OrderedQuery): Promise<OrderedPlace | null> {
  const { text } = orderOf(query.sort);
  const { rows } = await sql<OrderedPlace>`
    select k.alert_id as "alertId", ${text} as key
    from (${passed(query)} offset ${(query.passedMax ?? PASSED_MAX) - 1} limit 1) as k`.execute(db);
  return rows[0] ?? null;
}

function walkedByAmount(
  { organisationId, after, sort }: OrderedQuery,
  scan: number,
): RawBuilder<unknown> {
  const { direction, sign } = directed(sort);
  const [currency = '', amount = '0'] = after?.key.split(' ') ?? [];
  const place =
    after === undefined
      ? sql``
      : sql`and (coalesce(currency, ''), coalesce(amount_minor, 0), id) ${sign} (${currency}, ${amount}::bigint, ${after.alertId})`;
  return sql`select id as alert_id from alert where organisation_id = ${organisationId} ${place}
    order by coalesce(currency, '') ${direction}, coalesce(amount_minor, 0) ${direction}, id ${direction} limit ${scan}`;
}

/** What the list shows of an alert besides its own row. */
export interface AlertRowFacts {
  /** `policy`, `guard`, `fallback` or `operator:<name>`; null before any decision. */
  readonly decidedBy: string | null;
  /** Of the charge; while none is chosen, of the likeliest candidate. */
  readonly orderReference: string | null;
}

/** By alert. */
export async function readRowFacts(
  db: Db,
  organisationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AlertRowFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<AlertRowFacts & { readonly alertId: string }>`
    select k.alert_id as "alertId", ${DECIDER} as "decidedBy",
      case when k.charge_reference is null
        then (select m.candidates -> 0 ->> 'orderReference' from match m
          where m.organisation_id = k.organisation_id and m.id = k.match_id)
        else (select h.order_reference from charge h
          where h.organisation_id = k.organisation_id and h.reference = k.charge_reference)
      end as "orderReference"
    from alert_case k
    where k.organisation_id = ${organisationId} and k.alert_id = any(${ids}::text[])`.execute(db);
  return new Map(rows.map(({ alertId, ...facts }) => [alertId, facts]));
}

/** What a list adds up to. */
export interface ListSum {
  readonly count: number;
  /** Alerts without an amount. */
  readonly without: number;
  /** By currency, in its order. */
  readonly sums: readonly Money[];
  /** There are more than {@link SORTED_MAX}: the first of them by time are added up. */
  readonly isCut: boolean;
}

/** Adds up the list: count, and sum for each currency. */
export async function sumAlerts(
  db: Db,
  query: Omit<OrderedQuery, 'sort' | 'after' | 'isWide' | 'limit'>,
): Promise<ListSum> {
  const { organisationId, filter = {} } = query;
  const { rows } = await sql<{
    readonly currency: string | null;
    readonly amountMinor: number | null;
    readonly count: number;
    readonly looked: number;
  }>`
    with c as materialized (${scanned({ ...query, limit: SORTED_MAX, after: undefined }, SORTED_MAX)})
    select a.currency, sum(a.amount_minor)::bigint as "amountMinor", count(*)::int as count,
      (select count(*)::int from c) as looked
    from c ${joined(organisationId, { ofCase: asksCase(filter), ofAlert: true })}
    where true ${alertConditions(filter)} ${caseConditions(filter)}
    group by a.currency, (a.amount_minor is null) order by a.currency`.execute(db);
  return {
    count: rows.reduce((total, { count }) => total + count, 0),
    without: rows.reduce((total, row) => total + (row.amountMinor === null ? row.count : 0), 0),
    sums: rows.flatMap(({ currency, amountMinor }) =>
      currency === null || amountMinor === null ? [] : [{ currency, amountMinor }],
    ),
    isCut: (rows[0]?.looked ?? 0) === SORTED_MAX,
  };
}
