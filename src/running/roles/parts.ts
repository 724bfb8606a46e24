/**
 * What every role is put together from: database, clock, client, and who this process is.
 */
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { requireReachable } from '../../base/db/reachable.ts';
import type { DatabaseSource } from '../../base/db/source.ts';
import { withLocalLoops } from '../../base/jobs/wake.store.ts';
import type { WakeBus } from '../../base/jobs/wake.ts';
import { startWakeBus } from '../../base/jobs/wake.ts';
import type { Clock, SyncedClock } from '../../base/kernel/clock.ts';
import { databaseClock } from '../../base/kernel/clock.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { KeeperScope, KeyKeeper } from '../../base/seal/keep-keys.ts';
import { createKeyKeeper } from '../../base/seal/keep-keys.ts';
import { createStoreBudget } from '../../service/budget/budget.store.ts';
import type { RequestBudget } from '../../service/client/budget-queue.ts';
import { createSkewMeter } from '../../service/client/clock-skew.ts';
import type { ServiceClient } from '../../service/client/index.ts';
import { createServiceClient } from '../../service/client/index.ts';
import type { BrandTokenMap, BrandTokens } from '../../service/wire/brand-tokens.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';

/** Where everything is. Settings, with whatever they left open filled in. */
export interface Place {
  readonly database: DatabaseSource;
  readonly organisationId: string;
  readonly integrationId: string | undefined;
  readonly serviceUrl: string;
  readonly apiKey: string;
  readonly partnerApiKey: string | undefined;
  readonly brandTokens: BrandTokenMap;
}

/** The parts, open. */
export interface Parts {
  readonly place: Place;
  readonly organisationId: string;
  readonly database: OpenDatabase;
  readonly clock: Clock;
  readonly log: Log;
  /** Names this process as a holder of leases. */
  readonly workerId: string;
  readonly client: ServiceClient;
  /** The service's clock minus ours, in milliseconds, as its last answer showed. */
  readonly clockSkewMs: () => number | undefined;
  readonly brandTokens: BrandTokens;
  /** Shared by every process of the organisation; every client asks it. */
  readonly budget: RequestBudget;
  readonly wakeBus: WakeBus;
  /** Has admitted this process, unless the schema was still to be made. */
  readonly keyKeeper: KeyKeeper;
  close(): Promise<void>;
}

/** How often the clock is set by the database, in milliseconds. */
const CLOCK_SYNC_MS = 30_000;

/**
 * Opens the parts. The database must be reachable: its time is ours.
 *
 * @throws {ConfigError} when rows may need a data key that is not among ours
 * @param fixedClock for tests: replaces the database's time, for the request budget too
 */
export async function openParts(place: Place, log: Log, fixedClock?: Clock): Promise<Parts> {
  const { organisationId } = place;
  const database = place.database.open({ log });
  await requireReachable(database);
  const keyKeeper = await admitKeys({ db: database.db, organisationId, log }).catch(
    async (error: unknown) => {
      await database.close();
      throw error;
    },
  );
  const { clock, stop } =
    fixedClock === undefined
      ? await followDatabase(database, log)
      : { clock: fixedClock, stop: (): void => undefined };
  const brandTokens = createBrandTokens(place.brandTokens);
  const wakeBus = startWakeBus(place.database.connection, log);
  const budget = createStoreBudget({
    db: database.db,
    organisationId,
    ...(fixedClock === undefined ? {} : { clock: fixedClock }),
  });
  const skew = createSkewMeter(clock);
  return {
    place,
    organisationId,
    database: withLocalLoops(database, wakeBus),
    clock,
    log,
    workerId: `${hostname()}:${process.pid}:${createId('w').slice(2, 8)}`,
    client: createServiceClient({
      baseUrl: place.serviceUrl,
      // A key that is exchanged meanwhile holds from the next call on.
      get apiKey(): string {
        return place.apiKey;
      },
      get partnerApiKey(): string | undefined {
        return place.partnerApiKey;
      },
      brandTokens,
      clock,
      budget,
      hooks: { onResponse: skew.onResponse },
    }),
    clockSkewMs: skew.skewMs,
    brandTokens,
    budget,
    wakeBus,
    keyKeeper,
    async close(): Promise<void> {
      stop();
      keyKeeper.stop();
      await wakeBus.stop();
      await database.close();
    },
  };
}

async function admitKeys(scope: KeeperScope): Promise<KeyKeeper> {
  const keeper = createKeyKeeper(scope);
  await keeper.admit();
  return keeper;
}

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
export async function syncClock(database: OpenDatabase, clock: SyncedClock): Promise<void> {
  const before = performance.now();
  const { rows } = await sql<{ now_ms: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`.execute(database.db);
  const halfTripMs = (performance.now() - before) / 2;
  const nowMs = rows[0]?.now_ms;
  if (nowMs !== undefined) clock.sync(nowMs + halfTripMs);
}
