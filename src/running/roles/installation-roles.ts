/** What the roles do for each organisation of an installation, and how they follow its file. */
import type { DatabaseSource } from '../../base/db/source.ts';
import type { OrganisationName } from '../../base/http/organisation-path.ts';
import { readInstallationPath, readVariables } from '../config.ts';
import type { InstallationWatcher, Organisation } from '../installation/installation-watcher.ts';
import { openInstallation } from '../installation/installation-watcher.ts';
import { othersWithAccount } from '../installation/shared-accounts.ts';
import { openEvents, openMerchantEvents } from './open-events.ts';
import { openWork } from './open-work.ts';
import type { Shared } from './parts.ts';
import { sharedByOrganisations } from './parts.ts';
import type {
  RunningOrganisations,
  ServedOrganisation,
  StartOrganisation,
  Substitute,
} from './running-organisations.ts';
import { createRunningOrganisations } from './running-organisations.ts';
import type { InstallationServeRole } from './serve-installation.ts';
import { accessToService } from './service-access.ts';
import type { AskHealth } from './shared-health.ts';
import type { Workers } from './workers.ts';

export interface InstallationParts {
  readonly shared: Shared;
  readonly keeper: InstallationWatcher;
  readonly database: DatabaseSource;
}

/** Opens the installation that the settings name; undefined: they are one of a single organisation. */
export function openInstallationParts(
  { shared, database }: Pick<InstallationParts, 'shared' | 'database'>,
  env = readVariables(),
): InstallationParts | undefined {
  const file = readInstallationPath(env);
  if (file === undefined) return undefined;
  return { shared, database, keeper: openInstallation(file, { env, log: shared.log }) };
}

export function servedOrganisation(
  database: DatabaseSource,
): (organisation: Organisation) => ServedOrganisation {
  return (organisation) => ({ ...organisation, access: accessToService(organisation, database) });
}

/** Starts all of them, and from then on follows the file. */
export async function openRunningOrganisations(
  { shared, keeper, database }: InstallationParts,
  startOrganisation: StartOrganisation,
  substitute?: Substitute,
): Promise<RunningOrganisations> {
  const { log } = shared;
  const runningOrganisations = createRunningOrganisations(
    sharedByOrganisations(shared),
    startOrganisation,
    substitute,
  );
  // Before the start: what leaves while the others start has its turn after them.
  const unfollowResidence = followResidence({ shared, keeper, database }, runningOrganisations);
  await runningOrganisations.change({
    stop: [],
    start: keeper.organisations().map(servedOrganisation(database)),
  });
  log.info({ organisations: runningOrganisations.running() }, 'organisations started');
  const unfollow = keeper.follow(({ stop, start }) => {
    const change = {
      stop: stop.map(({ id }) => id),
      start: start.map(servedOrganisation(database)),
    };
    log.info(
      { stop: change.stop, start: start.map(({ id }) => id) },
      'installation file read again',
    );
    void runningOrganisations.change(change);
  });
  return {
    ...runningOrganisations,
    async stop(): Promise<void> {
      unfollow();
      unfollowResidence();
      await runningOrganisations.stop();
    },
  };
}

/** Stops those that leave, and starts those that have arrived or stay after all. Returns what ends it. */
export function followResidence(
  { shared: { residence }, keeper, database }: InstallationParts,
  runningOrganisations: Pick<RunningOrganisations, 'change'>,
): () => void {
  const reasons = (): ReadonlyMap<string, string | undefined> =>
    new Map(keeper.organisations().map(({ id }) => [id, residence.away(id)?.why]));
  let before = reasons();
  return residence.follow(() => {
    const now = reasons();
    const changed = keeper.organisations().filter(({ id }) => before.get(id) !== now.get(id));
    before = now;
    void runningOrganisations.change({
      stop: changed.map(({ id }) => id),
      start: changed.map(servedOrganisation(database)),
    });
  });
}

export function serveOrganisation(serve: InstallationServeRole): StartOrganisation {
  return async (served, parts) => {
    const { path, place, access } = served;
    serve.add(parts, {
      path,
      place,
      get webhookSecrets(): readonly string[] {
        return access.webhookSecrets;
      },
      events: await openEvents(served.current(), parts.clock),
      merchantEvents: await openMerchantEvents(served.current(), parts.clock),
    });
    return () => serve.remove(parts.organisationId);
  };
}

/** Takes deliveries in for an organisation that does not live here. */
export function substituteFor(serve: InstallationServeRole): Substitute {
  return ({ id, path, place, access }, { elsewhere }) => {
    serve.addAway({
      elsewhere,
      organisationId: id,
      path,
      place,
      get webhookSecrets(): readonly string[] {
        return access.webhookSecrets;
      },
    });
    return () => serve.remove(id);
  };
}

interface OrganisationWorkOptions {
  /** Those of the installation. Where there are several, messages to people say whose they are. */
  readonly organisations: () => readonly Organisation[];
  readonly demonstration?: boolean;
}

export function workForOrganisation(
  workers: Workers,
  { organisations, demonstration = false }: OrganisationWorkOptions,
): StartOrganisation {
  const organisationIds = (): readonly string[] => organisations().map(({ id }) => id);
  return async (served, parts) => {
    const { name, path, access } = served;
    const settings = served.current();
    const { processor } = access;
    const known = { settings, processor, demonstration, organisationIds };
    const options = await openWork(parts, known);
    const organisation = (): OrganisationName | undefined =>
      organisationIds().length > 1 ? { name, path } : undefined;
    await workers.add(parts, {
      ...options,
      notify: { ...options.notify, organisation },
      sharesAccountWith: () => othersWithAccount(organisations(), served.id),
    });
    return () => workers.remove(parts.organisationId);
  };
}

/** One after the other; they stop in the opposite order. */
export function eachStart(starts: readonly StartOrganisation[]): StartOrganisation {
  return async (served, parts) => {
    const stops: (() => Promise<void>)[] = [];
    const stopAll = async (): Promise<void> => {
      for (const stop of stops.reverse()) await stop();
    };
    try {
      for (const start of starts) stops.push(await start(served, parts));
    } catch (error) {
      await stopAll();
      throw error;
    }
    return stopAll;
  };
}

/** Health, and with it how the file and its organisations are: no reason not to be ready for the others. */
export function healthOfInstallation(
  ask: AskHealth,
  {
    keeper,
    runningOrganisations,
  }: Pick<InstallationParts, 'keeper'> & {
    readonly runningOrganisations: () => RunningOrganisations | undefined;
  },
): AskHealth {
  return async (isFresh) => {
    const health = await ask(isFresh);
    const problems = [...(runningOrganisations()?.problems() ?? [])];
    const stopped = problems.map(([id, problem]) => `${id}: ${problem}`).join('; ');
    const installation = keeper.problem() ?? 'ok';
    const organisations = stopped === '' ? 'ok' : `not started: ${stopped}`;
    return { ...health, checks: { ...health.checks, installation, organisations } };
  };
}
