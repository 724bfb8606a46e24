/**
 * What a `forestall start` leaves for other commands in the same folder: where its database is and
 * whom it serves. The file holds the embedded database's password, so only its owner may read it.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readSettings } from '../config.ts';
import { openDatabase } from '../db/connect.ts';
import { pendingMigrations } from '../db/migrate.ts';
import { systemClock } from '../kernel/clock.ts';
import { ConfigError } from '../kernel/errors.ts';
import { createLog } from '../kernel/log.ts';
import type { OrdersContext } from './orders.ts';

const FILE = '.forestall/running.json';

const runningSchema = z.object({
  connectionString: z.string(),
  organisationId: z.string(),
  integrationId: z.string().optional(),
});

/** Where a running Forestall is. */
export type Running = z.infer<typeof runningSchema>;

/** Leaves the note. Returns the function that takes it away. */
export async function leaveRunning(running: Running): Promise<() => Promise<void>> {
  await mkdir('.forestall', { recursive: true });
  await rm(FILE, { force: true });
  await writeFile(FILE, JSON.stringify(running), { mode: 0o600 });
  return async () => await rm(FILE, { force: true });
}

async function findRunning(): Promise<Running> {
  const settings = readSettings();
  const { databaseUrl, organisationId, integrationId } = settings;
  if (databaseUrl !== undefined && organisationId !== undefined) {
    return { connectionString: databaseUrl, organisationId, integrationId };
  }
  try {
    return runningSchema.parse(JSON.parse(await readFile(FILE, 'utf8')));
  } catch (error) {
    throw new ConfigError(
      'No database is named and no "forestall start" runs in this folder. Set DATABASE_URL and FORESTALL_ORGANISATION_ID, or start it here.',
      { cause: error },
    );
  }
}

/**
 * Opens the database that the settings name, or the one of a `forestall start` in this folder.
 *
 * @throws {ConfigError} when there is neither, or its schema is another version's
 */
export async function openRunning(): Promise<OrdersContext> {
  const { programmes } = readSettings();
  const { connectionString, organisationId, integrationId } = await findRunning();
  const database = openDatabase({
    connectionString,
    log: createLog({ level: 'silent' }),
    maxConnections: 4,
  });
  try {
    const pending = await pendingMigrations(database.db);
    if (pending.length > 0)
      throw new ConfigError('The database is not migrated. Run "forestall migrate" first.');
  } catch (error) {
    await database.close();
    if (error instanceof ConfigError) throw error;
    throw new ConfigError('The database cannot be reached. Is "forestall start" still running?', {
      cause: error,
    });
  }
  return {
    db: database.db,
    clock: systemClock,
    organisationId,
    integrationId,
    programmes,
    close: () => database.close(),
  };
}
