/** From the query of a list of alerts, as people and programs write it, to what the store is asked. */

import type {
  AlertFilter,
  AlertListItem,
  AlertListPage,
  AlertListQuery,
} from '../../alerts/list/alert-list.store.ts';
import { listAlertPage, SCAN_MAX } from '../../alerts/list/alert-list.store.ts';
import type { AlertSort, ListSum } from '../../alerts/list/alert-order.store.ts';
import { listOrderedAlerts, sumAlerts } from '../../alerts/list/alert-order.store.ts';
import { endedAlerts, searchAlerts } from '../../alerts/list/alert-search.store.ts';
import type { Db } from '../../base/db/database.ts';
import { minorUnitDigits } from '../../base/kernel/money.ts';
import type { AlertSearchQuery } from '../../surface/web/query.ts';
import { statesOf } from '../../surface/web/query.ts';

/** How much further a person may have it looked, in multiples of {@link SCAN_MAX}. */
const DEEP_FACTOR = 10;

/** What is open is shown nearest deadline first; what is over, latest first. */
export function orderOf(state: string): 'soonest' | 'latest' {
  return state === 'closed' || state === 'all' ? 'latest' : 'soonest';
}

export async function findAlerts(
  db: Db,
  organisationId: string,
  query: AlertSearchQuery,
): Promise<AlertListPage> {
  return await listAlertPage(db, await storeQueryOf(db, organisationId, query));
}

/** A page of the alerts page: its rows in the order that is asked for, where it continues, what the list adds up to. */
export interface SortedAlerts {
  readonly items: readonly AlertListItem[];
  readonly next: readonly [key: string, alertId: string] | null;
  /** Only the first of the list by time are sorted. */
  readonly isCut: boolean;
  readonly sum: ListSum;
}

const DEADLINE_ORDERS = { deadline: 'soonest', '-deadline': 'latest' } as const;

export async function findSortedAlerts(
  db: Db,
  organisationId: string,
  { sort, ...query }: AlertSearchQuery & { readonly sort?: AlertSort | undefined },
): Promise<SortedAlerts> {
  const asked = await storeQueryOf(db, organisationId, query);
  const counted = sumAlerts(db, { ...asked, order: orderOf(query.state) });
  if (sort === undefined || sort === 'deadline' || sort === '-deadline') {
    const order = sort === undefined ? asked.order : DEADLINE_ORDERS[sort];
    const [{ items, next }, sum] = await Promise.all([
      listAlertPage(db, { ...asked, order }),
      counted,
    ]);
    const place = next === null ? null : ([next.deadlineText, next.alertId] as const);
    return { items, next: place, isCut: false, sum };
  }
  const { after, ...rest } = asked;
  const [{ items, next, isCut }, sum] = await Promise.all([
    listOrderedAlerts(db, {
      ...rest,
      sort,
      after: after && { key: after.deadlineText, alertId: after.alertId },
      isWide: query.state === 'all' || query.state === 'closed',
    }),
    counted,
  ]);
  return { items, next: next === null ? null : [next.key, next.alertId], isCut, sum };
}

/** The store's query; a search text is looked up first. */
export async function storeQueryOf(
  db: Db,
  organisationId: string,
  query: AlertSearchQuery,
): Promise<AlertListQuery> {
  const { state, limit, cursor, deep } = query;
  return {
    organisationId,
    states: statesOf(state),
    order: orderOf(state),
    limit,
    after: cursor === undefined ? undefined : { deadlineText: cursor[0], alertId: cursor[1] },
    filter: filterOf(query),
    ids: await idsOf(db, organisationId, query),
    scanMax: deep === undefined ? SCAN_MAX : SCAN_MAX * DEEP_FACTOR,
  };
}

/** Alerts that are named by a text or by the day of their end; undefined: neither is asked for. */
async function idsOf(
  db: Db,
  organisationId: string,
  { q, ended }: AlertSearchQuery,
): Promise<string[] | undefined> {
  const found = q === undefined ? undefined : await searchAlerts(db, organisationId, q);
  if (ended === undefined) return found;
  const day = { from: new Date(`${ended}T00:00:00Z`), to: dayAfter(ended) };
  const ofDay = await endedAlerts(db, organisationId, day);
  if (found === undefined) return ofDay;
  const wanted = new Set(found);
  return ofDay.filter((id) => wanted.has(id));
}

/** Undefined when nothing is filtered, which makes the page cheaper. */
function filterOf(query: AlertSearchQuery): AlertFilter | undefined {
  const digits = minorUnitDigits(query.currency ?? 'USD');
  const filter: AlertFilter = {
    enrolmentType: query.programme,
    scheme: query.scheme,
    currency: query.currency,
    reasonCode: query.reason,
    issuer: query.issuer,
    descriptor: query.descriptor,
    minMinor: query.min === undefined ? undefined : minorOf(query.min, digits),
    maxMinor: query.max === undefined ? undefined : minorOf(query.max, digits),
    receivedFrom: query.from === undefined ? undefined : new Date(`${query.from}T00:00:00Z`),
    receivedBefore: query.to === undefined ? undefined : dayAfter(query.to),
    missed: query.missed === 'yes' ? true : undefined,
    holdReason: query.held,
  };
  return Object.values(filter).some((value) => value !== undefined) ? filter : undefined;
}

/** `129.9` with two digits is 12990; digits beyond the currency's are cut off. Exact: no float. */
export function minorOf(text: string, digits: number): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

const DAY_MS = 24 * 60 * 60_000;

function dayAfter(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS);
}
