/**
 * The whole of Forestall in one test: a database, the sandbox with its service and processor, the
 * webhook listener on 127.0.0.1 and every loop of the worker, on one clock that the test moves.
 *
 * Nothing runs by itself: `drain()` delivers what the sandbox has to deliver and runs every loop until
 * nothing is left to do; `advance()` moves the clock and drains; `live()` does so at every moment at
 * which something falls due. The poll keeps its interval on this clock, and whoever waits for the
 * request budget moves the clock by waiting.
 */
import type { Product, Sale } from '../../src/cli/demo/shop.ts';
import { makeSale } from '../../src/cli/demo/shop.ts';
import { closeServer, listen } from '../../src/cli/listen.ts';
import { createStoreBudget } from '../../src/client/budget.store.ts';
import { createServiceClient } from '../../src/client/index.ts';
import { sourceOfUrl } from '../../src/db/source.ts';
import { acceptOrders } from '../../src/feed/intake.ts';
import type { FixedClock } from '../../src/kernel/clock.ts';
import { createFixedClock } from '../../src/kernel/clock.ts';
import { REMOTE_TIMEOUT_MS } from '../../src/kernel/limits.ts';
import { createLog } from '../../src/kernel/log.ts';
import { createHttpProcessor } from '../../src/refund/http-processor.ts';
import type { Parts } from '../../src/roles/parts.ts';
import { openParts } from '../../src/roles/parts.ts';
import { openPolicy } from '../../src/roles/policy-source.ts';
import { createServeRole } from '../../src/roles/serve.ts';
import type { Work, WorkOptions } from '../../src/roles/work.ts';
import { createWork } from '../../src/roles/work.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/wire/brand-tokens.ts';
import type { Arrivals } from './arrivals.ts';
import { watchArrivals } from './arrivals.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import { nextMomentMs } from './next-moment.ts';

/** Options of {@link createWorld}. */
export interface WorldOptions {
  /** Path of a policy file. @default the demonstration policy */
  readonly policyPath?: string;
  readonly mode?: 'live' | 'shadow';
  readonly sandbox?: SandboxOptions;
  /** How many workers there are, each with its own connections and identity. @default 1 */
  readonly workers?: number;
  /** Longest call to the service or the processor, in real milliseconds. @default 10000 */
  readonly callTimeoutMs?: number;
  /** Stands between the worker and the service. @default the global fetch */
  readonly serviceFetch?: typeof fetch;
}

/** A running world. */
export interface World {
  readonly clock: FixedClock;
  readonly sandbox: Sandbox;
  readonly database: TestDatabase;
  readonly parts: Parts;
  readonly works: readonly Work[];
  readonly webhookUrl: string;
  /** Every request that reached the service or the processor. */
  readonly arrivals: Arrivals;
  /** Delivers and works until nothing is left to do at this moment. */
  drain(): Promise<void>;
  /** The same with all workers at once, as separate processes would. */
  race(): Promise<void>;
  /** Moves the clock, in steps that let everything happen in its order, and drains after each. */
  advance(durationMs: number, stepMs?: number): Promise<void>;
  /**
   * Moves the clock from one moment at which something of ours is due to the next, at most `stepMs`
   * at a time, and drains at each.
   */
  live(durationMs: number, stepMs?: number): Promise<void>;
  /** A charge at the processor and its order with us. */
  sell(product: Product, twinOf?: Sale): Promise<Sale>;
  /** Hands an order to Forestall. */
  recordOrder(order: Record<string, unknown>): Promise<void>;
  /** The state of a case, or undefined. */
  stateOf(alertId: string): Promise<string | undefined>;
  close(): Promise<void>;
}

const PROCESSOR_SECRET = 'processor-secret-for-tests';
/** Rounds of a drain before it counts as a livelock. */
const ROUNDS_MAX = 200;

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const database = await createTestDatabase();
  const sandbox = await createSandbox({
    clock,
    processorSecret: PROCESSOR_SECRET,
    ...options.sandbox,
  });
  const arrivals = watchArrivals(sandbox);
  const { accounts } = sandbox;
  const log = createLog({ level: process.env['FORESTALL_TEST_LOG'] ?? 'silent' });
  const place = {
    database: sourceOfUrl(database.connectionString),
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    serviceUrl: sandbox.url,
    apiKey: accounts.organisationKey,
    partnerApiKey: accounts.partnerKey,
    brandTokens: IDENTITY_BRAND_TOKENS,
  };
  const workOptions: WorkOptions = {
    processor: createHttpProcessor({
      baseUrl: sandbox.processorUrl,
      secret: PROCESSOR_SECRET,
      clock,
      timeoutMs: options.callTimeoutMs ?? REMOTE_TIMEOUT_MS,
    }),
    policy: openPolicy({
      path: options.policyPath,
      demonstration: true,
      brands: IDENTITY_BRAND_TOKENS,
      log,
    }),
    mode: options.mode ?? 'live',
    reconcileSeconds: 120,
    notifyUrl: undefined,
  };
  const passTime = async (durationMs: number): Promise<void> => {
    await sandbox.advance(durationMs);
  };
  const everyone = await Promise.all(
    Array.from({ length: options.workers ?? 1 }, async () =>
      onThisClock(await openParts(place, log, clock), { options, passTime }),
    ),
  );
  const [parts] = everyone as [Parts, ...Parts[]];
  const works = everyone.map((each) => createWork(each, workOptions));
  const serve = createServeRole(parts, {
    webhookSecrets: [accounts.webhookSecret],
    tls: undefined,
  });
  const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  const webhookUrl = `http://127.0.0.1:${port}/webhooks`;
  sandbox.pointWebhooksAt(webhookUrl);

  const runs = works.map((work) => createRounds(work, clock));
  const inTurn = async (): Promise<number> => {
    let done = 0;
    for (const run of runs) done += await run();
    return done;
  };
  const atOnce = async (): Promise<number> => {
    const counts = await Promise.all(runs.map((run) => run()));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const until = async (round: () => Promise<number>): Promise<void> => {
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
      await sandbox.settle();
      if ((await round()) === 0) return;
    }
    throw new Error(`Still busy after ${ROUNDS_MAX} rounds: something makes itself due for ever.`);
  };
  const drain = (): Promise<void> => until(inTurn);
  const recordOrder = async (order: Record<string, unknown>): Promise<void> => {
    const { db } = parts.database;
    const { organisationId, integrationId } = place;
    const results = await acceptOrders({ db, clock, organisationId, integrationId }, [order]);
    if (results[0]?.kind !== 'accepted') throw new Error(JSON.stringify(results));
  };
  return {
    clock,
    sandbox,
    database,
    parts,
    works,
    webhookUrl,
    arrivals,
    drain,
    race: () => until(atOnce),
    async advance(durationMs, stepMs = durationMs): Promise<void> {
      for (let left = durationMs; left > 0; left -= stepMs) {
        await sandbox.advance(Math.min(stepMs, left));
        await drain();
      }
    },
    async live(durationMs, stepMs = 30 * 60_000): Promise<void> {
      const endMs = clock.nowMs() + durationMs;
      await drain();
      while (clock.nowMs() < endMs) {
        const latestMs = Math.min(endMs, clock.nowMs() + stepMs);
        const dueMs = await nextMomentMs(database.db, sandbox, clock.nowMs());
        await sandbox.advance(Math.min(latestMs, dueMs ?? latestMs) - clock.nowMs());
        await drain();
      }
    },
    recordOrder,
    async sell(product, twinOf): Promise<Sale> {
      const sale = makeSale(
        { product, ...(twinOf === undefined ? {} : { twinOf }) },
        clock.nowMs(),
      );
      sandbox.createCharge(sale.charge);
      await recordOrder(sale.order);
      return sale;
    },
    async stateOf(alertId): Promise<string | undefined> {
      const row = await database.db
        .selectFrom('alert_case')
        .select('state')
        .where('alert_id', '=', alertId)
        .executeTakeFirst();
      return row?.state;
    },
    async close(): Promise<void> {
      for (const work of works) {
        work.abort();
        await work.release();
      }
      await closeServer(serve.server, 200);
      await serve.close();
      for (const each of everyone) await each.close();
      await sandbox.close();
      await database.drop();
    },
  };
}

interface WorldClockwork {
  readonly options: WorldOptions;
  /** Lets the world's time pass while somebody waits. */
  readonly passTime: (durationMs: number) => Promise<void>;
}

/** The parts with a client that neither waits nor times out on the machine's clock. */
function onThisClock(parts: Parts, { options, passTime }: WorldClockwork): Parts {
  const { place, database, organisationId, clock, brandTokens } = parts;
  const budget = createStoreBudget({ db: database.db, organisationId, clock, wait: passTime });
  const client = createServiceClient({
    baseUrl: place.serviceUrl,
    apiKey: place.apiKey,
    partnerApiKey: place.partnerApiKey,
    brandTokens,
    clock,
    budget,
    timeoutMs: options.callTimeoutMs ?? REMOTE_TIMEOUT_MS,
    fetch: options.serviceFetch,
    wait: async () => undefined,
  });
  return { ...parts, budget, client };
}

/** One round of a worker: every loop once, the poll only when its interval has passed on the clock. */
function createRounds(work: Work, clock: FixedClock): () => Promise<number> {
  let nextPollMs = Number.NEGATIVE_INFINITY;
  return async () => {
    let done = 0;
    for (const loop of work.loops) {
      const isPoll = loop.name === 'reconcile';
      if (isPoll && clock.nowMs() < nextPollMs) continue;
      // What a poll heals is due at once, and it does not say how much that was.
      if (isPoll) done += 1;
      if (isPoll) nextPollMs = clock.nowMs() + loop.idleMs;
      done += await loop.runOnce();
    }
    return done;
  };
}
