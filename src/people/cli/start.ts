/**
 * `forestall start`: everything in one process.
 *
 * With no settings: an embedded PostgreSQL, the sandbox as the service, a demonstration merchant, and
 * a live line per alert. With the settings of a real service: the same roles against it, and JSON
 * logs on standard output.
 */

import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Command } from 'commander';
import { pino } from 'pino';
import { ensureInboxPartitions } from '../../alerts/receive/inbox.store.ts';
import { warnOfSuperuser } from '../../base/db/database-user.ts';
import { warnOfLossyDatabase } from '../../base/db/durability.ts';
import { startEmbeddedPostgres } from '../../base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../base/db/migrate.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import { closeServer, listen } from '../../base/http/listen.ts';
import { migrateBoss } from '../../base/jobs/boss.ts';
import type { Log } from '../../base/kernel/log.ts';
import { createLog } from '../../base/kernel/log.ts';
import { acceptOrders } from '../../orders/intake.ts';
import type { Settings } from '../../running/config.ts';
import { intakeDeps } from '../../running/roles/intake.ts';
import type { LiveSettings } from '../../running/roles/live-settings.ts';
import { openLiveSettings } from '../../running/roles/live-settings.ts';
import { openEvents, signedEvents } from '../../running/roles/open-events.ts';
import { openWork } from '../../running/roles/open-work.ts';
import type { Parts } from '../../running/roles/parts.ts';
import { openParts } from '../../running/roles/parts.ts';
import { createServeRole } from '../../running/roles/serve.ts';
import type { AskHealth } from '../../running/roles/shared-health.ts';
import { startWorkRole } from '../../running/roles/work.ts';
import type { World } from '../../running/roles/world.ts';
import { databaseAt, remoteWorld, sandboxWorld, tellsItself } from '../../running/roles/world.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { HTTP_EVENTS } from '../../service/processor/http-events.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import { LOG_FILE, printBanner, STOPPED } from './banner.ts';
import { startDemo } from './demo/demo.ts';
import { keepSandbox, resumeSandbox } from './kept-sandbox.ts';
import type { Running } from './lifecycle.ts';
import { runCommand, runUntilSignal } from './lifecycle.ts';
import { startLiveLines } from './live/live-lines.ts';
import { openConsole } from './open-console.ts';
import { say } from './print.ts';
import { leaveRunning, runningOf } from './running.ts';
import {
  tryListenerSettings,
  tryPolicy,
  tryWorkerSettings,
  warnOfUnknownSettings,
} from './try-settings.ts';

/** Stops what was started, last first. */
type Stop = () => Promise<void>;

export function registerStart(program: Command): void {
  program
    .command('start')
    .option('--quiet', 'with the sandbox: no demonstration, only the service')
    .action(async (options: { quiet?: boolean }) => {
      await runCommand(async () => await runUntilSignal(() => start(options.quiet === true)));
    });
}

async function start(quiet: boolean): Promise<Running> {
  const live = openLiveSettings();
  const settings = live.current();
  const demonstration = settings.service.kind === 'sandbox';
  const log = openLog(settings, demonstration);
  warnOfUnknownSettings(log);
  tryListenerSettings(settings);
  await tryWorkerSettings(settings, log);
  const stops: Stop[] = [];
  const stopAll: Stop = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const connectionString = await openStore(live, log, stops);
    const { world, sandbox } = await openWorld({ live, connectionString, log }, stops);
    const parts = await openParts(world.place, log);
    stops.push(() => parts.close());
    if (settings.databaseUrl !== undefined) await warnOfSuperuser(parts.database.db, log);
    await warnOfLossyDatabase(parts.database.db, log);
    const consoleToken = settings.consoleToken ?? randomBytes(18).toString('base64url');
    const eventSecret = tellsItself(settings) ? randomBytes(24).toString('hex') : undefined;
    const roles = { live, world, parts, consoleToken, eventSecret };
    const { health, ...ports } = await startRoles(roles, stops);
    const unfollow = live.follow({ log, keyKeeper: parts.keyKeeper });
    stops.push(async () => unfollow());
    const webhookUrl = `http://127.0.0.1:${ports.webhooks}/webhooks`;
    stops.push(await leaveRunning(runningOf(world, { connectionString, sandbox, webhookUrl })));
    if (sandbox !== undefined) {
      sandbox.pointWebhooksAt(webhookUrl);
      const eventUrl = `http://127.0.0.1:${ports.webhooks}/processor-events/${HTTP_EVENTS}`;
      const events = eventSecret === undefined ? null : { url: eventUrl, secret: eventSecret };
      sandbox.changeProcessor({ events });
      printBanner({ ports, consoleToken, sandbox, quiet });
      if (!quiet) startShow({ parts, sandbox, health }, stops);
    } else {
      log.info(
        { ports, ...(settings.consoleToken === undefined ? { consoleToken } : {}) },
        'started',
      );
    }
  } catch (error) {
    await stopAll();
    throw error;
  }
  return {
    log,
    async stop(): Promise<void> {
      await stopAll();
      if (demonstration) say(STOPPED);
    },
  };
}

function openLog(settings: Settings, demonstration: boolean): Log {
  if (!demonstration) return createLog({ level: settings.logLevel });
  mkdirSync('.forestall', { recursive: true });
  return createLog({
    level: settings.logLevel,
    destination: pino.destination({ dest: LOG_FILE, sync: false }),
  });
}

/** Opens the database, embedded unless one is named, and brings it up to date. */
async function openStore(live: LiveSettings, log: Log, stops: Stop[]): Promise<string> {
  let connectionString = live.current().databaseUrl;
  if (connectionString === undefined) {
    const server = await startEmbeddedPostgres();
    stops.push(() => server.stop());
    connectionString = server.connectionString;
  }
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

async function openWorld(
  { live, connectionString, log }: { live: LiveSettings; connectionString: string; log: Log },
  stops: Stop[],
): Promise<{ world: World; sandbox: Sandbox | undefined }> {
  const settings = live.current();
  if (settings.service.kind === 'remote') {
    return { world: remoteWorld(live, connectionString), sandbox: undefined };
  }
  const processorSecret = randomBytes(24).toString('hex');
  const options = {
    processorSecret,
    // What is new has ids of its own: yesterday's alerts must not meet today's.
    seed: randomInt(2 ** 31),
    brandTokens: createBrandTokens(settings.brandTokens),
  };
  const sandbox = await createSandbox({ ...options, port: settings.sandboxPort }).catch(
    async () => await createSandbox(options),
  );
  stops.push(() => sandbox.close());
  await resumeSandbox(sandbox, log);
  stops.push(await keepSandbox(sandbox, log));
  return { world: sandboxWorld(live, connectionString, { sandbox, processorSecret }), sandbox };
}

interface RoleParts {
  readonly live: LiveSettings;
  readonly world: World;
  readonly parts: Parts;
  readonly consoleToken: string;
  /** Signs what the sandbox's processor tells; undefined where it tells nothing. */
  readonly eventSecret: string | undefined;
}

async function startRoles(
  { live, world, parts, consoleToken, eventSecret }: RoleParts,
  stops: Stop[],
): Promise<{ webhooks: number; console: number; health: AskHealth }> {
  const settings = live.current();
  const demonstration = settings.service.kind === 'sandbox';
  const { processor } = world;
  const options = await openWork(parts, { settings, processor, demonstration });
  const worker = await startWorkRole(parts, options);
  stops.push(() => worker.stop());
  const serve = createServeRole(parts, {
    get webhookSecrets(): readonly string[] {
      return world.webhookSecrets;
    },
    tls: settings.tls,
    events:
      eventSecret === undefined
        ? ((await openEvents(settings.processorEvents, parts.clock)) ?? options.processor.events)
        : signedEvents([eventSecret], parts.clock),
  });
  stops.push(() => serve.close());
  const { counters, health } = serve;
  const consoleServer = openConsole(parts, { live, consoleToken, counters, health });
  const webhooks = await listen(serve.server, {
    port: settings.port,
    host: demonstration ? '127.0.0.1' : '0.0.0.0',
    setting: 'PORT',
    orNextFree: demonstration,
  });
  stops.push(() => closeServer(serve.server));
  const consolePort = await listen(consoleServer, {
    port: settings.consolePort,
    host: settings.console.host,
    setting: 'FORESTALL_CONSOLE_PORT',
    orNextFree: demonstration,
  });
  stops.push(() => closeServer(consoleServer));
  return { webhooks, console: consolePort, health };
}

interface Show {
  readonly parts: Parts;
  readonly sandbox: Sandbox;
  readonly health: AskHealth;
}

/** The demonstration merchant and the live view. */
function startShow({ parts, sandbox, health }: Show, stops: Stop[]): void {
  const { database, clock, organisationId, wakeBus, place } = parts;
  const { db } = database;
  const stopLines = startLiveLines({
    db,
    organisationId,
    wakeBus,
    output: process.stdout,
    health,
  });
  const stopDemo = startDemo({
    sandbox,
    log: parts.log.child({ part: 'demo' }),
    recordOrder: async (order) => {
      const { integrationId } = place;
      const deps = intakeDeps({ db, clock, organisationId, integrationId });
      await acceptOrders(deps, [order]);
    },
    onStory: (title) => parts.log.info({ story: title }, 'story'),
  });
  stops.push(stopLines, stopDemo);
}
