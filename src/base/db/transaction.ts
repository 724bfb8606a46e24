/**
 * Runs a transaction, and runs it again when Postgres says that nothing but timing was wrong.
 *
 * A lost connection is not repeated: whether its COMMIT took effect is unknown, and only the caller
 * can read the row and see.
 */
import { sql } from 'kysely';
import { KitError } from '../kernel/errors.ts';
import { commitWritesOf, openCommitWrites, writeCommitWrites } from './commit-writes.store.ts';
import type { Db, Trx } from './database.ts';

/** serialization_failure and deadlock_detected. */
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01']);
const ATTEMPTS_MAX = 3;

/** What follows the commit of each transaction under way, by key. */
const followUps = new WeakMap<object, Map<string, () => void>>();

/**
 * Has something done once the transaction has committed; of what has the same key, the last. Where `db` is
 * no transaction it is done at once. False: the transaction is not one of {@link inTransaction}'s.
 */
export function afterCommit(db: Db, key: string, act: () => void): boolean {
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

/** A part of a transaction that may fail alone has failed: everything is run again, that part in a savepoint. */
class PartFailedError extends KitError {
  readonly code = 'PART_FAILED';
  readonly retryable = true;
}

/** Transactions in which no part has failed yet: their parts need no savepoint. */
const hopeful = new WeakSet<object>();

/**
 * Runs a part whose failure must not undo the rest of the transaction. Mostly it succeeds, and costs no
 * savepoint: where it fails the first time, the whole transaction is run again with one. What concerns
 * the transaction (a deadlock, a lost connection) is thrown.
 *
 * @returns whether the part was done
 */
export async function runApart(trx: Trx, part: () => Promise<void>): Promise<boolean> {
  if (hopeful.has(trx)) {
    try {
      await part();
      return true;
    } catch (cause) {
      if (isAboutTransaction(cause)) throw cause;
      throw new PartFailedError('A part of the transaction failed.', { cause });
    }
  }
  const forget = commitWritesOf(trx)?.mark();
  await sql`savepoint apart`.execute(trx);
  try {
    await part();
    await sql`release savepoint apart`.execute(trx);
    return true;
  } catch (error) {
    if (isAboutTransaction(error)) throw error;
    await sql`rollback to savepoint apart`.execute(trx);
    forget?.();
    return false;
  }
}

/** Deadlocks and lost connections concern the whole transaction, which is run again. */
function isAboutTransaction(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && /^(08|40|57)/.test(state);
}

/** Runs `work` in a transaction; at most three times when it meets a deadlock or a serialization failure. */
export async function inTransaction<Result>(
  db: Db,
  work: (trx: Trx) => Promise<Result>,
): Promise<Result> {
  let isHopeful = true;
  for (let attempt = 1; ; attempt++) {
    try {
      const acts = new Map<string, () => void>();
      const result = await db.transaction().execute(async (trx) => {
        followUps.set(trx, acts);
        if (isHopeful) hopeful.add(trx);
        const writes = openCommitWrites(trx);
        const done = await work(trx);
        await writeCommitWrites(trx, writes);
        return done;
      });
      for (const act of acts.values()) act();
      return result;
    } catch (error) {
      if (isHopeful && error instanceof PartFailedError) {
        isHopeful = false;
        continue;
      }
      const state = sqlStateOf(error);
      if (attempt >= ATTEMPTS_MAX || state === undefined || !REPEATABLE.has(state)) throw error;
    }
  }
}
