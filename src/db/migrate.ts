/**
 * Brings the database up to date from the numbered SQL files in `migrations/`.
 *
 * Any number of processes may call this at once: one applies, the others wait for its lock and find
 * nothing left to do. A failure is thrown; nothing starts on a half-migrated database.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import { DatabaseError } from '../kernel/errors.ts';
import type { Database } from './database.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);
const FILE_NAME = /^[0-9]{4}_[a-z0-9_]+\.sql$/;

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
 * Applies every migration that is missing. Returns the names of those it applied.
 *
 * @throws {DatabaseError} naming the migration that failed; none of this call's migrations stay
 */
export async function migrateToLatest(db: Kysely<Database>): Promise<string[]> {
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
