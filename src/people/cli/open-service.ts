/** What `forestall start` opens first: the log, the database, and the service or a sandbox in its place. */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import { EMBEDDED_FOLDER, startEmbeddedPostgres } from '../../base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../base/db/migrate.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import { migrateBoss } from '../../base/jobs/boss.ts';
import type { Log } from '../../base/kernel/log.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { Settings } from '../../running/config.ts';
import type { LiveSettings } from '../../running/live-settings.ts';
import type { ServiceAccess } from '../../running/roles/service-access.ts';
import {
  accessToSandbox,
  accessToService,
  databaseAt,
} from '../../running/roles/service-access.ts';
import { tryPolicy } from '../../running/roles/try-settings.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import { createProgress } from '../../surface/terminal/progress.ts';
import { LOG_FILE } from './banner.ts';
import { keepSandbox, resumeSandbox } from './kept-sandbox.ts';
import type { Stop } from './lifecycle.ts';

/** To a file where a person watches the live lines. */
export function openLog(settings: Settings, demonstration: boolean): Log {
  if (!demonstration) return createLog({ level: settings.logLevel });
  mkdirSync('.forestall', { recursive: true });
  return createLog({
    level: settings.logLevel,
    destination: pino.destination({ dest: LOG_FILE, sync: false }),
  });
}

/** Opens the database, embedded unless one is named, and brings it up to date. */
export async function openStore(live: LiveSettings, log: Log, stops: Stop[]): Promise<string> {
  const connectionString = live.current().databaseUrl ?? (await startOwnDatabase(live, log, stops));
  const { migration } = databaseAt(connectionString, live);
  const database = migration.open(log);
  await requireReachable(database);
  try {
    await tryPolicy(live.current(), { database, log });
    const applied = await migrateToLatest(database.db);
    if (applied.length > 0) log.info({ applied }, 'migrated');
    await ensureInboxPartitions(database.db);
  } finally {
    await database.close();
  }
  await migrateBoss(migration.jobs, log);
  return connectionString;
}

/** With a real service the ledger stays where it was put, or nothing starts; in shadow mode it is said. */
async function startOwnDatabase(live: LiveSettings, log: Log, stops: Stop[]): Promise<string> {
  const { service, mode } = live.current();
  const isReal = service.kind === 'remote';
  const server = await startEmbeddedPostgres({ mustStay: isReal && mode === 'live' });
  stops.push(() => server.stop());
  if (isReal && server.folder !== resolve(EMBEDDED_FOLDER)) {
    log.warn(
      { folder: server.folder },
      'DATABASE_URL is not set, and the rows are kept under the folder for temporary files, which the system may empty: set DATABASE_URL, or start as an ordinary user. In live mode this start is refused.',
    );
  }
  return server.connectionString;
}

export interface OpenServiceOptions {
  readonly live: LiveSettings;
  readonly connectionString: string;
  readonly log: Log;
  /** A pool of several organisations is opened for none of them: each borrows connections of it. */
  readonly isMany: boolean;
  /** Days that are made up for a demonstration that begins. @default none */
  readonly pastDays?: number;
}

/** The service, and the sandbox in its place where none is named. */
export async function openService(
  { live, connectionString, log, isMany, pastDays = 0 }: OpenServiceOptions,
  stops: Stop[],
): Promise<{ access: ServiceAccess; sandbox: Sandbox | undefined }> {
  const settings = live.current();
  if (settings.service.kind === 'remote') {
    const database = databaseAt(
      connectionString,
      live,
      isMany ? undefined : settings.organisationId,
    );
    return { access: accessToService(live, database), sandbox: undefined };
  }
  const processorSecret = randomBytes(24).toString('hex');
  // What is new has ids of its own: yesterday's alerts must not meet today's.
  const seed = randomInt(2 ** 31);
  const options = {
    processorSecret,
    seed,
    brandTokens: createBrandTokens(settings.brandTokens),
  };
  const sandbox = await createSandbox({ ...options, port: settings.sandboxPort }).catch(
    async () => await createSandbox(options),
  );
  stops.push(() => sandbox.close());
  const isResumed = await resumeSandbox(sandbox, { log });
  // Only in the demonstration's own database, and only where it begins.
  if (!isResumed && !isMany && settings.databaseUrl === undefined && pastDays > 0) {
    await givePast(sandbox, { settings, connectionString, log, seed, days: pastDays });
  }
  const { organisationId } = sandbox.accounts;
  const database = databaseAt(connectionString, live, isMany ? undefined : organisationId);
  stops.push(await keepSandbox(sandbox, { log }));
  return { access: accessToSandbox(live, database, { sandbox, processorSecret }), sandbox };
}

interface Past {
  readonly settings: Settings;
  readonly connectionString: string;
  readonly log: Log;
  readonly seed: number;
  readonly days: number;
}

/** The sandbox goes on from days that are made up now. */
async function givePast(
  sandbox: Sandbox,
  { settings, connectionString, log, seed, days }: Past,
): Promise<void> {
  const progress = createProgress(`Making ${days} days of a merchant's past`);
  const startedMs = performance.now();
  const { makePast } = await import('./demo/past.ts');
  try {
    const snapshot = await makePast({
      database: connectionString,
      brandTokens: settings.brandTokens,
      sandbox: { seed },
      untilMs: sandbox.clock.nowMs(),
      seed,
      days,
      onDay: (done, total) => progress.update(done, total),
      ...(settings.dataKeys === undefined ? {} : { dataKeys: settings.dataKeys }),
    });
    sandbox.restore(snapshot);
  } finally {
    progress.stop();
  }
  log.info({ days, tookMs: Math.round(performance.now() - startedMs) }, 'a past was made up');
}
