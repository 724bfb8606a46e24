/**
 * Several reads on one connection, for a page or a scrape that is asked for again and again.
 *
 * PostgreSQL plans a prepared statement anew for its first five uses on each connection. A scrape that meets another
 * connection each time is planned each time, which takes longer than reading. Here the plan of its first use is kept.
 *
 * For statements only whose plan does not depend on a value: those that find rows by an organisation, or by a list of
 * them, along indexes whose conditions are written into the statement.
 */
import { sql } from 'kysely';
import type { Db, Trx } from './database.ts';

/** Runs `read` in a transaction of its own, on one connection. Each statement sees what is committed when it begins. */
export async function readTogether<Result>(
  db: Db,
  read: (trx: Trx) => Promise<Result>,
): Promise<Result> {
  return await db.transaction().execute(async (trx) => {
    await sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`.execute(trx);
    return await read(trx);
  });
}
