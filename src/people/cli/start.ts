/**
 * `forestall start`: everything in one process.
 *
 * With no settings: an embedded PostgreSQL, the sandbox as the service, a demonstration merchant, and
 * a live line per alert. With the settings of a real service: the same roles against it, and JSON
 * logs on standard output.
 */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Command } from 'commander';
import type { ReceiveCounters } from '../../alerts/receive/counters.ts';
import { signedEvents } from '../../alerts/receive/signed-events.ts';
import { warnOfSuperuser } from '../../base/db/database-user.ts';
import { warnOfLossyDatabase } from '../../base/db/durability.ts';
import { closeServer, listen } from '../../base/http/listen.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { Log } from '../../base/kernel/log.ts';
import { readInstallationPath } from '../../running/config.ts';
import type { LiveSettings } from '../../running/live-settings.ts';
import { openLiveSettings } from '../../running/live-settings.ts';
import { openInstallationParts } from '../../running/roles/installation-roles.ts';
import { openEvents, tellsItself } from '../../running/roles/open-events.ts';
import { openWork } from '../../running/roles/open-work.ts';
import type { OrganisationParts, Shared } from '../../running/roles/parts.ts';
import { openShared, partsToShow } from '../../running/roles/parts.ts';
import type { RunningOrganisations } from '../../running/roles/running-organisations.ts';
import { createServeRole } from '../../running/roles/serve.ts';
import type { ServiceAccess } from '../../running/roles/service-access.ts';
import type { AskHealth } from '../../running/roles/shared-health.ts';
import {
  tryListenerSettings,
  tryWorkerSettings,
  warnOfUnknownSettings,
} from '../../running/roles/try-settings.ts';
import { startWorkRole } from '../../running/roles/workers.ts';
import { HTTP_EVENTS } from '../../service/processor/http-events.ts';
import { say } from '../../surface/terminal/print.ts';
import { printBanner, STOPPED } from './banner.ts';
import {
  leaveConsoleToken,
  makeConsoleToken,
  ownTerminal,
  TOKEN_FILE,
  tellConsoleToken,
} from './console-token.ts';
import { PAST_DAYS } from './demo/past-script.ts';
import type { StartedProgram, Stop } from './lifecycle.ts';
import { runCommand, runUntilSignal } from './lifecycle.ts';
import { openConsole, openInstallationConsole } from './open-console.ts';
import { openLog, openService, openStore } from './open-service.ts';
import { leaveRunning, runningOf } from './running.ts';
import { startFurtherShops, startShow } from './show.ts';
import type { DemonstrationBrand, StartedInstallation } from './start-installation.ts';
import { openBrands, startInstallation } from './start-installation.ts';

export function registerStart(program: Command): void {
  program
    .command('start')
    .option('--quiet', 'with the sandbox: no demonstration, only the service')
    .option('--organisations <n>', 'with the sandbox: how many brands', readCount, 1)
    .option('--past <days>', 'with the sandbox: days made up when it begins', readDays, PAST_DAYS)
    .action(async ({ quiet = false, organisations, past }: StartFlags) => {
      const flags = { quiet, organisations, past };
      await runCommand(async () => await runUntilSignal(() => start(flags)));
    });
}

interface StartFlags {
  readonly quiet?: boolean;
  readonly organisations: number;
  /** Days that are made up for a demonstration that begins; none with `quiet`, or with several brands. */
  readonly past: number;
}

/** Brands of a demonstration: each has a sandbox, a shop and their memory. */
const BRANDS_MAX = 20;

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > BRANDS_MAX) {
    throw new ConfigError(`--organisations must be a whole number from 1 to ${BRANDS_MAX}.`);
  }
  return count;
}

function readDays(text: string): number {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 0 || days > PAST_DAYS) {
    throw new ConfigError(`--past must be a whole number of days from 0 to ${PAST_DAYS}.`);
  }
  return days;
}

async function start({ quiet = false, organisations, past }: StartFlags): Promise<StartedProgram> {
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
    await startAll({ live, connectionString, log, quiet, organisations, past }, stops);
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

interface Given extends Required<StartFlags> {
  readonly live: LiveSettings;
  readonly connectionString: string;
  readonly log: Log;
}

async function startAll(given: Given, stops: Stop[]): Promise<void> {
  const { live, connectionString, log, quiet, organisations, past } = given;
  const settings = live.current();
  const isMany = organisations > 1 || readInstallationPath() !== undefined;
  const pastDays = quiet ? 0 : past;
  const { access, sandbox } = await openService(
    { live, connectionString, log, isMany, pastDays },
    stops,
  );
  const shared = await openShared(access.endpoints.database, log);
  stops.push(() => shared.close());
  const parts = await partsToShow(shared, access.endpoints, isMany);
  stops.push(() => parts.close());
  if (settings.databaseUrl !== undefined) await warnOfSuperuser(parts.database.db, log);
  await warnOfLossyDatabase(parts.database.db, log);
  const consoleToken = settings.consoleToken ?? makeConsoleToken();
  const eventSecret =
    !isMany && tellsItself(settings) ? randomBytes(24).toString('hex') : undefined;
  const context = { live, access, parts, consoleToken, connectionString, eventSecret };
  const brands =
    sandbox === undefined || !isMany
      ? []
      : await openBrands(given, { first: { sandbox, access }, stops });
  const started = isMany
    ? await startSeveral({ ...context, shared, brands }, stops)
    : await startOne(context, stops);
  const { health, ...ports } = await openPorts(context, started, stops);
  const unfollow = live.follow({
    log,
    keyAdmission: started.runningOrganisations ?? parts.keyAdmission,
  });
  stops.push(async () => unfollow());
  const webhookUrl = `http://127.0.0.1:${ports.webhooks}/webhooks`;
  stops.push(await leaveRunning(runningOf(access, { connectionString, sandbox, webhookUrl })));
  if (sandbox === undefined) {
    log.info({ ports }, 'started');
    tellConsoleToken({ token: consoleToken, isSet: settings.consoleToken !== undefined, log });
    return;
  }
  sandbox.pointWebhooksAt(webhookUrl);
  const eventUrl = `http://127.0.0.1:${ports.webhooks}/processor-events/${HTTP_EVENTS}`;
  const events = eventSecret === undefined ? null : { url: eventUrl, secret: eventSecret };
  sandbox.changeProcessor({ events });
  for (const { path, ...brand } of brands) brand.sandbox.pointWebhooksAt(`${webhookUrl}/${path}`);
  const token = await placeOfToken(settings.consoleToken, consoleToken, stops);
  printBanner({ ports, token, sandbox, quiet, brands });
  if (quiet) return;
  startShow({ parts, sandbox, health }, stops);
  await startFurtherShops(brands, shared, stops);
}

/** What the banner says of the token: itself only to a person who looks at the terminal. */
async function placeOfToken(
  set: string | undefined,
  token: string,
  stops: Stop[],
): Promise<string> {
  if (set !== undefined) return 'as FORESTALL_CONSOLE_TOKEN sets it';
  if (ownTerminal().isWatched) return token;
  stops.push(await leaveConsoleToken(token));
  return `in ${TOKEN_FILE}`;
}

interface Several extends RoleParts {
  readonly shared: Shared;
  readonly brands: readonly DemonstrationBrand[];
}

async function startSeveral(
  { shared, access, brands, parts, live }: Several,
  stops: Stop[],
): Promise<Started> {
  const { database } = access.endpoints;
  const organisations = openInstallationParts({ shared, database })?.keeper ?? brands;
  return await startInstallation({ shared, database, parts, live, organisations }, stops);
}

interface RoleParts {
  readonly live: LiveSettings;
  readonly access: ServiceAccess;
  readonly parts: OrganisationParts;
  readonly consoleToken: string;
  readonly connectionString: string;
  /** Signs what the sandbox's processor tells; undefined where it tells nothing. */
  readonly eventSecret: string | undefined;
}

/** What was started, and takes deliveries once it listens. */
interface Started {
  readonly serve: { readonly server: Server };
  readonly health: AskHealth;
  readonly counters?: ReceiveCounters;
  readonly runningOrganisations?: RunningOrganisations;
  /** Several organisations: what their console is made of. */
  readonly installation?: StartedInstallation['installation'];
}

async function startOne(
  { live, access, parts, eventSecret }: RoleParts,
  stops: Stop[],
): Promise<Started> {
  const settings = live.current();
  const demonstration = settings.service.kind === 'sandbox';
  const { processor } = access;
  const options = await openWork(parts, { settings, processor, demonstration });
  const worker = await startWorkRole(parts, options);
  stops.push(() => worker.stop());
  const serve = createServeRole(parts, {
    get webhookSecrets(): readonly string[] {
      return access.webhookSecrets;
    },
    tls: settings.tls,
    events:
      eventSecret === undefined
        ? ((await openEvents(settings, parts.clock)) ?? options.processor.events)
        : signedEvents([eventSecret], parts.clock),
  });
  stops.push(() => serve.close());
  const { counters, health } = serve;
  return { serve, counters, health };
}

async function openPorts(
  { live, parts, consoleToken, connectionString }: RoleParts,
  { serve, health, counters, installation }: Started,
  stops: Stop[],
): Promise<{ webhooks: number; console: number; health: AskHealth }> {
  const settings = live.current();
  const demonstration = settings.service.kind === 'sandbox';
  const consoleRole =
    installation === undefined
      ? undefined
      : openInstallationConsole({ live, consoleToken, connectionString, ...installation });
  if (consoleRole !== undefined) stops.push(() => consoleRole.close());
  const consoleServer =
    consoleRole?.server ?? openConsole(parts, { live, consoleToken, counters, health });
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
