/** A PostgreSQL for tests that needs nothing installed: temporary, migrated, gone after `stop()`. */
import { openDatabase } from '../../base/db/connect.ts';
import { startEmbeddedPostgres } from '../../base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../base/db/migrate.ts';
import { DEFAULT_SCHEMA, jobsSchemaOf } from '../../base/db/schemas.ts';
import { migrateBoss } from '../../base/jobs/boss.ts';
import { createLog } from '../../base/kernel/log.ts';

/** A running server with one migrated database. */
export interface TestDatabase {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts it, in about three seconds: once per test run, not per test.
 *
 * @throws {ConfigError} when the optional package with the server for this platform is not installed
 */
export async function startTestDatabase(): Promise<TestDatabase> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const url = server.connectionString;
  const log = createLog({ level: 'silent' });
  const { db, close } = openDatabase({ connectionString: url, log });
  try {
    await migrateToLatest(db);
    await migrateBoss({ connectionString: url, schema: jobsSchemaOf(DEFAULT_SCHEMA) }, log);
  } catch (error) {
    await close();
    await server.stop();
    throw error;
  }
  await close();
  return { url, stop: () => server.stop() };
}
