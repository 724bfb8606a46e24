/**
 * All SQL of erasure that is about orders: whose they are, and what is left of them. Every other place in which
 * somebody is named: `named-rows.store.ts`.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import { ERASED } from '../../base/seal/redact.ts';
import { openJson } from '../../base/seal/seal.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { placeOfOrder, sealOrder } from '../../orders/sealed-order.ts';
import { FILE_TABLES } from './sealed-row.store.ts';

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
const ORDER_PAGE = 200;

type StoredOrder = Pick<OrderRow, 'integration_id' | 'reference_id' | 'body' | 'submitted'>;

/** All orders, a page at a time; or those alone whose body is sealed. */
export async function* readOrders(
  db: Db,
  organisationId: string,
  { sealedOnly = false }: { readonly sealedOnly?: boolean } = {},
): AsyncGenerator<readonly StoredOrder[]> {
  let afterSeq = 0;
  const sealed = sealedOnly ? sql`and jsonb_typeof(body) = 'string'` : sql``;
  for (;;) {
    const { rows } = await sql<StoredOrder & { readonly seq: number }>`
      select seq, integration_id, reference_id, body, submitted from order_record
      where organisation_id = ${organisationId} and seq > ${afterSeq} ${sealed}
      order by seq limit ${ORDER_PAGE}`.execute(db);
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

/** Whose orders are looked for: by e-mail addresses in lower case, and by accounts, exactly. */
export interface Whose {
  readonly emails: readonly string[];
  readonly accounts: readonly { readonly integrationId: string; readonly accountId: string }[];
  /** So many are enough. @default all */
  readonly most?: number;
}

/** Orders that say so in clear, as they are or as they were handed in; looked for a slice of the table at a time. */
export async function findOrdersOf(
  db: Db,
  organisationId: string,
  { emails, accounts, most = Number.POSITIVE_INFINITY }: Whose,
): Promise<OrderRef[]> {
  if (emails.length + accounts.length === 0) return [];
  const own: OrderRef[] = [];
  const isTheirs = sql.join(
    ['body', 'submitted'].map((column) => {
      const said = sql.ref(column);
      return sql`lower(${said}->>'customer_email') = any(${emails}::text[]) or lower(${said}->>'order_email') = any(${emails}::text[])
        or (integration_id, ${said}->>'customer_account_id') in (select * from unnest(
          ${accounts.map(({ integrationId }) => integrationId)}::text[], ${accounts.map(({ accountId }) => accountId)}::text[]))`;
    }),
    sql` or `,
  );
  for (let afterSeq = 0; ; ) {
    const { rows } = await sql<{ refs: OrderRef[] | null; last: number | null }>`
      select max(seq) as last,
        jsonb_agg(jsonb_build_object('integrationId', integration_id, 'referenceId', reference_id)) filter (where ${isTheirs}) as refs
      from (
        select seq, integration_id, reference_id, body, submitted from order_record
        where organisation_id = ${organisationId} and seq > ${afterSeq} order by seq limit ${ORDER_SLICE}
      ) as slice`.execute(db);
    const [row] = rows;
    if (row === undefined || row.last === null) return own;
    own.push(...(row.refs ?? []));
    if (own.length >= most) return own;
    afterSeq = row.last;
  }
}

/** The same of an order that was opened. */
export function isOrderOf(
  { emails, accounts }: Whose,
  integrationId: string,
  said: unknown,
): boolean {
  const text = (field: string): string => {
    const value = isRecord(said) ? said[field] : undefined;
    return typeof value === 'string' ? value : '';
  };
  return (
    ['customer_email', 'order_email'].some((field) => emails.includes(text(field).toLowerCase())) ||
    accounts.some(
      (each) =>
        each.integrationId === integrationId && each.accountId === text('customer_account_id'),
    )
  );
}

/** These orders, locked in the order that the feed locks them in. */
export async function lockOrders(
  trx: Trx,
  organisationId: string,
  refs: readonly OrderRef[],
): Promise<OwnOrder[]> {
  return await ownOrders(trx, { organisationId, refs, lock: sql`for update of o` });
}

/** The same, only read. */
export async function readOwnOrders(
  trx: Trx,
  organisationId: string,
  refs: readonly OrderRef[],
): Promise<OwnOrder[]> {
  return await ownOrders(trx, { organisationId, refs, lock: sql`` });
}

async function ownOrders(
  trx: Trx,
  scope: {
    readonly organisationId: string;
    readonly refs: readonly OrderRef[];
    readonly lock: RawBuilder<unknown>;
  },
): Promise<OwnOrder[]> {
  const { organisationId, refs } = scope;
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
    ${scope.lock}`.execute(trx);
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

/**
 * Deletes the files that people added to the alerts about these orders: a name within a picture or a packed document is found
 * by no search.
 */
export async function deleteFiles(
  trx: Trx,
  organisationId: string,
  orders: readonly string[],
): Promise<void> {
  for (const table of FILE_TABLES) {
    await sql`
      delete from ${sql.table(table)} where organisation_id = ${organisationId} and alert_id in (
        select k.alert_id from charge c
        join alert_case k on k.organisation_id = c.organisation_id and k.charge_reference = c.reference
        where c.organisation_id = ${organisationId} and c.order_reference = any(${orders}::text[]))`.execute(
      trx,
    );
  }
}
