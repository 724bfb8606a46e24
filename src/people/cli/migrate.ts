/** `forestall migrate`: brings the database to this version's schema, before the roles start. */
import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import type { Db } from '../../base/db/database.ts';
import { migrateToLatest } from '../../base/db/migrate.ts';
import type { SchemaMove } from '../../base/db/move-schema.ts';
import { moveSchema } from '../../base/db/move-schema.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import { migrateBoss } from '../../base/jobs/boss.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { Settings } from '../../running/config.ts';
import { readInstallationPath, readVariables } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/installation-watcher.ts';
import { openLiveSettings } from '../../running/live-settings.ts';
import { databaseAt } from '../../running/roles/service-access.ts';
import { INSTALLATION } from '../../surface/access/right.store.ts';
import { trustConsole } from '../../surface/access/trust.store.ts';
import { say } from '../../surface/terminal/print.ts';

export interface MigrateFlags {
  readonly moveFrom?: string;
  readonly check?: boolean;
}

/** Moves the installation into its schema first where that is asked for; then applies what is missing, and says what it was. */
export async function migrate({ moveFrom, check }: MigrateFlags): Promise<void> {
  if (check === true && moveFrom === undefined) {
    throw new ConfigError('--check shows what --move-from would move. Give both.');
  }
  const live = openLiveSettings(undefined, []);
  const settings = live.current();
  const connectionString = requireDatabase(settings);
  const log = createLog({ level: settings.logLevel });
  const { migration } = databaseAt(connectionString, live);
  const database = migration.open(log);
  await requireReachable(database);
  try {
    if (moveFrom !== undefined) {
      const isCheck = check === true;
      say(describeMove(await moveSchema(database.db, { from: moveFrom, isCheck }), isCheck));
      if (isCheck) return;
    }
    const applied = await migrateToLatest(database.db);
    await ensureInboxPartitions(database.db);
    await migrateBoss(migration.jobs, log);
    await trustOwnConsole(database.db, settings);
    say(applied.length === 0 ? 'Nothing to migrate.' : `Applied: ${applied.join(', ')}.`);
  } finally {
    await database.close();
  }
}

/** Where it is told the console token, the console with a database user of its own is believed it. */
async function trustOwnConsole(db: Db, settings: Settings): Promise<void> {
  const { consoleToken, organisationId } = settings;
  if (consoleToken === undefined) return;
  const file = readInstallationPath();
  const organisations = file === undefined ? [] : readOrganisations(file, readVariables());
  const home = organisations.length > 1 ? INSTALLATION : (organisations[0]?.id ?? organisationId);
  if (home === undefined) return;
  await trustConsole(db, home, { consoleToken });
}

const JOBS: Readonly<Record<SchemaMove['jobs'], string>> = {
  moved: 'The job queue moves with them.',
  none: 'There is no job queue to move; one is made.',
  shared:
    'The job queue stays where it is, because others have queues there too; it loses the schedules of Forestall, which gets one of its own. Backtests and passes that were asked for and not begun are asked for again.',
};

function describeMove(
  { from, to, tables, rows, functions, jobs }: SchemaMove,
  isCheck: boolean,
): string {
  const what = `${tables} tables with ${rows} rows and ${functions} functions`;
  const first = isCheck
    ? `Would move ${what} from ${from} to ${to}. Nothing was changed.`
    : `Moved ${what} from ${from} to ${to}. Where roles.sql and wall.sql are in use, run them again.`;
  return `${first} ${JOBS[jobs]}`;
}

/** @throws ConfigError where no database is named: roles share one */
export function requireDatabase(settings: Settings): string {
  if (settings.databaseUrl === undefined) {
    throw new ConfigError('DATABASE_URL is missing; replicas share one database.');
  }
  return settings.databaseUrl;
}
