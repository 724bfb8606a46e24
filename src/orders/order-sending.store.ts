/**
 * SQL of `order_record` as the sender and the updater use it.
 *
 * Every write names the version that was sent: an order that changed meanwhile keeps its place in the
 * line and is sent again.
 */
import { sql } from 'kysely';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Db, Trx } from '../base/db/database.ts';
import type { DueCondition } from '../base/jobs/due.store.ts';
import { anyDue } from '../base/jobs/due.store.ts';
import { isStoppedSql } from './feed-brake.store.ts';
import type { OrderRow, WaitingOrder } from './order.store.ts';
import type { OrderBody } from './order-body.ts';
import { openBodyOf } from './sealed-order.ts';

/** Orders to be sent now, oldest first, after the given place in the line; stopped integrations wait. */
export async function findWaiting(
  db: Db,
  organisationId: string,
  ask: { readonly now: Date; readonly afterSeq: number; readonly limit: number },
): Promise<WaitingOrder[]> {
  const rows = await db
    .selectFrom('order_record as o')
    .select(['integration_id', 'reference_id', 'seq', 'version', 'attempts', 'body'])
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`not ${isStoppedSql}`)
    .where('state', '=', 'WAITING')
    .where('seq', '>', ask.afterSeq)
    .where('next_attempt_at', '<=', ask.now)
    .orderBy('seq')
    .limit(ask.limit)
    .execute();
  return rows.map((row) => openBodyOf(dataKeysOf(db), organisationId, row));
}

/** An order the service has created. */
export interface CreatedOrder {
  readonly integration_id: string;
  readonly reference_id: string;
  /** The version that was sent. */
  readonly version: number;
  readonly order_id: string;
}

/** An order that was created and has changed since it was sent. */
export interface MovedOrder {
  readonly integration_id: string;
  readonly reference_id: string;
  readonly body: OrderBody;
}

/** Notes what was created, and clears marks of changes that went along. Returns what moved meanwhile. */
export async function markCreated(
  trx: Trx,
  organisationId: string,
  news: { readonly created: readonly CreatedOrder[]; readonly now: Date },
): Promise<MovedOrder[]> {
  if (news.created.length === 0) return [];
  const created = JSON.stringify(news.created);
  // Locked in one order: an import that corrects the same orders waits instead of deadlocking.
  const { rows } = await sql<MovedOrder>`
    with sent as (
      select * from jsonb_to_recordset(${created}::jsonb)
        as s(integration_id text, reference_id text, version integer, order_id text)
    ), locked as materialized (
      select o.integration_id, o.reference_id, s.version, s.order_id
      from order_record o join sent s using (integration_id, reference_id)
      where o.organisation_id = ${organisationId} and o.state in ('WAITING', 'CHECKING')
      order by o.integration_id, o.reference_id
      for update of o
    ), cleared as (
      delete from order_push p using locked l
      where p.organisation_id = ${organisationId} and p.integration_id = l.integration_id
        and p.reference_id = l.reference_id
    ), updated as (
      update order_record o set
        state = 'CREATED', order_id = l.order_id, attempts = 0, next_attempt_at = null,
        reason = null, error_code = null, difference = null,
        settled_at = ${news.now}, changed_at = ${news.now}
      from locked l
      where o.organisation_id = ${organisationId} and o.integration_id = l.integration_id
        and o.reference_id = l.reference_id
      returning o.integration_id, o.reference_id, o.version <> l.version as moved, o.body
    )
    select integration_id, reference_id, body from updated where moved
  `.execute(trx);
  return rows.map((row) => openBodyOf(dataKeysOf(trx), organisationId, row));
}

/** One order whose sending did not end in its creation. */
export interface UnsentOrder {
  readonly integration_id: string;
  readonly reference_id: string;
  /** The version that was sent. */
  readonly version: number;
  readonly state: 'WAITING' | 'CHECKING' | 'REFUSED';
  readonly attempts: number;
  readonly reason: string;
  readonly error_code: string | null;
  /** ISO 8601; null when a person has to act. */
  readonly next_attempt_at: string | null;
}

/** Notes what became of orders that were not created. Orders that changed meanwhile are due at once. */
export async function markUnsent(
  trx: Trx,
  organisationId: string,
  news: { readonly orders: readonly UnsentOrder[]; readonly now: Date },
): Promise<void> {
  if (news.orders.length === 0) return;
  await sql`
    with sent as (
      select * from jsonb_to_recordset(${JSON.stringify(news.orders)}::jsonb)
        as s(integration_id text, reference_id text, version integer, state text,
             attempts integer, reason text, error_code text, next_attempt_at timestamptz)
    ), locked as materialized (
      select o.integration_id, o.reference_id
      from order_record o join sent s using (integration_id, reference_id)
      where o.organisation_id = ${organisationId} and o.state = 'WAITING' and o.version = s.version
      order by o.integration_id, o.reference_id
      for update of o
    )
    update order_record o set
      state = s.state, attempts = s.attempts, reason = s.reason, error_code = s.error_code,
      next_attempt_at = s.next_attempt_at, changed_at = ${news.now}
    from sent s join locked l using (integration_id, reference_id)
    where o.organisation_id = ${organisationId} and o.integration_id = s.integration_id
      and o.reference_id = s.reference_id and o.state = 'WAITING' and o.version = s.version
  `.execute(trx);
}

/** Whether the sender has anything to do: an order to be sent, or one of a stopped integration to be tried. */
export const hasOrdersToSend: DueCondition = (now, organisation) => sql<boolean>`(
    exists (select from order_record o where o.organisation_id = ${organisation} and o.state = 'WAITING'
      and o.next_attempt_at <= ${now} and not ${isStoppedSql})
    or exists (select from feed_brake where organisation_id = ${organisation} and passing_until is null
      and next_probe_at <= ${now}))`;

/** Whether an order is to be read back. */
export const hasOrdersToCheck: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from order_record where organisation_id = ${organisation}
      and state in ('CHECKING', 'CREATED') and next_attempt_at <= ${now})`;

/** Whether a part of an order is to be sent. */
export const hasPartsToSend: DueCondition = (now, organisation) => sql<boolean>`exists (
    select from order_push p join order_record o using (organisation_id, integration_id, reference_id)
    where p.organisation_id = ${organisation} and p.state = 'DUE' and p.next_attempt_at <= ${now}
      and o.state = 'CREATED')`;

/** Whether the updater has anything to do. */
export const hasOrdersToUpdate: DueCondition = anyDue([hasOrdersToCheck, hasPartsToSend]);

/** Orders to be read back now. */
export async function findToCheck(
  db: Db,
  organisationId: string,
  ask: { readonly now: Date; readonly limit: number },
): Promise<Pick<OrderRow, 'integration_id' | 'reference_id' | 'attempts'>[]> {
  return await db
    .selectFrom('order_record')
    .select(['integration_id', 'reference_id', 'attempts'])
    .where('organisation_id', '=', organisationId)
    .where('state', 'in', ['CHECKING', 'CREATED'])
    .where('next_attempt_at', '<=', ask.now)
    .orderBy('next_attempt_at')
    .orderBy('seq')
    .limit(ask.limit)
    .execute();
}
