/**
 * What every role is put together from: database, clock and wake-ups, which all organisations of a process
 * share, and what each organisation has of its own.
 */
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { FloodPace, OwnPace } from '../../alerts/receive/flood-pace.ts';
import { createFloodPace } from '../../alerts/receive/flood-pace.ts';
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { Installation } from '../../base/db/database.ts';
import type { FairShare } from '../../base/db/fair-share.ts';
import { shareOfPool, withShare } from '../../base/db/fair-share.ts';
import { forAllOrganisations, forOrganisation } from '../../base/db/for-organisation.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import type { DatabaseSource } from '../../base/db/source.ts';
import { withLocalLoops } from '../../base/jobs/wake.store.ts';
import type { WakeBus } from '../../base/jobs/wake.ts';
import { startWakeBus, wakeBusOf } from '../../base/jobs/wake.ts';
import type { Clock, SyncedClock } from '../../base/kernel/clock.ts';
import { databaseClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { KeyAdmission } from '../../base/seal/key-admission.ts';
import { createKeyAdmission } from '../../base/seal/key-admission.ts';
import type { SealNoter } from '../../base/seal/seal-noter.ts';
import { createSealNoter } from '../../base/seal/seal-noter.ts';
import { createStoreBudget } from '../../service/budget/budget.store.ts';
import type { RequestBudget, Wait } from '../../service/client/budget-queue.ts';
import { createSkewMeter } from '../../service/client/clock-skew.ts';
import type { ServiceClient } from '../../service/client/index.ts';
import { createServiceClient } from '../../service/client/index.ts';
import type { ServiceClientOptions } from '../../service/client/options.ts';
import type { BrandTokenMap, BrandTokens } from '../../service/wire/brand-tokens.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import type { Residence } from '../../surface/residence.ts';
import { NO_KEY } from '../remote-settings.ts';
import { openResidence, requireHere } from './residence.ts';

/** The addresses and keys of one organisation: its settings, completed by what the sandbox and the embedded database bring. */
export interface Endpoints {
  readonly database: DatabaseSource;
  readonly organisationId: string;
  readonly integrationId: string | undefined;
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly partnerApiKey: string | undefined;
  readonly brandTokens: BrandTokenMap;
}

/** How calls to the service are made; tests make them by a clock that they move. */
type Calls = Pick<ServiceClientOptions, 'fetch' | 'hooks' | 'timeoutMs' | 'wait'> & {
  /** How a call waits for the request budget. */
  readonly waitForBudget?: Wait;
};

/** For tests. */
export interface SharedOptions {
  /** Replaces the database's time, for the request budget too. */
  readonly clock?: Clock | undefined;
  readonly calls?: Calls | undefined;
}

/** What all organisations of a process share: one pool, one clock, one connection that listens. */
export interface Shared {
  readonly source: DatabaseSource;
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process as a holder of leases. */
  readonly workerId: string;
  readonly wakeBus: WakeBus;
  /** Which organisations do not live here. */
  readonly residence: Residence;
  readonly options: SharedOptions;
  /** Where several organisations share the connections. */
  readonly share?: FairShare;
  /** Where several organisations share the process: whose deliveries are a flood compared with the others'. */
  readonly floodPace?: FloodPace;
  /** Where several organisations share the process: says for all of them that their keys are in use. */
  readonly noter?: SealNoter;
  close(): Promise<void>;
}

export interface OrganisationParts
  extends Omit<Shared, 'source' | 'options' | 'share' | 'floodPace' | 'noter'> {
  readonly endpoints: Endpoints;
  readonly organisationId: string;
  /** The same database for what may wait behind the alerts where others share the process. */
  readonly laterDatabase: OpenDatabase;
  /** Where others share the process. */
  readonly pace?: OwnPace | undefined;
  readonly client: ServiceClient;
  /** The service's clock minus ours, in milliseconds, as its last answer showed. */
  readonly clockSkewMs: () => number | undefined;
  readonly brandTokens: BrandTokens;
  /** Shared by every process of the organisation; every client asks it. */
  readonly budget: RequestBudget;
  /** Has admitted this process, unless the schema was still to be made or the organisation is elsewhere. */
  readonly keyAdmission: KeyAdmission;
}

/** For whom this process works, as every loop is given it; `part` names the loop in the log. */
export function installationOf(parts: OrganisationParts, part: string): Installation {
  const { database, clock, log, organisationId, workerId } = parts;
  return { db: database.db, clock, log: log.child({ part }), organisationId, workerId };
}

/** How often the clock is set by the database, in milliseconds. */
const CLOCK_SYNC_MS = 30_000;

/**
 * Opens the parts of an installation of one organisation; closing them closes everything.
 *
 * @throws {ConfigError} as {@link openShared} and {@link partsOf} do
 */
export async function openParts(
  endpoints: Endpoints,
  log: Log,
  options?: SharedOptions,
): Promise<OrganisationParts> {
  const shared = await openShared(endpoints.database, log, options);
  try {
    const parts = await partsOf(shared, endpoints);
    return {
      ...parts,
      async close(): Promise<void> {
        await parts.close();
        await shared.close();
      },
    };
  } catch (error) {
    await shared.close();
    throw error;
  }
}

/** Opens what all organisations share. The database must be reachable: its time is ours. */
export async function openShared(
  source: DatabaseSource,
  log: Log,
  options: SharedOptions = {},
): Promise<Shared> {
  const database = source.open({ log });
  await requireReachable(database);
  const { clock, stop } =
    options.clock === undefined
      ? await followDatabase(database, log)
      : { clock: options.clock, stop: (): void => undefined };
  const wakeBus = startWakeBus(source.connection, log);
  const closeAll = async (): Promise<void> => {
    stop();
    await wakeBus.stop();
    await database.close();
  };
  const db = forAllOrganisations(database, 'residence').db;
  const residence = await openResidence({ db, wakeBus, log }).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  return {
    source,
    database,
    clock,
    log,
    workerId: `${hostname()}:${process.pid}:${createId('w').slice(2, 8)}`,
    wakeBus,
    residence,
    options,
    async close(): Promise<void> {
      residence.stop();
      await closeAll();
    },
  };
}

/** The same where several organisations share the connections: none takes more than its share of them. */
export function sharedByOrganisations(shared: Shared): Shared {
  const { clock, database, log } = shared;
  const { db } = forAllOrganisations(database, 'data_keys');
  return {
    ...shared,
    share: shareOfPool(database.pool),
    floodPace: createFloodPace(clock),
    noter: createSealNoter({ db, log }),
  };
}

/**
 * The parts of one organisation; closing them leaves open what it shares with others.
 *
 * @throws {ConfigError} when rows may need a data key that is not among ours, or the organisation does not live here
 */
export async function partsOf(shared: Shared, endpoints: Endpoints): Promise<OrganisationParts> {
  requireHere(shared.residence, endpoints.organisationId);
  const parts = makeParts(shared, endpoints);
  await parts.keyAdmission.admit();
  return parts;
}

/**
 * The same for a process that may serve several: where the one whose console it shows does not live here, it starts for
 * the others, and shows what is left.
 *
 * @throws {ConfigError} as {@link partsOf} does; of several, not because one does not live here
 */
export async function partsToShow(
  shared: Shared,
  endpoints: Endpoints,
  isMany: boolean,
): Promise<OrganisationParts> {
  const isAway = shared.residence.away(endpoints.organisationId) !== undefined;
  return isMany && isAway ? makeParts(shared, endpoints) : await partsOf(shared, endpoints);
}

function makeParts(shared: Shared, endpoints: Endpoints): OrganisationParts {
  const { clock, log, workerId, residence, options } = shared;
  const { organisationId } = endpoints;
  const wakeBus = wakeBusOf(shared.wakeBus, organisationId);
  const { share, floodPace, noter } = shared;
  const opened = (isLater: boolean): OpenDatabase => {
    const own =
      share === undefined
        ? shared.database
        : withShare(shared.database, { share, owner: organisationId, isLater });
    return withLocalLoops(forOrganisation(own, organisationId), wakeBus);
  };
  const database = opened(false);
  const keyAdmission = createKeyAdmission({ db: database.db, organisationId, log, noter });
  const brandTokens = createBrandTokens(endpoints.brandTokens);
  const { waitForBudget, ...calls } = options.calls ?? {};
  const budget = createStoreBudget({
    db: database.db,
    organisationId,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(waitForBudget === undefined ? {} : { wait: waitForBudget }),
  });
  const skew = createSkewMeter(clock);
  return {
    endpoints,
    organisationId,
    database,
    laterDatabase: share === undefined ? database : opened(true),
    clock,
    log,
    workerId,
    pace: floodPace?.join(),
    client: createServiceClient({
      baseUrl: endpoints.serviceUrl,
      // A key that is exchanged meanwhile holds from the next call on.
      get apiKey(): string {
        return endpoints.apiKey;
      },
      get partnerApiKey(): string | undefined {
        return endpoints.partnerApiKey;
      },
      brandTokens,
      clock,
      budget,
      hooks: { onResponse: skew.onResponse },
      ...(endpoints.apiKey === NO_KEY ? { fetch: refuseToAsk } : {}),
      ...calls,
    }),
    clockSkewMs: skew.skewMs,
    brandTokens,
    budget,
    wakeBus,
    residence,
    keyAdmission,
    async close(): Promise<void> {
      keyAdmission.stop();
    },
  };
}

/** In a role that asks the service nothing, and was therefore given no key. */
const refuseToAsk: typeof globalThis.fetch = () =>
  Promise.reject(
    new ConfigError(
      'The service was to be asked by a process without its key. Set FORESTALL_API_KEY.',
    ),
  );

async function followDatabase(
  database: OpenDatabase,
  log: Log,
): Promise<{ clock: Clock; stop: () => void }> {
  const clock = databaseClock();
  await syncClock(database, clock);
  const timer = setInterval(() => {
    syncClock(database, clock).catch((error: unknown) => {
      log.warn({ err: error }, 'the clock could not be set by the database');
    });
  }, CLOCK_SYNC_MS);
  timer.unref();
  return { clock, stop: () => clearInterval(timer) };
}

/** Takes over the database's time, allowing for half of the round trip. */
async function syncClock(database: OpenDatabase, clock: SyncedClock): Promise<void> {
  const before = performance.now();
  const { rows } = await sql<{ now_ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`.execute(database.db);
  const halfTripMs = (performance.now() - before) / 2;
  const nowMs = rows[0]?.now_ms;
  if (nowMs !== undefined) clock.sync(nowMs + halfTripMs);
}
