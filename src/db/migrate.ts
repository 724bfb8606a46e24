/**
 * Brings the database up to date from the numbered SQL files in `migrations/`.
 *
 * Any number of processes may call this at once: one applies, the others wait for its lock and find
 * nothing left to do. A failure is thrown; nothing starts on a half-migrated database.
 *
 * A migration only adds, so that the version before works on the schema after it: replicas are exchanged
 * one by one, and going back to the version before needs nothing. One that cannot keep this ends its
 * name in `_breaking`; older versions refuse to work beside it.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import { ConfigError, DatabaseError } from '../kernel/errors.ts';
import type { Database } from './database.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const FILE_NAME = /^[0-9]{4}_[a-z0-9_]+\.sql$/;
const BREAKING = /_breaking$/;

/** Reads the migrations that ship with this version, by name. */
async function readMigrations(): Promise<Record<string, Migration>> {
  const names = (await readdir(FOLDER)).filter((name) => FILE_NAME.test(name)).sort();
  const entries = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(name, FOLDER), 'utf8');
    return [
      name.replace(/\.sql$/, ''),
      { up: async (db) => void (await sql.raw(text).execute(db)) },
    ];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function createMigrator(db: Kysely<Database>): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: readMigrations },
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
export async function migrateToLatest(db: Kysely<Database>): Promise<string[]> {
  if ((await laterMigrations(db)).length > 0) {
    await refuseUnusableSchema(db);
    return [];
  }
  const { error, results = [] } = await createMigrator(db).migrateToLatest();
  if (error !== undefined) {
    const failed = results.find((result) => result.status === 'Error')?.migrationName ?? 'unknown';
    throw new DatabaseError(`Migration ${failed} failed. Nothing was changed; see the cause.`, {
      cause: error,
    });
  }
  return results.map((result) => result.migrationName);
}

/** Names of migrations that this version ships and the database lacks. */
export async function pendingMigrations(db: Kysely<Database>): Promise<string[]> {
  const all = await createMigrator(db).getMigrations();
  return all.filter((migration) => migration.executedAt === undefined).map(({ name }) => name);
}

/** Names of migrations that the database has and this version does not know: a later version's. */
export async function laterMigrations(db: Kysely<Database>): Promise<string[]> {
  const present = await sql<{ found: boolean }>`
    select to_regclass('forestall_migration') is not null as found`.execute(db);
  if (present.rows[0]?.found !== true) return [];
  const own = new Set(Object.keys(await readMigrations()));
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
