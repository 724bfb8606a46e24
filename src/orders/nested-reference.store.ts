/**
 * All SQL of `order_nested_reference`: who uses which reference.
 *
 * The primary key ensures that one order has a reference; a second order that uses it gets another.
 * Rows are inserted in sorted order, so that two intakes cannot lock each other out.
 */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../base/db/database.ts';
import { InvariantError } from '../base/kernel/errors.ts';
import { textsFor } from './foreign-handle.ts';
import type { NamedReference } from './nested-reference.ts';
import { ownReference } from './nested-reference.ts';
import type { OrderNestedReferenceTable } from './order.table.ts';

export type NestedReferenceRow = Selectable<OrderNestedReferenceTable>;

/** Which order of which integration. */
export interface OrderKey {
  readonly organisationId: string;
  readonly integrationId: string;
  readonly referenceId: string;
}

/** A reference one order wishes for. */
export interface ReferenceWish extends NamedReference {
  readonly order: OrderKey;
  readonly source?: 'merchant' | 'saga';
}

/** Tries until a reference of one's own is free; the second is free unless names were chosen to clash. */
const ROUNDS_MAX = 8;

/**
 * Claims every wished reference, or another in its place.
 *
 * @returns the wishes, in their order, with the reference each is sent with
 */
export async function claimReferences(
  trx: Trx,
  wishes: readonly ReferenceWish[],
): Promise<ReferenceWish[]> {
  const settled = [...wishes];
  let open = wishes.map((_, index) => index);
  for (let round = 1; open.length > 0; round += 1) {
    if (round > ROUNDS_MAX) throw new InvariantError('No free nested reference was found.');
    const tried = open.flatMap((index) => settled[index] ?? []);
    // Mostly no order has any of them, and a count says so.
    if ((await insertReferences(trx, tried)) === tried.length) return settled;
    const owners = await findOwners(trx, tried);
    open = open.filter((index) => {
      const wish = settled[index];
      if (wish === undefined || owners.get(keyOf(wish)) === wish.order.referenceId) return false;
      const reference = ownReference(wish.order.referenceId, { reference: wish.reference, round });
      settled[index] = { ...wish, reference };
      return true;
    });
  }
  return settled;
}

/** Inserts those that no order has. Returns how many they are. */
async function insertReferences(trx: Trx, wishes: readonly ReferenceWish[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with claimed as (${insertingReferences(trx, wishes)}) select count(*) from claimed`.execute(
    trx,
  );
  return rows[0]?.count ?? 0;
}

/** Inserts those that no order has, as a part of another statement; a row for each. */
export function insertingReferences(
  trx: Trx,
  wishes: readonly ReferenceWish[],
): RawBuilder<unknown> {
  const keyed = wishes.map((wish) => ({ wish, key: keyOf(wish) }));
  const sorted = keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ wish }) => wish);
  const texts = (textOf: (wish: ReferenceWish) => string): unknown =>
    textsFor(trx, sorted.map(textOf));
  return sql`
    insert into order_nested_reference
      (organisation_id, integration_id, kind, reference, order_reference, given, source)
    select ${wishes[0]?.order.organisationId ?? ''}, r.* from unnest(
      ${texts(({ order }) => order.integrationId)}::text[],
      ${texts(({ kind }) => kind)}::text[],
      ${texts(({ reference }) => reference)}::text[],
      ${texts(({ order }) => order.referenceId)}::text[],
      ${texts(({ given }) => given)}::text[],
      ${texts(({ source }) => source ?? 'merchant')}::text[]) as r
    on conflict do nothing
    returning 1`;
}

type OwnedReference = Pick<
  NestedReferenceRow,
  'integration_id' | 'kind' | 'reference' | 'order_reference'
>;

/**
 * Which order owns each of the references. Asked one by one: without statistics, as in a first import,
 * PostgreSQL would read all references of the organisation instead.
 */
async function findOwners(
  trx: Trx,
  wishes: readonly ReferenceWish[],
): Promise<Map<string, string>> {
  const organisationId = wishes[0]?.order.organisationId ?? '';
  const { rows } = await sql<OwnedReference>`
    select n.* from unnest(
      ${wishes.map(({ order }) => order.integrationId)}::text[],
      ${wishes.map(({ kind }) => kind)}::text[],
      ${wishes.map(({ reference }) => reference)}::text[]) as a(integration_id, kind, reference)
    cross join lateral (
      select n.integration_id, n.kind, n.reference, n.order_reference from order_nested_reference n
      where n.organisation_id = ${organisationId} and n.integration_id = a.integration_id
        and n.kind = a.kind and n.reference = a.reference
      limit 1) as n`.execute(trx);
  return new Map(
    rows.map((row) => [
      keyOfReference(row.integration_id, row.kind, row.reference),
      row.order_reference,
    ]),
  );
}

/** Which order has each of the payments, by the reference given; those that no order has are left out. */
export async function findPaymentOwners(
  trx: Trx,
  orders: readonly { readonly key: OrderKey; readonly payments: readonly string[] }[],
): Promise<(order: OrderKey, payment: string) => string | undefined> {
  const wishes = orders.flatMap(({ key, payments }) =>
    payments.map(
      (given): ReferenceWish => ({
        order: key,
        kind: 'transaction',
        given,
        reference: given,
      }),
    ),
  );
  const owners = wishes.length === 0 ? new Map<string, string>() : await findOwners(trx, wishes);
  return (order, payment) =>
    owners.get(keyOfReference(order.integrationId, 'transaction', payment));
}

function keyOf(wish: ReferenceWish): string {
  return keyOfReference(wish.order.integrationId, wish.kind, wish.reference);
}

/** No reference holds a NUL. */
function keyOfReference(integrationId: string, kind: string, reference: string): string {
  return `${integrationId}\0${kind}\0${reference}`;
}

/** All references of one order. */
export async function findReferences(trx: Trx, order: OrderKey): Promise<NestedReferenceRow[]> {
  return await trx
    .selectFrom('order_nested_reference')
    .selectAll()
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('order_reference', '=', order.referenceId)
    .orderBy('kind')
    .orderBy('reference')
    .execute();
}

/** Gives all references of an order back: its submission is replaced. */
export async function releaseReferences(trx: Trx, order: OrderKey): Promise<void> {
  await trx
    .deleteFrom('order_nested_reference')
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('order_reference', '=', order.referenceId)
    .execute();
}

/** Notes a second name for one entry: both sides have reported it. */
export async function addAlias(trx: Trx, row: NestedReferenceRow, alias: string): Promise<void> {
  await trx
    .updateTable('order_nested_reference')
    .set({ alias })
    .where('organisation_id', '=', row.organisation_id)
    .where('integration_id', '=', row.integration_id)
    .where('kind', '=', row.kind)
    .where('reference', '=', row.reference)
    .execute();
}
