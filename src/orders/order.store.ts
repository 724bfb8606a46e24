/**
 * SQL of `order_record` as intake and reports use it. What the sender and the updater write is in
 * `order-sending.store.ts`.
 */
import type { Insertable, RawBuilder, Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Db, Trx } from '../base/db/database.ts';
import { keptText } from '../base/db/kept-text.ts';
import { textsFor } from './foreign-handle.ts';
import type { NestedReferenceRow, OrderKey } from './nested-reference.store.ts';
import type { OrderRecordTable } from './order.table.ts';
import { ORDER_COLUMNS } from './order.table.ts';
import { openOrder, sealOrder } from './sealed-order.ts';

export type OrderRow = Selectable<OrderRecordTable>;

/** What an order says, as it is stored: `sealed-order.ts` opens it. */
export type StoredBody = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>;

/** Under which reference the order of a charge goes, as a part of a statement. */
export function orderReferenceOf(
  organisationId: string,
  chargeReference: string,
): RawBuilder<string> {
  return sql<string>`(select c.order_reference from charge c
    where c.organisation_id = ${organisationId} and c.reference = ${chargeReference})`;
}

/** The newest order under a reference, as a part of a statement. */
export function newestOrder(
  organisationId: string,
  reference: RawBuilder<string>,
): RawBuilder<StoredBody> {
  // Sorted: planned while there are few orders, the index of all of them would be walked for good.
  return sql<StoredBody>`select r.integration_id, r.reference_id, r.body from order_record r
    where r.organisation_id = ${organisationId} and r.reference_id = ${reference}
    order by r.seq + 0 desc limit 1`;
}
export type NewOrder = Insertable<OrderRecordTable>;

/** An order about to be sent. */
export type WaitingOrder = Pick<
  OrderRow,
  'integration_id' | 'reference_id' | 'seq' | 'version' | 'attempts' | 'body'
>;

/**
 * Locks those of the named orders that exist, in the order of their keys. They are looked up one by one: without
 * statistics, as in a first import, PostgreSQL would read all orders of the organisation instead.
 */
export async function lockOrders(
  trx: Trx,
  organisationId: string,
  keys: readonly { readonly integrationId: string; readonly referenceId: string }[],
): Promise<OrderRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<OrderRow>`
    select ${ORDER_COLUMNS.of('o')} from (
      select distinct a.integration_id, a.reference_id
      from unnest(
        ${textsFor(
          trx,
          keys.map(({ integrationId }) => integrationId),
        )}::text[],
        ${textsFor(
          trx,
          keys.map(({ referenceId }) => referenceId),
        )}::text[]) as a(integration_id, reference_id)
      order by 1, 2) as a
    cross join lateral (
      select * from order_record o
      where o.organisation_id = ${organisationId}
        and o.integration_id = a.integration_id and o.reference_id = a.reference_id
      limit 1 for update) as o`.execute(trx);
  return rows.map((row) => openOrder(dataKeysOf(trx), row));
}

/** An order that was locked, with the references of its entries. */
export interface LockedOrder {
  readonly row: OrderRow;
  /** Undefined: others changed the order while its lock was waited for, and may have added some. */
  readonly references: readonly NestedReferenceRow[] | undefined;
}

/** Locks the order that carries a transaction, by the reference it is sent with. */
export async function lockOrderOfTransaction(
  trx: Trx,
  organisationId: string,
  reference: string,
): Promise<LockedOrder | undefined> {
  const { rows } = await sql<OrderRow & AttachedReferences>`
    select ${ORDER_COLUMNS.of('o')}, (select json_build_object('version', s.version, 'references', (
        select json_agg(row_to_json(n) order by n.kind, n.reference) from order_nested_reference n
        where n.organisation_id = s.organisation_id and n.integration_id = s.integration_id
          and n.order_reference = s.reference_id))
      from order_record s where s.organisation_id = o.organisation_id
        and s.integration_id = o.integration_id and s.reference_id = o.reference_id) as attached
    from order_record o
    where o.organisation_id = ${organisationId}
      and (o.integration_id, o.reference_id) = (${namedOrder(organisationId, reference)})
    for update`.execute(trx);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { attached, ...row } = found;
  // After a wait for the lock the row is newer than what was read with it by the same statement.
  const isCurrent = attached?.version === row.version;
  const references = isCurrent ? (attached.references ?? []) : undefined;
  return { row: openOrder(dataKeysOf(trx), row), references };
}

/** The key of that order. Asked for with every refund: it has an index of its own. */
export function namedOrder(organisationId: string, reference: string): RawBuilder<unknown> {
  return sql`select n.integration_id, n.order_reference from order_nested_reference n
        where n.organisation_id = ${organisationId} and n.kind = 'transaction' and n.reference = ${reference}
        order by n.integration_id limit 1`;
}

interface AttachedReferences {
  readonly attached: {
    readonly version: number;
    readonly references: readonly NestedReferenceRow[] | null;
  } | null;
}

/** Stores new orders. Returns the references of those that were not there yet. */
export async function insertOrders(
  trx: Trx,
  rows: readonly NewOrder[],
): Promise<{ integration_id: string; reference_id: string }[]> {
  if (rows.length === 0) return [];
  const keys = dataKeysOf(trx);
  const sealed = rows.map((row) => ({ ...row, ...sealOrder(keys, keyOfRow(row), row) }));
  const arrays = NEW_COLUMNS.map(([name]) => {
    // Most orders are sent as they were submitted: they travel once.
    const texts = sealed.map((row) =>
      name === 'body' && row.body === row.submitted ? null : textOf(row[name]),
    );
    return sql`${textsFor(trx, texts)}::text[]`;
  });
  const { rows: stored } = await sql<{ integration_id: string; reference_id: string }>`
    insert into order_record (${NEW_NAMES})
    select ${NEW_VALUES} from (
      select r.*, r.submitted::jsonb as parsed
      from unnest(${sql.join(arrays)}) with ordinality as r(${NEW_NAMES}, place) offset 0) as r
    order by place
    on conflict do nothing
    returning integration_id, reference_id`.execute(trx);
  return stored;
}

/**
 * Columns of a new order. They travel as an array each: a statement takes 65,535 parameters and no more.
 * One JSON text of all rows would be read several times over by PostgreSQL.
 */
const NEW_COLUMNS = [
  ['organisation_id', 'text'],
  ['integration_id', 'text'],
  ['reference_id', 'text'],
  ['type', 'text'],
  ['state', 'text'],
  ['submitted', 'jsonb'],
  ['submitted_hash', 'bytea'],
  ['body', 'jsonb'],
  ['ready', 'text[]'],
  ['missing', 'jsonb'],
  ['warnings', 'jsonb'],
  ['reason', 'text'],
  ['email_hmac', 'bytea'],
  ['account_hmac', 'bytea'],
  ['next_attempt_at', 'timestamptz'],
  ['accepted_at', 'timestamptz'],
  ['changed_at', 'timestamptz'],
] as const;

/** What PostgreSQL reads once although two columns hold it: `offset 0` has it do so before it fills them. */
const CAST: Partial<Record<(typeof NEW_COLUMNS)[number][0], RawBuilder<unknown>>> = {
  submitted: sql`parsed`,
  body: sql`coalesce(body::jsonb, parsed)`,
};

const NEW_NAMES = keptText(sql.join(NEW_COLUMNS.map(([name]) => sql.ref(name))));
const NEW_VALUES = keptText(
  sql.join(
    NEW_COLUMNS.map(([name, type]) => CAST[name] ?? sql`${sql.ref(name)}::${sql.raw(type)}`),
  ),
);

/** A value as PostgreSQL spells it. */
function textOf(value: NewOrder[(typeof NEW_COLUMNS)[number][0]]): string | null {
  if (value === undefined || value === null || typeof value === 'string') return value ?? null;
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map((text) => JSON.stringify(text)).join(',')}}`;
  return new Date(value).toISOString();
}

/** Sets columns of one order, which the caller has locked. */
export async function updateOrder(
  trx: Trx,
  order: OrderKey,
  set: Updateable<OrderRecordTable>,
): Promise<void> {
  await updatingOrder(trx, order, set).execute(trx);
}

/** The same, to be the end of a larger statement: its last words are conditions. */
export function updatingOrder(
  trx: Trx,
  order: OrderKey,
  set: Updateable<OrderRecordTable>,
): RawBuilder<unknown> {
  const update = trx
    .updateTable('order_record')
    .set({ ...set, ...sealOrder(dataKeysOf(trx), order, plainOf(set)) })
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('reference_id', '=', order.referenceId);
  return sql`${update}`;
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
  db: Db,
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

/** The orders with these references; of several integrations' the one accepted last. */
export async function readOrders(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<OrderRow[]> {
  if (references.length === 0) return [];
  const rows = await db
    .selectFrom('order_record')
    .selectAll()
    .distinctOn('reference_id')
    .where('organisation_id', '=', organisationId)
    .where('reference_id', 'in', references)
    .orderBy('reference_id')
    .orderBy('seq', 'desc')
    .execute();
  return rows.map((row) => openOrder(dataKeysOf(db), row));
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
