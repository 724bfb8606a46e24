/**
 * Stores orders together as long as they can be, and finds the one that cannot: a batch that the
 * database refuses is rolled back to where it began and halved until the faulty order is alone.
 *
 * It uses savepoints, so that the transaction, also one of the merchant's own, can continue.
 */
import { sql } from 'kysely';
import { commitWritesOf } from '../base/db/commit-writes.store.ts';
import type { Trx } from '../base/db/database.ts';
import { isRowFault } from '../base/db/row-fault.ts';
import { sqlStateOf } from '../base/db/transaction.ts';
import { InvariantError } from '../base/kernel/errors.ts';

/** How entries are stored together, and what becomes of one that cannot be. */
export interface StoreApart<Entry, Result> {
  /** Results are in the order of the entries. */
  store(entries: readonly Entry[]): Promise<Result[]>;
  /** `code` says what the database meant, and nothing of what is in the entry. */
  refuse(entry: Entry, code: string): Result;
}

/** Stores `entries`. A fault of the database itself is thrown. */
export async function storeApart<Entry, Result>(
  trx: Trx,
  entries: readonly Entry[],
  how: StoreApart<Entry, Result>,
): Promise<Result[]> {
  const forget = commitWritesOf(trx)?.mark();
  await sql`savepoint feed_intake`.execute(trx);
  try {
    const results = await how.store(entries);
    await sql`release savepoint feed_intake`.execute(trx);
    return results;
  } catch (error) {
    if (!isRowFault(error) && !(error instanceof InvariantError)) throw error;
    await sql`rollback to savepoint feed_intake`.execute(trx);
    forget?.();
    await sql`release savepoint feed_intake`.execute(trx);
    const [only] = entries;
    if (only !== undefined && entries.length === 1) {
      return [how.refuse(only, sqlStateOf(error) ?? 'INTERNAL')];
    }
  }
  const middle = entries.length >> 1;
  return [
    ...(await storeApart(trx, entries.slice(0, middle), how)),
    ...(await storeApart(trx, entries.slice(middle), how)),
  ];
}
