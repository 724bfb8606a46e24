/**
 * All SQL of `order_nested_reference`: who uses which reference.
 *
 * The primary key is what keeps a reference with one order; a second order that wishes for it is
 * given another. Rows are inserted in sorted order, so that two intakes cannot lock each other out.
 */
import type { Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { InvariantError } from '../kernel/errors.ts';
import type { NamedReference } from './nested-reference.ts';
import { ownReference } from './nested-reference.ts';
import type { OrderNestedReferenceTable, ReferenceKind } from './order.table.ts';

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
  trx: Transaction<Database>,
  wishes: readonly ReferenceWish[],
): Promise<ReferenceWish[]> {
  const settled = [...wishes];
  let open = wishes.map((_, index) => index);
  for (let round = 1; open.length > 0; round += 1) {
    if (round > ROUNDS_MAX) throw new InvariantError('No free nested reference was found.');
    const tried = open.flatMap((index) => settled[index] ?? []);
    await insertReferences(trx, tried);
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

async function insertReferences(
  trx: Transaction<Database>,
  wishes: readonly ReferenceWish[],
): Promise<void> {
  const sorted = [...wishes].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rows = sorted.map(({ order, kind, given, reference, source }) => ({
    integration_id: order.integrationId,
    kind,
    reference,
    order_reference: order.referenceId,
    given,
    source: source ?? 'merchant',
  }));
  await sql`
    insert into order_nested_reference
      (organisation_id, integration_id, kind, reference, order_reference, given, source)
    select ${wishes[0]?.order.organisationId ?? ''}, r.*
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r(integration_id text, kind text, reference text, order_reference text, given text, source text)
    on conflict do nothing`.execute(trx);
}

/** Which order owns each of the wished references. */
async function findOwners(
  trx: Transaction<Database>,
  wishes: readonly ReferenceWish[],
): Promise<Map<string, string>> {
  const organisationId = wishes[0]?.order.organisationId ?? '';
  const asked = wishes.map(({ order, kind, reference }) => ({
    integration_id: order.integrationId,
    kind,
    reference,
  }));
  const { rows } = await sql<NestedReferenceRow>`
    select n.* from order_nested_reference n
    join jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      as a(integration_id text, kind text, reference text)
      on n.integration_id = a.integration_id and n.kind = a.kind and n.reference = a.reference
    where n.organisation_id = ${organisationId}
  `.execute(trx);
  return new Map(
    rows.map((row) => [
      JSON.stringify([row.integration_id, row.kind, row.reference]),
      row.order_reference,
    ]),
  );
}

function keyOf(wish: ReferenceWish): string {
  return JSON.stringify([wish.order.integrationId, wish.kind, wish.reference]);
}

/** All references of one order. */
export async function findReferences(
  trx: Transaction<Database>,
  order: OrderKey,
): Promise<NestedReferenceRow[]> {
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
export async function releaseReferences(
  trx: Transaction<Database>,
  order: OrderKey,
): Promise<void> {
  await trx
    .deleteFrom('order_nested_reference')
    .where('organisation_id', '=', order.organisationId)
    .where('integration_id', '=', order.integrationId)
    .where('order_reference', '=', order.referenceId)
    .execute();
}

/** Notes a second name for one entry: both sides have reported it. */
export async function addAlias(
  trx: Transaction<Database>,
  row: NestedReferenceRow,
  alias: string,
): Promise<void> {
  await trx
    .updateTable('order_nested_reference')
    .set({ alias })
    .where('organisation_id', '=', row.organisation_id)
    .where('integration_id', '=', row.integration_id)
    .where('kind', '=', row.kind)
    .where('reference', '=', row.reference)
    .execute();
}

/** The order that carries a transaction, by the reference it is sent with. */
export async function findOrderOfReference(
  trx: Transaction<Database>,
  organisationId: string,
  nested: { readonly kind: ReferenceKind; readonly reference: string },
): Promise<OrderKey | undefined> {
  const row = await trx
    .selectFrom('order_nested_reference')
    .select(['integration_id', 'order_reference'])
    .where('organisation_id', '=', organisationId)
    .where('kind', '=', nested.kind)
    .where('reference', '=', nested.reference)
    .orderBy('integration_id')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { organisationId, integrationId: row.integration_id, referenceId: row.order_reference };
}
