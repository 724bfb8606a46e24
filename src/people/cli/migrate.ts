/** `forestall migrate`: brings the database to this version's schema, before the roles start. */
import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import { migrateToLatest } from '../../base/db/migrate.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import { migrateBoss } from '../../base/jobs/boss.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { Settings } from '../../running/config.ts';
import { openLiveSettings } from '../../running/roles/live-settings.ts';
import { databaseAt } from '../../running/roles/service-access.ts';
import { say } from './print.ts';

/** Applies what is missing, and says what it was. */
export async function migrate(): Promise<void> {
  const live = openLiveSettings(undefined, []);
  const settings = live.current();
  const connectionString = requireDatabase(settings);
  const log = createLog({ level: settings.logLevel });
  const { migration } = databaseAt(connectionString, live);
  const database = migration.open(log);
  await requireReachable(database);
  try {
    const applied = await migrateToLatest(database.db);
    await ensureInboxPartitions(database.db);
    await migrateBoss(migration.jobs, log);
    say(applied.length === 0 ? 'Nothing to migrate.' : `Applied: ${applied.join(', ')}.`);
  } finally {
    await database.close();
  }
}

/** @throws ConfigError where no database is named: roles share one */
export function requireDatabase(settings: Settings): string {
  if (settings.databaseUrl === undefined) {
    throw new ConfigError('DATABASE_URL is missing; replicas share one database.');
  }
  return settings.databaseUrl;
}
