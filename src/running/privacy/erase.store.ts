/**
 * All SQL of erasure: whose orders there are, and every place in which somebody is named.
 *
 * Tables and columns come from the inventory, never from outside.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import { ERASED } from '../../base/seal/redact.ts';
import { openJson } from '../../base/seal/seal.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { placeOfOrder, sealOrder } from '../../orders/sealed-order.ts';
import type { PersonalColumn } from './inventory.ts';
import type { ColumnKind } from './inventory-entry.ts';

export interface OwnOrder {
  readonly integrationId: string;
  readonly referenceId: string;
  readonly body: unknown;
  readonly submitted: unknown;
  /** It, or a part of it, has still to be sent. */
  readonly isUnderWay: boolean;
}

export type OrderRef = Pick<OwnOrder, 'integrationId' | 'referenceId'>;

/** Orders looked at in one statement, so that none is long. */
const ORDER_SLICE = 2_000;

/** Orders opened at once. */
const SEALED_PAGE = 500;

type SealedOrder = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>;

/** Orders whose body is sealed, a page at a time. */
export async function* readSealedOrders(
  db: Db,
  organisationId: string,
): AsyncGenerator<readonly SealedOrder[]> {
  let afterSeq = 0;
  for (;;) {
    const { rows } = await sql<SealedOrder & { readonly seq: number }>`
      select seq, integration_id, reference_id, body from order_record
      where organisation_id = ${organisationId} and seq > ${afterSeq} and jsonb_typeof(body) = 'string'
      order by seq limit ${SEALED_PAGE}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    afterSeq = last.seq;
  }
}

interface OrderPair {
  readonly integration_id: string;
  readonly reference_id: string;
  readonly body: unknown;
  readonly submitted: unknown;
}

/** Orders that carry this e-mail address in clear, looked for a slice of the table at a time. */
export async function findOrdersOf(
  db: Db,
  organisationId: string,
  email: string,
): Promise<OrderRef[]> {
  const own: OrderRef[] = [];
  for (let afterSeq = 0; ; ) {
    const { rows } = await sql<{ refs: OrderRef[] | null; last: number | null }>`
      select max(seq) as last,
        jsonb_agg(jsonb_build_object('integrationId', integration_id, 'referenceId', reference_id))
          filter (where lower(body->>'customer_email') = lower(${email}) or lower(body->>'order_email') = lower(${email})) as refs
      from (
        select seq, integration_id, reference_id, body from order_record
        where organisation_id = ${organisationId} and seq > ${afterSeq} order by seq limit ${ORDER_SLICE}
      ) as slice`.execute(db);
    const [row] = rows;
    if (row === undefined || row.last === null) return own;
    own.push(...(row.refs ?? []));
    afterSeq = row.last;
  }
}

/** These orders, locked in the order that the feed locks them in. */
export async function lockOrders(
  trx: Trx,
  organisationId: string,
  refs: readonly OrderRef[],
): Promise<OwnOrder[]> {
  const { rows } = await sql<OrderPair & { readonly under_way: boolean }>`
    select o.integration_id, o.reference_id, o.body, o.submitted,
           o.state in ('HELD', 'WAITING', 'CHECKING') or exists (
             select from order_push p
             where p.organisation_id = o.organisation_id and p.integration_id = o.integration_id
               and p.reference_id = o.reference_id and p.state = 'DUE') as under_way
    from order_record o
    where o.organisation_id = ${organisationId}
      and (o.integration_id, o.reference_id) in (select * from unnest(
        ${refs.map((order) => order.integrationId)}::text[], ${refs.map((order) => order.referenceId)}::text[]))
    order by o.integration_id, o.reference_id
    for update of o`.execute(trx);
  const keys = dataKeysOf(trx);
  return rows.map((row) => {
    const own = { integrationId: row.integration_id, referenceId: row.reference_id };
    const order = { organisationId, ...own };
    return {
      ...own,
      body: openJson(keys, placeOfOrder(order, 'body'), row.body),
      submitted: openJson(keys, placeOfOrder(order, 'submitted'), row.submitted),
      isUnderWay: row.under_way,
    };
  });
}

/** Replaces what an order says. What it said first stays recognisable by its hash. */
export async function replaceOrder(
  trx: Trx,
  organisationId: string,
  { erasedAt, ...order }: Omit<OwnOrder, 'isUnderWay'> & { readonly erasedAt: Date },
): Promise<void> {
  const plain = { body: JSON.stringify(order.body), submitted: JSON.stringify(order.submitted) };
  const written = { ...plain, ...sealOrder(dataKeysOf(trx), { organisationId, ...order }, plain) };
  await sql`
    update order_record
    set body = ${written.body}::jsonb, submitted = ${written.submitted}::jsonb,
        email_hmac = ${written.email_hmac ?? null}, account_hmac = ${written.account_hmac ?? null},
        difference = null, warnings = '[]', reason = case when reason is null then null else ${ERASED} end,
        erased_at = ${erasedAt}
    where organisation_id = ${organisationId} and integration_id = ${order.integrationId}
      and reference_id = ${order.referenceId}`.execute(trx);
  // Only refused updates are left: what they would have said is gone.
  await sql`
    delete from order_push
    where organisation_id = ${organisationId} and integration_id = ${order.integrationId}
      and reference_id = ${order.referenceId}`.execute(trx);
}

/** Deletes the hashes by which a person's refunds are counted and a customer is blocked. */
export async function deleteIdentities(
  trx: Trx,
  organisationId: string,
  identities: readonly string[],
): Promise<number> {
  if (identities.length === 0) return 0;
  const counted = await trx
    .deleteFrom('refund_customer')
    .where('organisation_id', '=', organisationId)
    .where('identity', 'in', identities)
    .executeTakeFirst();
  const blocked = await trx
    .deleteFrom('blocked_customer')
    .where('organisation_id', '=', organisationId)
    .where('identity', 'in', identities)
    .executeTakeFirst();
  return Number(counted.numDeletedRows + blocked.numDeletedRows);
}

export interface Found {
  readonly place: string;
  readonly part: string;
  readonly value: unknown;
}

export interface PageRange {
  readonly fromPage: number;
  readonly toPage: number;
}

/** How many pages the table, or its longest partition, has. */
export async function pagesOfTable(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select coalesce(max(pg_relation_size(part)), 0) / current_setting('block_size')::bigint as pages
    from (
      select ${table}::regclass as part union select relid from pg_partition_tree(${table}::regclass)
    ) as parts`.execute(db);
  return rows[0]?.pages ?? 0;
}

/** Rows of a column within some pages that name the person, locked. */
export async function findNamed(
  trx: Trx,
  where: PersonalColumn & PageRange & { readonly organisationId: string },
  identifiers: readonly string[],
): Promise<Found[]> {
  const patterns = identifiers.map((identifier) => patternOf(identifier, where.kind));
  const column = sql.ref(where.column);
  const text = where.kind === 'bytes' ? sql`encode(${column}, 'escape')` : sql`${column}::text`;
  const { rows } = await sql<Found>`
    select ctid::text as place, tableoid::text as part, ${column} as value
    from ${sql.table(where.table)}
    where ${withinPages(where)} and organisation_id = ${where.organisationId}
      and lower(${text}) like any(${patterns}::text[]) for update`.execute(trx);
  return rows;
}

/** Admits, until the transaction ends, that words inside audit rows are replaced (migration 0008). */
export async function admitErasure(trx: Trx): Promise<void> {
  await sql`select set_config('forestall.erasing', 'on', true)`.execute(trx);
}

export async function replaceValue(
  trx: Trx,
  where: PersonalColumn & Pick<Found, 'place' | 'part'>,
  value: string | Buffer,
): Promise<void> {
  await sql`
    update ${sql.table(where.table)} set ${sql.ref(where.column)} = ${value}${CASTS[where.kind]}
    where ctid = ${where.place}::tid and tableoid = ${where.part}::oid`.execute(trx);
}

const CASTS: Readonly<Record<ColumnKind, ReturnType<typeof sql>>> = {
  text: sql`::text`,
  json: sql`::jsonb`,
  bytes: sql`::bytea`,
};

function withinPages({ fromPage, toPage }: PageRange): RawBuilder<boolean> {
  return sql<boolean>`ctid >= ${`(${fromPage},0)`}::tid and ctid < ${`(${toPage},0)`}::tid`;
}

/** How many rows of a column within some pages name the person. */
export async function countNamed(
  db: Db,
  where: PersonalColumn & PageRange & { readonly organisationId: string },
  identifiers: readonly string[],
): Promise<number> {
  const patterns = identifiers.map((identifier) => patternOf(identifier, where.kind));
  const column = sql.ref(where.column);
  const text = where.kind === 'bytes' ? sql`encode(${column}, 'escape')` : sql`${column}::text`;
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(where.table)}
    where ${withinPages(where)} and organisation_id = ${where.organisationId}
      and lower(${text}) like any(${patterns}::text[])`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A LIKE pattern for the identifier as Postgres prints the column, in lower case. */
function patternOf(identifier: string, kind: ColumnKind): string {
  const printed = PRINTED[kind](identifier.toLowerCase());
  return `%${printed.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

const PRINTED: Readonly<Record<ColumnKind, (text: string) => string>> = {
  text: (text) => text,
  json: (text) => JSON.stringify(text).slice(1, -1),
  bytes: escapeBytes,
};

/** What `encode(…, 'escape')` makes of the text's bytes. */
function escapeBytes(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      if (byte === 0x5c) return '\\\\';
      return byte === 0 || byte >= 0x80
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte);
    })
    .join('');
}

/**
 * Deletes what people laid beside the alerts about these orders: a name within a picture or a packed document is found
 * by no search.
 */
export async function deleteFiles(
  trx: Trx,
  organisationId: string,
  orders: readonly string[],
): Promise<void> {
  await sql`
    delete from review_attachment where organisation_id = ${organisationId} and alert_id in (
      select k.alert_id from charge c
      join alert_case k on k.organisation_id = c.organisation_id and k.charge_reference = c.reference
      where c.organisation_id = ${organisationId} and c.order_reference = any(${orders}::text[]))`.execute(
    trx,
  );
}
