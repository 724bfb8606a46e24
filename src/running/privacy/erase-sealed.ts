/**
 * Erasure where the database cannot read: opens each sealed body, takes the person out, seals it again.
 * Which orders are a customer's is found the same way, because the address on an order is sealed too.
 */

import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import type { Person } from '../../base/seal/person.ts';
import { isNamedIn, redactBytes } from '../../base/seal/redact.ts';
import { openJson } from '../../base/seal/seal.ts';
import { placeOfOrder } from '../../orders/sealed-order.ts';
import type { OrderRef, Whose } from './erase.store.ts';
import { isOrderOf, readOrders } from './erase.store.ts';
import { bodyColumns, openBodyRow, pagesOf } from './reseal.ts';
import type { RowRef } from './sealed-row.store.ts';
import { readBodies, writeRow } from './sealed-row.store.ts';

/** Bodies opened at once. */
const BATCH = 100;

export interface SealedErasure {
  readonly organisationId: string;
  readonly table: string;
  readonly person: Person;
  /** Only count. */
  readonly dryRun: boolean;
}

/** Erases, or counts, the sealed bodies that name the person. Returns how many. */
export async function eraseSealedBodies(db: Db, erasure: SealedErasure): Promise<number> {
  const keys = dataKeysOf(db);
  if (keys === undefined) return 0;
  let found = 0;
  for await (const refs of pagesOf(db, erasure.table, erasure)) {
    const sealed = refs.filter(({ states }) => states.some((state) => (state ?? '') !== ''));
    for (let start = 0; start < sealed.length; start += BATCH) {
      const batch = sealed.slice(start, start + BATCH);
      const named = await namedAmong(db, { ...erasure, keys, batch });
      if (!erasure.dryRun) await redactBatch(db, { ...erasure, keys, batch: named });
      found += named.length;
    }
  }
  return found;
}

type BatchErasure = SealedErasure & { readonly keys: DataKeys; readonly batch: readonly RowRef[] };

async function namedAmong(db: Db, erasure: BatchErasure): Promise<RowRef[]> {
  const { table, batch, person } = erasure;
  const rows = await readBodies(db, table, { refs: batch, lock: false });
  const named = rows.filter((row) => isNamedIn(openBodyRow(table, row, erasure), person));
  const places = new Set(named.map(({ part, place }) => `${part}/${place}`));
  return batch.filter(({ part, place }) => places.has(`${part}/${place}`));
}

async function redactBatch(db: Db, erasure: BatchErasure): Promise<void> {
  const { table, batch, person } = erasure;
  if (batch.length === 0) return;
  await inTransaction(db, async (trx) => {
    for (const row of await readBodies(trx, table, { refs: batch, lock: true })) {
      const plain = redactBytes(openBodyRow(table, row, erasure), person);
      await writeRow(trx, { ...row, table }, bodyColumns({ table, row, plain }, erasure));
    }
  });
}

/** Orders that say so, and are sealed. */
export async function sealedOrdersOf(
  db: Db,
  organisationId: string,
  whose: Whose,
): Promise<OrderRef[]> {
  const keys = dataKeysOf(db);
  if (keys === undefined || whose.emails.length + whose.accounts.length === 0) return [];
  const own: OrderRef[] = [];
  for await (const rows of readOrders(db, organisationId, { sealedOnly: true })) {
    for (const row of rows) {
      const ref = { integrationId: row.integration_id, referenceId: row.reference_id };
      const said = (['body', 'submitted'] as const).map((column) =>
        openJson(keys, placeOfOrder({ organisationId, ...ref }, column), row[column]),
      );
      if (said.some((each) => isOrderOf(whose, ref.integrationId, each))) own.push(ref);
    }
    if (own.length >= (whose.most ?? Number.POSITIVE_INFINITY)) break;
  }
  return own;
}
