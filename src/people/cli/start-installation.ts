/** `forestall start` for several organisations: those of the installation file, or of the demonstration. */
import { randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSource } from '../../base/db/source.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { InstallationWatcher } from '../../running/installation/installation-watcher.ts';
import {
  eachStart,
  healthOfInstallation,
  openRunningOrganisations,
  servedOrganisation,
  serveOrganisation,
  substituteFor,
  workForOrganisation,
} from '../../running/roles/installation-roles.ts';
import type { OrganisationParts, Shared } from '../../running/roles/parts.ts';
import { sharedByOrganisations } from '../../running/roles/parts.ts';
import { sharedReadiness } from '../../running/roles/readiness.ts';
import type {
  RunningOrganisations,
  ServedOrganisation,
} from '../../running/roles/running-organisations.ts';
import { createRunningOrganisations } from '../../running/roles/running-organisations.ts';
import type { InstallationServeRole } from '../../running/roles/serve-installation.ts';
import { createInstallationServeRole } from '../../running/roles/serve-installation.ts';
import type { NowSettings, ServiceAccess } from '../../running/roles/service-access.ts';
import { accessToSandbox } from '../../running/roles/service-access.ts';
import type { AskHealth } from '../../running/roles/shared-health.ts';
import { startWorkers } from '../../running/roles/workers.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import { keepSandbox, resumeSandbox } from './kept-sandbox.ts';
import type { Stop } from './lifecycle.ts';
import type { InstallationConsoleOptions } from './open-console.ts';

/** A brand of the demonstration: its own sandbox, and so its own service, processor and customers. */
export interface DemonstrationBrand extends ServedOrganisation {
  readonly sandbox: Sandbox;
}

interface DemonstrationOptions {
  readonly live: NowSettings;
  readonly log: Log;
  /** How many there are. */
  readonly organisations: number;
}

interface BrandAccess {
  readonly sandbox: Sandbox;
  readonly access: ServiceAccess;
}

export async function openBrands(
  { live, log, organisations }: DemonstrationOptions,
  /** The first one, whose console is shown. */
  { first, stops }: { readonly first: BrandAccess; readonly stops: Stop[] },
): Promise<readonly DemonstrationBrand[]> {
  const brandTokens = createBrandTokens(live.current().brandTokens);
  const { database } = first.access.endpoints;
  const brands = [brandOf(1, live, first)];
  for (let number = 2; number <= organisations; number++) {
    const processorSecret = randomBytes(24).toString('hex');
    const sandbox = await createSandbox({ processorSecret, brandTokens, seed: randomInt(2 ** 31) });
    stops.push(() => sandbox.close());
    const kept = { log, name: `sandbox-${number}` };
    await resumeSandbox(sandbox, kept);
    stops.push(await keepSandbox(sandbox, kept));
    const access = accessToSandbox(live, database, { sandbox, processorSecret });
    brands.push(brandOf(number, live, { sandbox, access }));
  }
  return brands;
}

function brandOf(
  number: number,
  { current }: NowSettings,
  { sandbox, access }: BrandAccess,
): DemonstrationBrand {
  const id = access.endpoints.organisationId;
  const [name, path] = [`Brand ${number}`, `brand-${number}`];
  return { id, name, path, place: number - 1, current, access, sandbox };
}

/** Organisations of a file, or those of the demonstration. */
export interface InstallationStart {
  readonly shared: Shared;
  readonly database: DatabaseSource;
  /** Of the organisation whose console is shown. */
  readonly parts: OrganisationParts;
  readonly live: NowSettings;
  readonly organisations: InstallationWatcher | readonly DemonstrationBrand[];
}

/** The roles, at work for all of them, before anything listens. */
export interface StartedInstallation {
  readonly serve: InstallationServeRole;
  readonly health: AskHealth;
  /** Has other data keys admitted for each of them. */
  readonly runningOrganisations: RunningOrganisations;
  /** What their console is made of. */
  readonly installation: Omit<
    InstallationConsoleOptions,
    'live' | 'consoleToken' | 'connectionString'
  >;
}

export async function startInstallation(
  { shared, database, parts, live, organisations }: InstallationStart,
  stops: Stop[],
): Promise<StartedInstallation> {
  const keeper = 'refresh' in organisations ? organisations : keeperOf(organisations);
  let runningOrganisations: RunningOrganisations | undefined;
  const health = healthOfInstallation(sharedReadiness(parts), {
    keeper,
    runningOrganisations: () => runningOrganisations,
  });
  const { isListed } = keeper;
  const serve = createInstallationServeRole(shared, { tls: live.current().tls, health, isListed });
  stops.push(() => serve.close());
  const count = (): number => keeper.organisations().length;
  const workers = await startWorkers({ ...shared, jobs: database.jobs, count });
  stops.push(() => workers.stop());
  const isDemonstration = !('refresh' in organisations);
  const start = eachStart([
    workForOrganisation(workers, {
      organisations: () => keeper.organisations(),
      demonstration: isDemonstration,
    }),
    serveOrganisation(serve),
  ]);
  if ('refresh' in organisations) {
    runningOrganisations = await openRunningOrganisations(
      { shared, keeper, database },
      start,
      substituteFor(serve),
    );
  } else {
    runningOrganisations = createRunningOrganisations(sharedByOrganisations(shared), start);
    await runningOrganisations.change({ stop: [], start: organisations });
  }
  const started = runningOrganisations;
  stops.push(() => started.stop());
  const installation: StartedInstallation['installation'] = {
    shared,
    keeper,
    servedOrganisation: servedOrganisationIn(organisations, database),
    health,
    problems: () => started.problems(),
    receiveCounts: () =>
      new Map([...serve.counters()].map(([id, counters]) => [id, counters.snapshot()])),
  };
  return { serve, health, runningOrganisations: started, installation };
}

/** Those of the demonstration have their places already. */
function servedOrganisationIn(
  organisations: InstallationStart['organisations'],
  database: DatabaseSource,
): InstallationConsoleOptions['servedOrganisation'] {
  if ('refresh' in organisations) return servedOrganisation(database);
  return (organisation) => {
    const brand = organisations.find(({ id }) => id === organisation.id);
    if (brand === undefined) throw new Error(`${organisation.id} is no brand`);
    return brand;
  };
}

/** Those of the demonstration neither change nor go. */
function keeperOf(brands: readonly DemonstrationBrand[]): InstallationWatcher {
  return {
    organisations: () => brands,
    isListed: (name) => brands.some(({ id, path }) => id === name || path === name),
    problem: () => null,
    refresh: () => ({ start: [], stop: [] }),
    follow: () => () => undefined,
  };
}
