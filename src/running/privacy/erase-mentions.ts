/**
 * Orders of other customers that name the person: who a gift goes to, a second address. Only the name goes; an order
 * that has still to be sent stays as it is.
 */

import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Person } from '../../base/seal/person.ts';
import { isNamedInJson, redactJson } from '../../base/seal/redact.ts';
import { openJson } from '../../base/seal/seal.ts';
import { placeOfOrder } from '../../orders/sealed-order.ts';
import type { OrderRef } from './erase.store.ts';
import { lockOrders, readOrders, replaceOrder } from './erase.store.ts';

export interface Mentions {
  /** Orders left as they are, because they or a part of them has still to be sent. */
  readonly underWay: readonly string[];
  /** As in the report of an erasure. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Erases the names in all orders but these, or counts. */
export async function eraseMentions(
  db: Db,
  erasure: {
    readonly organisationId: string;
    readonly person: Person;
    readonly now: Date;
    readonly dryRun: boolean;
  },
  own: readonly OrderRef[],
): Promise<Mentions> {
  const keyOf = (ref: OrderRef): string => JSON.stringify([ref.integrationId, ref.referenceId]);
  // After an erasure they say nothing but references; before one they are counted as orders.
  const counted = new Set(erasure.dryRun ? own.map(keyOf) : []);
  const kept = new Set(own.map(keyOf));
  const underWay: string[] = [];
  let rows = 0;
  for await (const named of ordersNaming(db, erasure)) {
    const others = named.filter((ref) => !counted.has(keyOf(ref)));
    const left = erasure.dryRun
      ? []
      : await inTransaction(db, (trx) => eraseIn(trx, erasure, others));
    rows += others.length - left.length;
    underWay.push(
      ...left.filter((ref) => !kept.has(keyOf(ref))).map(({ referenceId }) => referenceId),
    );
  }
  return { underWay, rows: rows === 0 ? {} : { 'order_record.body': rows } };
}

/** Orders whose text names the person, some at a time. */
export async function* ordersNaming(
  db: Db,
  { organisationId, person }: { readonly organisationId: string; readonly person: Person },
): AsyncGenerator<OrderRef[]> {
  const keys = dataKeysOf(db);
  for await (const rows of readOrders(db, organisationId)) {
    const named = rows
      .map((row) => ({
        row,
        ref: { integrationId: row.integration_id, referenceId: row.reference_id },
      }))
      .filter(({ row, ref }) =>
        (['submitted', 'body'] as const).some((column) =>
          isNamedInJson(
            JSON.stringify(
              openJson(keys, placeOfOrder({ organisationId, ...ref }, column), row[column]),
            ),
            person,
          ),
        ),
      )
      .map(({ ref }) => ref);
    if (named.length > 0) yield named;
  }
}

/** Returns those that are left as they are. */
async function eraseIn(
  trx: Trx,
  { organisationId, person, now }: { organisationId: string; person: Person; now: Date },
  refs: readonly OrderRef[],
): Promise<readonly OrderRef[]> {
  const orders = await lockOrders(trx, organisationId, refs);
  const without = (value: unknown): unknown =>
    JSON.parse(redactJson(JSON.stringify(value), person));
  for (const { isUnderWay, ...order } of orders) {
    if (isUnderWay) continue;
    await replaceOrder(trx, organisationId, {
      ...order,
      body: without(order.body),
      submitted: without(order.submitted),
      erasedAt: now,
    });
  }
  return orders.filter(({ isUnderWay }) => isUnderWay);
}
