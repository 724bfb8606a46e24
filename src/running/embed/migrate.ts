/**
 * Brings the embedding program's database up to date: our tables, and the job queue's in a schema of
 * its own.
 */

import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import { migrateToLatest, refuseUnusableSchema } from '../../base/db/migrate.ts';
import { migrateBoss } from '../../base/jobs/boss.ts';
import type { OrganisationParts, Shared } from '../roles/parts.ts';

/** Applies what is missing and names it. */
export async function migrate(parts: OrganisationParts): Promise<string[]> {
  const { migration } = parts.endpoints.database;
  const database = migration.open(parts.log);
  try {
    const applied = await migrateToLatest(database.db);
    await parts.keyAdmission.admit();
    await ensureInboxPartitions(database.db);
    await migrateBoss(migration.jobs, parts.log);
    return applied;
  } finally {
    await database.close();
  }
}

/** @throws {ConfigError} before any work, where the database is not this version's */
export async function refuseUnmigrated({ database }: Pick<Shared, 'database'>): Promise<void> {
  await refuseUnusableSchema(database.db, 'Call migrate() before you start the worker.');
}
