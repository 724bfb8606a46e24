/** `forestall serve`, `work`, `console` and `migrate`: one role each, for replicas. */
import type { Command } from 'commander';
import { warnOfSuperuser } from '../../base/db/database-user.ts';
import { warnOfLossyDatabase } from '../../base/db/durability.ts';
import { refuseUnusableSchema } from '../../base/db/migrate.ts';
import { closeServer, listen, METRICS_PORT } from '../../base/http/listen.ts';
import type { Log } from '../../base/kernel/log.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { KeyAdmission } from '../../base/seal/key-admission.ts';
import type { Settings } from '../../running/config.ts';
import { readInstallationPath } from '../../running/config.ts';
import type { LiveSettings } from '../../running/live-settings.ts';
import { openLiveSettings } from '../../running/live-settings.ts';
import type { ServiceSecret } from '../../running/remote-settings.ts';
import type { InstallationParts } from '../../running/roles/installation-roles.ts';
import {
  healthOfInstallation,
  openInstallationParts,
  openRunningOrganisations,
  servedOrganisation,
  serveOrganisation,
  substituteFor,
  workForOrganisation,
} from '../../running/roles/installation-roles.ts';
import { openEvents } from '../../running/roles/open-events.ts';
import { openWork } from '../../running/roles/open-work.ts';
import type { OrganisationParts, Shared } from '../../running/roles/parts.ts';
import { openShared, partsToShow } from '../../running/roles/parts.ts';
import type { PrivatePages } from '../../running/roles/private-server.ts';
import {
  createPrivateServer,
  installationReceiverPages,
  installationWorkerPages,
  processPages,
  receiverPages,
  workerPages,
} from '../../running/roles/private-server.ts';
import { sharedReadiness } from '../../running/roles/readiness.ts';
import type { RunningOrganisations } from '../../running/roles/running-organisations.ts';
import { createServeRole } from '../../running/roles/serve.ts';
import { createInstallationServeRole } from '../../running/roles/serve-installation.ts';
import type { ServiceAccess } from '../../running/roles/service-access.ts';
import { accessToService, databaseAt } from '../../running/roles/service-access.ts';
import {
  tryListenerSettings,
  tryWorkerSettings,
  warnOfUnknownSettings,
} from '../../running/roles/try-settings.ts';
import { startWorkers, startWorkRole } from '../../running/roles/workers.ts';
import type { InstallationRole } from '../console/installation/installation-role.ts';
import { makeConsoleToken, tellConsoleToken } from './console-token.ts';
import type { StartedProgram } from './lifecycle.ts';
import { runCommand, runUntilSignal } from './lifecycle.ts';
import type { MigrateFlags } from './migrate.ts';
import { migrate, requireDatabase } from './migrate.ts';
import { openConsole, openInstallationConsole } from './open-console.ts';

interface RoleContext {
  readonly live: LiveSettings;
  /** As they were at the start. */
  readonly settings: Settings;
  readonly access: ServiceAccess;
  readonly shared: Shared;
  readonly parts: OrganisationParts;
  /** Several organisations; undefined: the settings are an installation of one. */
  readonly many: InstallationParts | undefined;
  readonly log: Log;
}

/** Tries what the settings of a role lead to, before anything is opened. */
type TrySettings = (settings: Settings, log: Log) => void | Promise<void>;

interface RunningRole {
  stop(): Promise<void>;
  /** What its private port shows. */
  readonly pages: PrivatePages;
  /** Where several organisations are asked about other data keys. */
  readonly keyAdmission?: Pick<KeyAdmission, 'admitNext'>;
}

type StartRole = (context: RoleContext) => Promise<RunningRole>;

export function registerRoles(program: Command): void {
  for (const [name, role] of Object.entries(ROLES)) {
    program
      .command(name)
      .action(
        async () => await runCommand(async () => await runUntilSignal(() => openRole(name, role))),
      );
  }
  program
    .command('migrate')
    .option('--move-from <schema>', 'move the installation from there into its schema first')
    .option('--check', 'with --move-from: only show what would be moved')
    .action(async (flags: MigrateFlags) => await runCommand(() => migrate(flags)));
}

interface Role {
  /** Without which of the service's secrets it cannot work; it is not asked for others. */
  readonly needs: readonly ServiceSecret[];
  readonly tries: TrySettings;
  readonly start: StartRole;
}

const ROLES: Readonly<Record<string, Role>> = {
  serve: { needs: ['FORESTALL_WEBHOOK_SECRETS'], tries: tryListenerSettings, start: startServe },
  work: { needs: ['FORESTALL_API_KEY'], tries: tryWorkerSettings, start: startWork },
  console: { needs: [], tries: tryListenerSettings, start: startConsole },
};

async function openRole(name: string, { needs, tries, start }: Role): Promise<StartedProgram> {
  const live = openLiveSettings(undefined, needs);
  const settings = live.current();
  const log = createLog({ level: settings.logLevel }).child({ role: name });
  warnOfUnknownSettings(log);
  await tries(settings, log);
  const database = databaseAt(
    requireDatabase(settings),
    live,
    // A pool of several is opened for none of them: each borrows connections of it.
    isMany() ? undefined : settings.organisationId,
  );
  const access = accessToService(live, database);
  const shared = await openShared(database, log);
  try {
    const parts = await partsToShow(shared, access.endpoints, isMany());
    await refuseUnusableSchema(parts.database.db);
    await warnOfSuperuser(parts.database.db, log);
    await warnOfLossyDatabase(parts.database.db, log);
    const many = openInstallationParts({ shared, database });
    const context = { live, settings, access, shared, parts, many, log };
    const running = await start(context);
    const closePrivatePort = await openPrivatePort(context, running).catch(
      async (error: unknown) => {
        await running.stop();
        throw error;
      },
    );
    const unfollow = live.follow({ log, keyAdmission: running.keyAdmission ?? parts.keyAdmission });
    return {
      log,
      async stop(): Promise<void> {
        unfollow();
        await running.stop();
        await closePrivatePort();
        await parts.close();
        await shared.close();
      },
    };
  } catch (error) {
    await shared.close();
    throw error;
  }
}

function isMany(): boolean {
  return readInstallationPath() !== undefined;
}

/** Opens the private port of a role, and returns what closes it. */
async function openPrivatePort(
  { settings: { metrics }, parts, log }: RoleContext,
  { pages }: RunningRole,
): Promise<() => Promise<void>> {
  const server = createPrivateServer(parts, pages);
  const metricsPort = await listen(server, {
    port: metrics.port ?? METRICS_PORT,
    host: metrics.host,
    setting: 'FORESTALL_METRICS_PORT',
    orNextFree: metrics.port === undefined,
  });
  log.info({ metricsPort }, 'metrics and health on the private port');
  return () => closeServer(server);
}

async function startServe(context: RoleContext): Promise<RunningRole> {
  const { settings, access, parts, many, log } = context;
  if (many !== undefined) return await serveInstallation(context, many);
  const role = createServeRole(parts, {
    get webhookSecrets(): readonly string[] {
      return access.webhookSecrets;
    },
    tls: settings.tls,
    events: await openEvents(settings, parts.clock),
  });
  const port = await listen(role.server, { port: settings.port, host: '0.0.0.0', setting: 'PORT' });
  log.info({ port }, 'listening');
  return {
    pages: receiverPages(role.health, () => role.counters.snapshot()),
    async stop(): Promise<void> {
      await closeServer(role.server);
      await role.close();
    },
  };
}

async function serveInstallation(
  { settings, parts, shared, log }: RoleContext,
  many: InstallationParts,
): Promise<RunningRole> {
  const { keeper } = many;
  let runningOrganisations: RunningOrganisations | undefined;
  const health = healthOfInstallation(sharedReadiness(parts), {
    keeper,
    runningOrganisations: () => runningOrganisations,
  });
  const { isListed } = keeper;
  const role = createInstallationServeRole(shared, { tls: settings.tls, health, isListed });
  runningOrganisations = await openRunningOrganisations(
    many,
    serveOrganisation(role),
    substituteFor(role),
  );
  const port = await listen(role.server, { port: settings.port, host: '0.0.0.0', setting: 'PORT' });
  log.info({ port }, 'listening');
  return {
    keyAdmission: runningOrganisations,
    pages: installationReceiverPages({ keeper, health }, () => role.counters()),
    async stop(): Promise<void> {
      await closeServer(role.server);
      await runningOrganisations?.stop();
      await role.close();
    },
  };
}

async function startWork(context: RoleContext): Promise<RunningRole> {
  const { settings, access, parts, many } = context;
  if (many !== undefined) return await workForInstallation(context, many);
  const { processor } = access;
  const options = await openWork(parts, { settings, processor, demonstration: false });
  const role = await startWorkRole(parts, options);
  return { pages: workerPages(parts, sharedReadiness(parts)), stop: () => role.stop() };
}

async function workForInstallation(
  { parts, shared }: RoleContext,
  many: InstallationParts,
): Promise<RunningRole> {
  const { keeper, database } = many;
  const workers = await startWorkers({
    ...shared,
    jobs: database.jobs,
    count: () => keeper.organisations().length,
  });
  const runningOrganisations = await openRunningOrganisations(
    many,
    workForOrganisation(workers, { organisations: () => keeper.organisations() }),
  );
  const health = healthOfInstallation(sharedReadiness(parts), {
    keeper,
    runningOrganisations: () => runningOrganisations,
  });
  return {
    keyAdmission: runningOrganisations,
    pages: installationWorkerPages({ shared, keeper, health }),
    async stop(): Promise<void> {
      await runningOrganisations.stop();
      await workers.stop();
    },
  };
}

async function startConsole(context: RoleContext): Promise<RunningRole> {
  const { settings, parts, log } = context;
  const consoleToken = makeConsoleToken();
  const { server, close } = consoleFor(context, consoleToken);
  const port = await listen(server, {
    port: settings.consolePort,
    host: settings.console.host,
    setting: 'FORESTALL_CONSOLE_PORT',
  });
  log.info({ port }, 'listening');
  tellConsoleToken({ token: consoleToken, isSet: settings.consoleToken !== undefined, log });
  return {
    pages: processPages(sharedReadiness(parts)),
    async stop(): Promise<void> {
      await closeServer(server);
      await close();
    },
  };
}

function consoleFor(
  { live, settings, parts, shared, many }: RoleContext,
  consoleToken: string,
): InstallationRole {
  if (many === undefined) {
    const server = openConsole(parts, { live, consoleToken, counters: undefined });
    return { server, close: () => Promise.resolve() };
  }
  const { keeper, database } = many;
  // The keeper looks at the file only while somebody follows it; the console reads the keeper at each request.
  const unfollow = keeper.follow(() => undefined);
  const role = openInstallationConsole({
    live,
    consoleToken,
    connectionString: requireDatabase(settings),
    shared,
    keeper,
    servedOrganisation: servedOrganisation(database),
    health: sharedReadiness(parts),
  });
  return {
    server: role.server,
    async close(): Promise<void> {
      unfollow();
      await role.close();
    },
  };
}
