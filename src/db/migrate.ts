/**
 * Brings the database up to date from the numbered SQL files in `migrations/`.
 *
 * Any number of processes may call this at once: one applies, the others wait for its lock and find
 * nothing left to do. A failure is thrown; nothing starts on a half-migrated database.
 *
 * A migration only adds, so that the version before works on the schema after it: replicas are exchanged
 * one by one, and going back to the version before needs nothing. One that cannot keep this ends its
 * name in `_breaking`; older versions refuse to work beside it.
 *
 * A migration takes as long as it takes, and so does the wait for another process that migrates; only its
 * wait for a table is limited, because everybody else's statements queue behind it. One whose name ends in
 * `_concurrently` runs outside a transaction, for indexes on tables that are written to meanwhile.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Migration, MigrationResultSet } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import { ConfigError, DatabaseError } from '../kernel/errors.ts';
import type { Database } from './database.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const FILE_NAME = /^[0-9]{4}_[a-z0-9_]+\.sql$/;
const BREAKING = /_breaking$/;
const CONCURRENTLY = /_concurrently$/;

/** Longest wait of a migration for a table that others use, in PostgreSQL's words. */
const LOCK_TIMEOUT = '10s';

/** Ends a statement where several are sent one by one. */
const STATEMENT_END = /;\s*$/m;

/** Reads the migrations of a folder, by name. */
async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  const entries = names.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(new URL(file, folder), 'utf8');
    const name = file.replace(/\.sql$/, '');
    return [name, { up: CONCURRENTLY.test(name) ? oneByOne(text) : together(text) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function together(text: string): Migration['up'] {
  return async (db) => {
    await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(db);
    await sql.raw(text).execute(db);
  };
}

/** What is sent together, PostgreSQL would run in one transaction. */
function oneByOne(text: string): Migration['up'] {
  return async (db) => {
    for (const statement of text.split(STATEMENT_END)) {
      if (statement.trim() !== '') await sql.raw(statement).execute(db);
    }
  };
}

function createMigrator(db: Kysely<Database>, folder: URL): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: () => readMigrations(folder) },
    migrationTableName: 'forestall_migration',
    migrationLockTableName: 'forestall_migration_lock',
  });
}

/**
 * Applies every migration that is missing. Returns the names of those it applied. On the schema of a
 * later version it applies nothing.
 *
 * @throws {DatabaseError} naming the migration that failed; none of this call's migrations stay
 * @throws {ConfigError} on a later version's schema that this one cannot work with
 */
export async function migrateToLatest(db: Kysely<Database>, folder = FOLDER): Promise<string[]> {
  if ((await laterMigrations(db, folder)).length > 0) {
    await refuseUnusableSchema(db);
    return [];
  }
  const applied: string[] = [];
  while ((await pendingMigrations(db, folder)).length > 0) {
    applied.push(...(await applyNext(db, folder)));
  }
  return applied;
}

/** Applies what comes next: all that share a transaction, or one that runs outside any. */
async function applyNext(db: Kysely<Database>, folder: URL): Promise<string[]> {
  return await db.transaction().execute(async (trx) => {
    await waitForTurn(trx);
    const pending = await pendingMigrations(trx, folder);
    const target = endOfStep(pending);
    if (target === undefined) return [];
    const isApart = CONCURRENTLY.test(target);
    // One that runs outside a transaction does so on another connection than the one whose
    // transaction keeps other processes waiting.
    const migrator = createMigrator(isApart ? db : trx, folder);
    const result = await migrator.migrateTo(target, { disableTransactions: isApart });
    return namesOf(result, isApart ? 'It begins anew at the next start' : 'Nothing was changed');
  });
}

/** The last name of those to apply in one step. */
function endOfStep(pending: readonly string[]): string | undefined {
  const apart = pending.findIndex((name) => CONCURRENTLY.test(name));
  return apart > 0 ? pending[apart - 1] : (pending[apart] ?? pending.at(-1));
}

/** Waits for a process that migrates, and keeps others waiting until the transaction ends. */
async function waitForTurn(trx: Transaction<Database>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
  await sql`select pg_advisory_xact_lock(hashtextextended('forestall:migrate', 0))`.execute(trx);
}

/** @throws {DatabaseError} naming the one that failed */
function namesOf({ error, results = [] }: MigrationResultSet, consequence: string): string[] {
  if (error !== undefined) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName ?? 'unknown';
    throw new DatabaseError(`Migration ${failed} failed. ${consequence}; see the cause.`, {
      cause: error,
    });
  }
  return results.map((result) => result.migrationName);
}

/** Names of migrations that this version ships and the database lacks. */
export async function pendingMigrations(db: Kysely<Database>, folder = FOLDER): Promise<string[]> {
  const all = await createMigrator(db, folder).getMigrations();
  return all.filter((migration) => migration.executedAt === undefined).map(({ name }) => name);
}

/** Names of migrations that the database has and this version does not know: a later version's. */
export async function laterMigrations(db: Kysely<Database>, folder = FOLDER): Promise<string[]> {
  const present = await sql<{ found: boolean }>`
    select to_regclass('forestall_migration') is not null as found`.execute(db);
  if (present.rows[0]?.found !== true) return [];
  const own = new Set(Object.keys(await readMigrations(folder)));
  const applied = await sql<{ name: string }>`
    select name from forestall_migration order by name`.execute(db);
  return applied.rows.map(({ name }) => name).filter((name) => !own.has(name));
}

/**
 * Refuses a schema that this version cannot work on, so that nothing works by halves (F84).
 *
 * @throws {ConfigError} saying what is missing, or which later migration stands against it
 */
export async function refuseUnusableSchema(db: Kysely<Database>): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length > 0) {
    throw new ConfigError(
      `The database lacks ${pending.join(', ')}. Run "forestall migrate" with this version first.`,
    );
  }
  const breaking = (await laterMigrations(db)).filter((name) => BREAKING.test(name));
  if (breaking.length > 0) {
    throw new ConfigError(
      `A later version has changed the database in a way that this one cannot work with (${breaking.join(', ')}). Start the later version again, or restore the backup made before the upgrade.`,
    );
  }
}
