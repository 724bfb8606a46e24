/** What the roles do for each organisation of an installation, and how they follow its file. */
import type { DatabaseSource } from '../../base/db/source.ts';
import type { OrganisationName } from '../../base/http/organisation-path.ts';
import { readInstallationPath, readVariables } from '../config.ts';
import type { InstallationKeeper, Organisation } from '../installation/keeper.ts';
import { openInstallation } from '../installation/keeper.ts';
import { othersWithAccount } from '../installation/shared-accounts.ts';
import { openEvents, openMerchantEvents } from './open-events.ts';
import { openWork } from './open-work.ts';
import type { Shared } from './parts.ts';
import { sharedByMany } from './parts.ts';
import type { ManyServeRole } from './serve-many.ts';
import { accessToService } from './service-access.ts';
import type { AskHealth } from './shared-health.ts';
import type { StartTenant, Substitute, Tenancy, Tenant } from './tenancy.ts';
import { createTenancy } from './tenancy.ts';
import type { Workers } from './workers.ts';

export interface Many {
  readonly shared: Shared;
  readonly keeper: InstallationKeeper;
  readonly database: DatabaseSource;
}

/** Opens the installation that the settings name; undefined: they are one of a single organisation. */
export function openMany(
  { shared, database }: Pick<Many, 'shared' | 'database'>,
  env = readVariables(),
): Many | undefined {
  const file = readInstallationPath(env);
  if (file === undefined) return undefined;
  return { shared, database, keeper: openInstallation(file, { env, log: shared.log }) };
}

export function tenantOf(database: DatabaseSource): (organisation: Organisation) => Tenant {
  return (organisation) => ({ ...organisation, access: accessToService(organisation, database) });
}

/** Starts all of them, and from then on follows the file. */
export async function openTenants(
  { shared, keeper, database }: Many,
  startTenant: StartTenant,
  substitute?: Substitute,
): Promise<Tenancy> {
  const { log } = shared;
  const tenancy = createTenancy(sharedByMany(shared), startTenant, substitute);
  // Before the start: what leaves while the others start has its turn after them.
  const unfollowResidence = followResidence({ shared, keeper, database }, tenancy);
  await tenancy.change({ stop: [], start: keeper.organisations().map(tenantOf(database)) });
  log.info({ organisations: tenancy.running() }, 'organisations started');
  const unfollow = keeper.follow(({ stop, start }) => {
    const change = { stop: stop.map(({ id }) => id), start: start.map(tenantOf(database)) };
    log.info(
      { stop: change.stop, start: start.map(({ id }) => id) },
      'installation file read again',
    );
    void tenancy.change(change);
  });
  return {
    ...tenancy,
    async stop(): Promise<void> {
      unfollow();
      unfollowResidence();
      await tenancy.stop();
    },
  };
}

/** Stops those that leave, and starts those that have arrived or stay after all. Returns what ends it. */
export function followResidence(
  { shared: { residence }, keeper, database }: Many,
  tenancy: Pick<Tenancy, 'change'>,
): () => void {
  const reasons = (): ReadonlyMap<string, string | undefined> =>
    new Map(keeper.organisations().map(({ id }) => [id, residence.away(id)?.why]));
  let before = reasons();
  return residence.follow(() => {
    const now = reasons();
    const changed = keeper.organisations().filter(({ id }) => before.get(id) !== now.get(id));
    before = now;
    void tenancy.change({
      stop: changed.map(({ id }) => id),
      start: changed.map(tenantOf(database)),
    });
  });
}

export function serveTenant(serve: ManyServeRole): StartTenant {
  return async (tenant, parts) => {
    const { path, place, access } = tenant;
    serve.add(parts, {
      path,
      place,
      get webhookSecrets(): readonly string[] {
        return access.webhookSecrets;
      },
      events: await openEvents(tenant.current(), parts.clock),
      merchantEvents: await openMerchantEvents(tenant.current(), parts.clock),
    });
    return () => serve.remove(parts.organisationId);
  };
}

/** Takes deliveries in for an organisation that does not live here. */
export function substituteFor(serve: ManyServeRole): Substitute {
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

interface WorkTenantOptions {
  /** Those of the installation. Where there are several, messages to people say whose they are. */
  readonly organisations: () => readonly Organisation[];
  readonly demonstration?: boolean;
}

export function workTenant(
  workers: Workers,
  { organisations, demonstration = false }: WorkTenantOptions,
): StartTenant {
  const organisationIds = (): readonly string[] => organisations().map(({ id }) => id);
  return async (tenant, parts) => {
    const { name, path, access } = tenant;
    const settings = tenant.current();
    const { processor } = access;
    const known = { settings, processor, demonstration, organisationIds };
    const options = await openWork(parts, known);
    const organisation = (): OrganisationName | undefined =>
      organisationIds().length > 1 ? { name, path } : undefined;
    await workers.add(parts, {
      ...options,
      notify: { ...options.notify, organisation },
      sharesAccountWith: () => othersWithAccount(organisations(), tenant.id),
    });
    return () => workers.remove(parts.organisationId);
  };
}

/** One after the other; they stop in the opposite order. */
export function eachTenant(starts: readonly StartTenant[]): StartTenant {
  return async (tenant, parts) => {
    const stops: (() => Promise<void>)[] = [];
    const stopAll = async (): Promise<void> => {
      for (const stop of stops.reverse()) await stop();
    };
    try {
      for (const start of starts) stops.push(await start(tenant, parts));
    } catch (error) {
      await stopAll();
      throw error;
    }
    return stopAll;
  };
}

/** Health, and beside it how the file and its organisations are: no reason not to be ready for the others. */
export function healthOfMany(
  ask: AskHealth,
  { keeper, tenancy }: Pick<Many, 'keeper'> & { readonly tenancy: () => Tenancy | undefined },
): AskHealth {
  return async (isFresh) => {
    const health = await ask(isFresh);
    const problems = [...(tenancy()?.problems() ?? [])];
    const stopped = problems.map(([id, problem]) => `${id}: ${problem}`).join('; ');
    const installation = keeper.problem() ?? 'ok';
    const organisations = stopped === '' ? 'ok' : `not started: ${stopped}`;
    return { ...health, checks: { ...health.checks, installation, organisations } };
  };
}
