/**
 * Lists cases with what a person needs to see of their alerts, page by page in order of deadline.
 *
 * Each state is walked along its own index and the pages are merged, so a page costs the same among
 * a hundred cases and among a million. The place of a page is kept in microseconds, as the database
 * holds it: a `Date` would lose rows that share a millisecond.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { CaseState } from '../cases/case-state.ts';
import type { FallbackAction } from '../decide/decision.table.ts';

export interface AlertListItem {
  readonly alertId: string;
  readonly state: CaseState;
  readonly deadlineAt: Date;
  /** `deadlineAt` in microseconds, for the next page's {@link AlertPlace}. */
  readonly deadlineText: string;
  readonly openedAt: Date;
  readonly changedAt: Date;
  readonly nextActionAt: Date | null;
  readonly holdReason: string | null;
  readonly fallbackAction: FallbackAction | null;
  readonly fallbackAt: Date | null;
  readonly missedAt: Date | null;
  readonly lastError: string | null;
  readonly chargeReference: string | null;
  readonly refundState: string | null;
  readonly alertStatus: string | null;
  readonly enrolmentType: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly descriptor: string | null;
  readonly cardLast4: string | null;
  readonly reasonCode: string | null;
  readonly cardIssuer: string | null;
  readonly cardScheme: string | null;
  readonly cardBin: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly authorisationCode: string | null;
  readonly closedAt: Date | null;
}

/** After which row a page begins. */
export interface AlertPlace {
  /** ISO 8601 UTC with microseconds. */
  readonly deadlineText: string;
  readonly alertId: string;
}

/** What an alert must be like to be listed. Every part given must hold. */
export interface AlertFilter {
  readonly enrolmentType?: string | undefined;
  readonly scheme?: string | undefined;
  readonly currency?: string | undefined;
  readonly reasonCode?: string | undefined;
  /** Part of the name, in any case. */
  readonly issuer?: string | undefined;
  /** Beginning of the descriptor, in any case. */
  readonly descriptor?: string | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
  readonly receivedFrom?: Date | undefined;
  readonly receivedBefore?: Date | undefined;
  readonly missed?: boolean | undefined;
  readonly holdReason?: string | undefined;
}

export interface AlertListQuery {
  readonly organisationId: string;
  readonly states: readonly CaseState[];
  /** `soonest`: nearest deadline first. `latest`: the other way round. */
  readonly order: 'soonest' | 'latest';
  readonly limit: number;
  readonly after?: AlertPlace | undefined;
  readonly filter?: AlertFilter | undefined;
  /** Only these alerts: what a search found. */
  readonly ids?: readonly string[] | undefined;
  /** Cases looked at, at most, before the page ends; only a filter needs more than it shows. */
  readonly scanMax?: number | undefined;
}

export interface AlertListPage {
  readonly items: readonly AlertListItem[];
  /** Where to continue; null at the end. With a filter the page may be short and still continue. */
  readonly next: AlertPlace | null;
}

/** Cases that a filter looks at for one page: bounds the time of a page whatever is asked for. */
export const SCAN_MAX = 1_000;

/** Lists cases in order of deadline, then of id. */
export async function listAlerts(db: Db, query: AlertListQuery): Promise<AlertListItem[]> {
  return [...(await listAlertPage(db, query)).items];
}

type Found = { readonly [Key in keyof AlertListItem]: AlertListItem[Key] | null };
type Row = Found & {
  readonly looked: number;
  readonly lastText: string | null;
  readonly lastId: string | null;
};

/**
 * Lists a page of cases that pass the filter.
 *
 * Places are walked in the index alone; the alerts behind them are then looked up by their keys, and the
 * cases of those that pass. `limit 1` and `offset 0` hold the planner to that: it would else read every alert
 * as soon as a filter seems to leave few, or every case before the alert.
 */
export async function listAlertPage(db: Db, query: AlertListQuery): Promise<AlertListPage> {
  const { organisationId, limit, filter, scanMax = SCAN_MAX } = query;
  const scan = filter === undefined ? limit : Math.max(limit, scanMax);
  const direction = query.order === 'soonest' ? sql`asc` : sql`desc`;
  const { rows } = await sql<Row>`
    with c as materialized (${scanned(query, scan)}),
    last as (
      select deadline_at, alert_id from c order by deadline_at ${opposite(query)}, alert_id ${opposite(query)} limit 1
    ),
    found as (
      select
        k.alert_id as "alertId", k.state, k.deadline_at as "deadlineAt",
        ${microseconds('k.deadline_at')} as "deadlineText",
        k.opened_at as "openedAt", k.changed_at as "changedAt", k.next_action_at as "nextActionAt",
        k.hold_reason as "holdReason", k.fallback_action as "fallbackAction",
        k.fallback_at as "fallbackAt", k.missed_at as "missedAt", k.last_error as "lastError",
        k.charge_reference as "chargeReference", k.closed_at as "closedAt",
        (select m.state from movement as m
          where m.organisation_id = k.organisation_id and m.id = k.movement_id) as "refundState",
        a.status as "alertStatus", a.enrolment_type as "enrolmentType",
        a.amount_minor as "amountMinor", a.currency, a.descriptor,
        a.card_last4 as "cardLast4", a.reason_code as "reasonCode", a.card_issuer as "cardIssuer",
        a.card_scheme as "cardScheme", a.card_bin as "cardBin",
        a.acquirer_reference_number as "acquirerReferenceNumber",
        a.authorisation_code as "authorisationCode"
      from (
        select c.deadline_at as place, c.alert_id as place_id, a.*
        from c
        left join lateral (
          select * from alert where organisation_id = ${organisationId} and id = c.alert_id limit 1
        ) as a on true
        where true ${filter === undefined ? sql`` : alertConditions(filter)}
        order by c.deadline_at ${direction}, c.alert_id ${direction}
        offset 0
      ) as a
      cross join lateral (
        select * from alert_case
        where organisation_id = ${organisationId} and alert_id = a.place_id limit 1
      ) as k
      where true ${filter === undefined ? sql`` : caseConditions(filter)}
      order by a.place ${direction}, a.place_id ${direction}
      limit ${limit}
    )
    select found.*, (select count(*) from c) as looked,
      ${microseconds('last.deadline_at')} as "lastText", last.alert_id as "lastId"
    from last left join found on true
    order by found."deadlineAt" ${direction}, found."alertId" ${direction}`.execute(db);
  return pageOf(rows, { limit, scan });
}

function pageOf(
  rows: readonly Row[],
  { limit, scan }: { readonly limit: number; readonly scan: number },
): AlertListPage {
  const items = rows.flatMap(({ looked: _looked, lastText: _text, lastId: _id, ...item }) =>
    isItem(item) ? [item] : [],
  );
  const last = items.at(-1);
  if (items.length === limit && last !== undefined) {
    return { items, next: { deadlineText: last.deadlineText, alertId: last.alertId } };
  }
  const [first] = rows;
  if (
    first === undefined ||
    first.looked < scan ||
    first.lastText === null ||
    first.lastId === null
  )
    return { items, next: null };
  return { items, next: { deadlineText: first.lastText, alertId: first.lastId } };
}

/** Without a match the row holds only how far it was looked. */
function isItem(item: Found): item is AlertListItem {
  return item.alertId !== null;
}

/** The places of the list, nearest or latest first, at most `scan` of them. */
export function scanned(query: AlertListQuery, scan: number): RawBuilder<unknown> {
  const { organisationId, states, ids } = query;
  const direction = query.order === 'soonest' ? sql`asc` : sql`desc`;
  // A plan for whatever limit may come is another one than that for a long list.
  const most = scan < SCAN_MAX ? sql`${scan}` : sql.lit(scan);
  const order = sql`order by deadline_at ${direction}, alert_id ${direction} limit ${most}`;
  if (ids !== undefined) {
    return sql`
      select deadline_at, alert_id from alert_case where organisation_id = ${organisationId}
        and alert_id = any(${ids}::text[]) and state = any(${states}::text[]) ${afterPlace(query)}
      ${order}`;
  }
  return sql`
    select case_.* from unnest(${states}::text[]) as wanted (state)
    cross join lateral (
      select deadline_at, alert_id from alert_case
      where organisation_id = ${organisationId} and state = wanted.state ${afterPlace(query)}
      ${order}
    ) as case_
    ${order}`;
}

function microseconds(column: string): RawBuilder<unknown> {
  return sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

function opposite({ order }: AlertListQuery): RawBuilder<unknown> {
  return order === 'soonest' ? sql`desc` : sql`asc`;
}

function afterPlace({ after, order }: AlertListQuery): RawBuilder<unknown> {
  if (after === undefined) return sql``;
  const sign = order === 'soonest' ? sql`>` : sql`<`;
  return sql`and (deadline_at, alert_id) ${sign} (${after.deadlineText}::timestamptz, ${after.alertId}::text)`;
}

/** Of the alert `a`. */
export function alertConditions(filter: AlertFilter): RawBuilder<unknown> {
  return allOf(alertParts(filter));
}

/** Whether the filter asks anything of the alert. */
export function asksAlert(filter: AlertFilter): boolean {
  return asksAny(alertParts(filter));
}

/** Conditions; false: not asked for. */
type Parts = readonly (RawBuilder<unknown> | false)[];

function asksAny(parts: Parts): boolean {
  return parts.some((part) => part !== false);
}

function alertParts(filter: AlertFilter): Parts {
  return [
    filter.enrolmentType !== undefined && sql`and a.enrolment_type = ${filter.enrolmentType}`,
    filter.scheme !== undefined && sql`and a.card_scheme = ${filter.scheme}`,
    filter.currency !== undefined && sql`and a.currency = ${filter.currency}`,
    filter.reasonCode !== undefined && sql`and a.reason_code = ${filter.reasonCode}`,
    filter.issuer !== undefined && sql`and a.card_issuer ilike ${`%${literally(filter.issuer)}%`}`,
    filter.descriptor !== undefined &&
      sql`and a.descriptor ilike ${`${literally(filter.descriptor)}%`}`,
    filter.minMinor !== undefined && sql`and a.amount_minor >= ${filter.minMinor}`,
    filter.maxMinor !== undefined && sql`and a.amount_minor <= ${filter.maxMinor}`,
  ];
}

/** Of the case `k`. */
export function caseConditions(filter: AlertFilter): RawBuilder<unknown> {
  return allOf(caseParts(filter));
}

/** Whether the filter asks anything of the case. */
export function asksCase(filter: AlertFilter): boolean {
  return asksAny(caseParts(filter));
}

function caseParts(filter: AlertFilter): Parts {
  return [
    filter.receivedFrom !== undefined && sql`and k.opened_at >= ${filter.receivedFrom}`,
    filter.receivedBefore !== undefined && sql`and k.opened_at < ${filter.receivedBefore}`,
    filter.missed === true && sql`and k.missed_at is not null`,
    filter.holdReason !== undefined && sql`and k.hold_reason = ${filter.holdReason}`,
  ];
}

function allOf(parts: Parts): RawBuilder<unknown> {
  return sql.join(
    parts.filter((part) => part !== false),
    sql` `,
  );
}

/** The text with the signs escaped that mean something in a pattern. */
export function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
}
