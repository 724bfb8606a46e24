/**
 * Runs a transaction, and runs it again when Postgres says that nothing but timing was wrong.
 *
 * A lost connection is not repeated: whether its COMMIT took effect is unknown, and only the caller
 * can read the row and see (K15).
 */
import type { Kysely, Transaction } from 'kysely';
import { openClosing, writeClosing } from './closing.store.ts';
import type { Database } from './database.ts';

/** serialization_failure and deadlock_detected. */
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01']);
const ATTEMPTS_MAX = 3;

/** The SQLSTATE of a Postgres error, or undefined. */
export function sqlStateOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)
    ? error.code
    : undefined;
}

/** Runs `work` in a transaction; at most three times when it meets a deadlock or a serialization failure. */
export async function inTransaction<Result>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (trx) => {
        const closing = openClosing(trx);
        const result = await work(trx);
        await writeClosing(trx, closing);
        return result;
      });
    } catch (error) {
      const state = sqlStateOf(error);
      if (attempt >= ATTEMPTS_MAX || state === undefined || !REPEATABLE.has(state)) throw error;
    }
  }
}
