/**
 * Says in one line that the database cannot be used: at a start this is no defect of ours, and a
 * supervisor that starts the process again needs no stack. A server older than those that the tests run
 * on is refused.
 */
import { sql } from 'kysely';
import { ConfigError, DatabaseError } from '../kernel/errors.ts';
import type { OpenDatabase } from './connect.ts';
import { ReadOnlyDatabaseError } from './writable.ts';

/** The oldest version that works. */
const OLDEST_VERSION = 15;

/**
 * Asks the database for its version.
 *
 * @throws {DatabaseError} when it does not answer, or lets this user not in; the pool is closed then
 * @throws {ReadOnlyDatabaseError} when it takes no writes; the pool is closed then
 * @throws {ConfigError} when it is too old; the pool is closed then
 */
export async function requireReachable(database: OpenDatabase): Promise<void> {
  const version = await readVersion(database);
  if (version >= OLDEST_VERSION) return;
  await database.close();
  throw new ConfigError(
    `The database is PostgreSQL ${version}, and Forestall needs ${OLDEST_VERSION} or later. Upgrade the server, or set DATABASE_URL to another.`,
  );
}

async function readVersion(database: OpenDatabase): Promise<number> {
  try {
    const { rows } = await sql<{ version: number }>`
      select current_setting('server_version_num')::int / 10000 as version`.execute(database.db);
    return rows[0]?.version ?? 0;
  } catch (error) {
    await database.close();
    if (error instanceof ReadOnlyDatabaseError) throw error;
    throw new DatabaseError(
      'The database cannot be used. Check DATABASE_URL, and that the server runs and lets this user in.',
      { cause: error },
    );
  }
}
