/**
 * Runs a transaction, and runs it again when Postgres says that nothing but timing was wrong.
 *
 * A lost connection is not repeated: whether its COMMIT took effect is unknown, and only the caller
 * can read the row and see.
 */
import type { Kysely, Transaction } from 'kysely';
import { openClosing, writeClosing } from './closing.store.ts';
import type { Database } from './database.ts';

/** serialization_failure and deadlock_detected. */
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01']);
const ATTEMPTS_MAX = 3;

/** What follows the commit of each transaction under way, by key. */
const followUps = new WeakMap<object, Map<string, () => void>>();

/**
 * Has something done once the transaction has committed; of what has the same key, the last. Where `db` is
 * no transaction it is done at once. False: the transaction is not one of {@link inTransaction}'s.
 */
export function afterCommit(db: Kysely<Database>, key: string, act: () => void): boolean {
  if (!db.isTransaction) act();
  else if (!followUps.has(db)) return false;
  followUps.get(db)?.set(key, act);
  return true;
}

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
      const acts = new Map<string, () => void>();
      const result = await db.transaction().execute(async (trx) => {
        followUps.set(trx, acts);
        const closing = openClosing(trx);
        const done = await work(trx);
        await writeClosing(trx, closing);
        return done;
      });
      for (const act of acts.values()) act();
      return result;
    } catch (error) {
      const state = sqlStateOf(error);
      if (attempt >= ATTEMPTS_MAX || state === undefined || !REPEATABLE.has(state)) throw error;
    }
  }
}
