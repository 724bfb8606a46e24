/**
 * All SQL of `order_push`: which parts of created orders the service does not hold yet.
 */
import type { Kysely, Selectable, SelectQueryBuilder, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { OrderKey } from './nested-reference.store.ts';
import type { OrderPushTable, PushSource } from './order.table.ts';

export type PushRow = Selectable<OrderPushTable>;

/** Parts to mark, who wants them, and when. */
export interface PushMark {
  readonly parts: readonly string[];
  readonly source: PushSource;
  readonly now: Date;
}

/**
 * Marks parts as due. A part that is due already keeps its place in the line and is sent once, with
 * the value it has then; one that was parked gets another try.
 */
export async function markParts(
  trx: Transaction<Database>,
  order: OrderKey,
  mark: PushMark,
): Promise<void> {
  if (mark.parts.length === 0) return;
  await sql`
    insert into order_push
      (organisation_id, integration_id, reference_id, part, state, source, next_attempt_at, changed_at)
    select ${order.organisationId}, ${order.integrationId}, ${order.referenceId}, part, 'DUE',
      ${mark.source}, ${mark.now}, ${mark.now}
    from json_array_elements_text(${JSON.stringify([...mark.parts].sort())}::json) as part
    on conflict (organisation_id, integration_id, reference_id, part) do update set
      state = 'DUE', version = order_push.version + 1,
      source = case when order_push.source = 'saga' and order_push.state = 'DUE'
        then 'saga' else excluded.source end,
      reason = null, error_code = null, attempts = 0,
      next_attempt_at = excluded.next_attempt_at, changed_at = excluded.changed_at`.execute(trx);
}

/** One order with parts due, for the updater. */
export interface DueOrder {
  readonly integration_id: string;
  readonly reference_id: string;
  readonly from_saga: boolean;
}

/** Orders with parts due: what the saga reported first, then the oldest. */
export async function findDueOrders(
  db: Kysely<Database>,
  organisationId: string,
  ask: { readonly now: Date; readonly limit: number },
): Promise<DueOrder[]> {
  const { rows } = await sql<DueOrder>`
    select p.integration_id, p.reference_id, bool_or(p.source = 'saga') as from_saga
    from order_push p
    join order_record o using (organisation_id, integration_id, reference_id)
    where p.organisation_id = ${organisationId} and p.state = 'DUE'
      and p.next_attempt_at <= ${ask.now} and o.state = 'CREATED'
    group by p.integration_id, p.reference_id
    order by from_saga desc, min(p.seq)
    limit ${ask.limit}
  `.execute(db);
  return rows;
}

/** The parts of one order that are due. */
export async function findDueParts(
  db: Kysely<Database>,
  order: OrderKey,
  now: Date,
): Promise<PushRow[]> {
  return await ofOrder(db, order)
    .where('state', '=', 'DUE')
    .where('next_attempt_at', '<=', now)
    .execute();
}

/** Everything still marked on one order. */
export async function findParts(db: Kysely<Database>, order: OrderKey): Promise<PushRow[]> {
  return await ofOrder(db, order).execute();
}

function ofOrder(
  db: Kysely<Database>,
  order: OrderKey,
): SelectQueryBuilder<Database, 'order_push', PushRow> {
  return db
    .selectFrom('order_push')
    .selectAll()
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('reference_id', '=', order.referenceId)
    .orderBy('seq');
}

/** A part as it was when it was sent. */
export type SentPart = Pick<PushRow, 'part' | 'version'>;

/** Clears parts that the service holds now. Returns how many had not changed since they were sent. */
export async function clearSentParts(
  trx: Transaction<Database>,
  order: OrderKey,
  sent: readonly SentPart[],
): Promise<number> {
  const result = await sql`
    delete from order_push p
    using jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as s(part text, version integer)
    where p.organisation_id = ${order.organisationId} and p.integration_id = ${order.integrationId}
      and p.reference_id = ${order.referenceId} and p.part = s.part and p.version = s.version
  `.execute(trx);
  return Number(result.numAffectedRows ?? 0n);
}

/** Clears every mark of an order except the named parts. */
export async function clearPartsExcept(
  trx: Transaction<Database>,
  order: OrderKey,
  keep: readonly string[],
): Promise<void> {
  await sql`
    delete from order_push
    where organisation_id = ${order.organisationId} and integration_id = ${order.integrationId}
      and reference_id = ${order.referenceId}
      and part not in (select jsonb_array_elements_text(${JSON.stringify(keep)}::jsonb))
  `.execute(trx);
}

/** What to do with parts that did not get through. */
export type PartFailure =
  | { readonly kind: 'later'; readonly retryAt: Date; readonly reason: string; readonly now: Date }
  | { readonly kind: 'parked'; readonly code: string; readonly reason: string; readonly now: Date };

/** Records a failure of parts that have not changed since they were sent. */
export async function failParts(
  trx: Transaction<Database>,
  order: OrderKey,
  failed: { readonly sent: readonly SentPart[]; readonly failure: PartFailure },
): Promise<void> {
  const { sent, failure } = failed;
  const parked = failure.kind === 'parked';
  await sql`
    update order_push p set
      state = ${parked ? 'PARKED' : 'DUE'},
      attempts = p.attempts + 1,
      reason = ${failure.reason.slice(0, 500)},
      error_code = ${parked ? failure.code : null},
      next_attempt_at = ${parked ? failure.now : failure.retryAt},
      changed_at = ${failure.now}
    from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as s(part text, version integer)
    where p.organisation_id = ${order.organisationId} and p.integration_id = ${order.integrationId}
      and p.reference_id = ${order.referenceId} and p.part = s.part and p.version = s.version
  `.execute(trx);
}
