/**
 * SQL of `order_record` as intake and reports use it. What the sender and the updater write stands in
 * `order-sending.store.ts`.
 */
import type { Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { dataKeysOf } from '../seal/carried-keys.ts';
import type { OrderKey } from './nested-reference.store.ts';
import type { OrderRecordTable } from './order.table.ts';
import { openOrder, sealOrder } from './sealed-order.ts';

export type OrderRow = Selectable<OrderRecordTable>;
export type NewOrder = Insertable<OrderRecordTable>;

/** Locks those of the named orders that exist, in the order of their keys. */
export async function lockOrders(
  trx: Transaction<Database>,
  organisationId: string,
  keys: readonly { readonly integrationId: string; readonly referenceId: string }[],
): Promise<OrderRow[]> {
  if (keys.length === 0) return [];
  const asked = keys.map((key) => ({
    integration_id: key.integrationId,
    reference_id: key.referenceId,
  }));
  const { rows } = await sql<OrderRow>`
    select o.* from order_record o
    where o.organisation_id = ${organisationId}
      and (o.integration_id, o.reference_id) in (
        select a.integration_id, a.reference_id
        from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
          as a(integration_id text, reference_id text))
    order by o.integration_id, o.reference_id
    for update
  `.execute(trx);
  return rows.map((row) => openOrder(dataKeysOf(trx), row));
}

/** Stores new orders. Returns the references of those that were not there yet. */
export async function insertOrders(
  trx: Transaction<Database>,
  rows: readonly NewOrder[],
): Promise<{ integration_id: string; reference_id: string }[]> {
  if (rows.length === 0) return [];
  const keys = dataKeysOf(trx);
  return await trx
    .insertInto('order_record')
    .values(rows.map((row) => ({ ...row, ...sealOrder(keys, keyOfRow(row), row) })))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['integration_id', 'reference_id'])
    .execute();
}

/** Sets columns of one order, which the caller has locked. */
export async function updateOrder(
  trx: Transaction<Database>,
  order: OrderKey,
  set: Updateable<OrderRecordTable>,
): Promise<void> {
  await trx
    .updateTable('order_record')
    .set({ ...set, ...sealOrder(dataKeysOf(trx), order, plainOf(set)) })
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('reference_id', '=', order.referenceId)
    .execute();
}

/** The columns that are sealed, where they are set. */
function plainOf({ submitted, body }: Updateable<OrderRecordTable>): {
  submitted?: string | undefined;
  body?: string | undefined;
} {
  return {
    submitted: typeof submitted === 'string' ? submitted : undefined,
    body: typeof body === 'string' ? body : undefined,
  };
}

/**
 * The order with this reference. References are unique per integration: with none named, the one
 * accepted last is meant.
 */
export async function readOrder(
  db: Kysely<Database>,
  organisationId: string,
  order: { readonly referenceId: string; readonly integrationId?: string | undefined },
): Promise<OrderRow | undefined> {
  let query = db
    .selectFrom('order_record')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('reference_id', '=', order.referenceId);
  if (order.integrationId !== undefined) {
    query = query.where('integration_id', '=', order.integrationId);
  }
  const row = await query.orderBy('seq', 'desc').executeTakeFirst();
  return row === undefined ? undefined : openOrder(dataKeysOf(db), row);
}

/** The key of a row. */
export function keyOfRow(
  row: Pick<OrderRow, 'organisation_id' | 'integration_id' | 'reference_id'>,
): OrderKey {
  return {
    organisationId: row.organisation_id,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
  };
}
