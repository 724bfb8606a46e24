/**
 * The whole of Forestall for one test: the sandbox with its service and processor, the webhook
 * listener on 127.0.0.1 and every loop of the worker, on one clock that the test moves.
 *
 * Nothing runs by itself: `drain()` delivers what the sandbox has to deliver and runs every loop until
 * nothing is left to do; `advance()` moves the clock and drains; `live()` does so at every moment at
 * which something falls due. The poll keeps its interval on this clock, and anyone who waits for the
 * request budget moves the clock by waiting.
 */
import { findCase } from '../../alerts/cases/case.store.ts';
import { signedEvents } from '../../alerts/receive/signed-events.ts';
import { closeServer, listen } from '../../base/http/listen.ts';
import type { FixedClock } from '../../base/kernel/clock.ts';
import { createFixedClock } from '../../base/kernel/clock.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import { isStored } from '../../orders/intake-result.ts';
import type { ProgrammePolicy } from '../../orders/programme.ts';
import { NO_PROGRAMMES } from '../../orders/programme.ts';
import type { Product, Sale } from '../../sandbox/demo-shop.ts';
import { makeSale } from '../../sandbox/demo-shop.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { createSandbox } from '../../sandbox/index.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import type { OrderInput } from '../../service/wire/order-input.ts';
import type { ForestallAlerts } from '../embed/alerts.ts';
import { createAlerts } from '../embed/alerts.ts';
import type { ForestallOrders } from '../embed/orders.ts';
import { createOrders } from '../embed/orders.ts';
import type { OrganisationParts } from '../roles/parts.ts';
import { openParts } from '../roles/parts.ts';
import { createServeRole } from '../roles/serve.ts';
import type { Work } from '../roles/work.ts';
import { createWork } from '../roles/work.ts';
import { createRounds, drainUntilIdle, liveThrough } from './rounds.ts';
import type { LayeredWorldOptions } from './world-wiring.ts';
import {
  callsOf,
  endpointsOf,
  PROCESSOR_EVENT_SECRET,
  PROCESSOR_SECRET,
  workOptionsOf,
} from './world-wiring.ts';

/** A running world. */
export interface TestWorld {
  readonly clock: FixedClock;
  readonly sandbox: Sandbox;
  readonly webhookUrl: string;
  readonly orders: ForestallOrders;
  readonly alerts: ForestallAlerts;
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
  /** A charge at the sandbox's processor and its order with us. */
  sell(product: Product, twinOf?: Pick<Sale, 'charge'>): Promise<Sale>;
  /** Hands an order to Forestall. */
  recordOrder(order: OrderInput): Promise<void>;
  /** The state of an alert's case, or undefined. */
  stateOf(alertId: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The same with its works laid open, for Forestall's own tests and `forestall verify`. */
export interface OpenTestWorld extends TestWorld {
  readonly parts: OrganisationParts;
  /** The workers that `drain` runs. */
  readonly works: readonly Work[];
  /** Forgets the workers, as if their processes had been killed, and starts one new. */
  replaceWorkers(): Promise<void>;
}

export async function createTestWorld(options: LayeredWorldOptions): Promise<OpenTestWorld> {
  const clock = createFixedClock(options.startsAt ?? '2026-11-20T00:00:00Z');
  const log = options.log ?? createLog({ level: 'silent' });
  const sandbox = await createSandbox({
    clock,
    processorSecret: PROCESSOR_SECRET,
    brandTokens: createBrandTokens(options.brandTokens),
    ...options.sandbox,
  });
  const endpoints = endpointsOf(sandbox, options);
  const open = (): Promise<OrganisationParts> =>
    openParts(endpoints, log, { clock, calls: callsOf(sandbox, options) });
  const parts = await open();
  const others = await Promise.all(Array.from({ length: (options.workers ?? 1) - 1 }, open));
  const everyone = [parts, ...others];
  const workOptions = workOptionsOf(options, { sandbox, clock, log });
  const works = everyone.map((each) => createWork(each, workOptions));
  const all = [...works];
  const serve = createServeRole(parts, {
    webhookSecrets: [sandbox.accounts.webhookSecret, ...(options.furtherSecrets ?? [])],
    tls: undefined,
    givesSigns: false,
    events: options.processor?.events ?? signedEvents([PROCESSOR_EVENT_SECRET], clock),
  });
  const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  const webhookUrl = `http://127.0.0.1:${port}/webhooks`;
  sandbox.pointWebhooksAt(webhookUrl);
  return {
    clock,
    sandbox,
    parts,
    works,
    webhookUrl,
    ...driving({ parts, works, sandbox, clock }),
    ...offering(parts, { sandbox, programmes: options.programmes ?? NO_PROGRAMMES }),
    async replaceWorkers(): Promise<void> {
      const fresh = await open();
      everyone.push(fresh);
      const work = createWork(fresh, workOptions);
      all.push(work);
      works.splice(0, works.length, work);
    },
    async close(): Promise<void> {
      for (const work of all) {
        work.abort();
        await work.release();
      }
      await closeServer(serve.server, 200);
      await serve.close();
      for (const each of everyone) await each.close();
      await sandbox.close();
    },
  };
}

interface Driven {
  readonly parts: OrganisationParts;
  readonly works: readonly Work[];
  readonly sandbox: Sandbox;
  readonly clock: FixedClock;
}

/** The functions that make time pass and work happen. */
function driving(driven: Driven): Pick<TestWorld, 'drain' | 'race' | 'advance' | 'live'> {
  const { parts, works, sandbox, clock } = driven;
  const rounds = new Map<Work, () => Promise<number>>();
  const roundsOf = (): (() => Promise<number>)[] =>
    works.map((work) => {
      const known = rounds.get(work) ?? createRounds(work, clock);
      rounds.set(work, known);
      return known;
    });
  const inTurn = async (): Promise<number> => {
    let done = 0;
    for (const run of roundsOf()) done += await run();
    return done;
  };
  const atOnce = async (): Promise<number> => {
    const counts = await Promise.all(roundsOf().map((run) => run()));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const drain = (): Promise<void> => drainUntilIdle(sandbox, inTurn);
  return {
    drain,
    race: () => drainUntilIdle(sandbox, atOnce),
    async advance(durationMs, stepMs = durationMs): Promise<void> {
      for (let leftMs = durationMs; leftMs > 0; leftMs -= stepMs) {
        await sandbox.advance(Math.min(stepMs, leftMs));
        await drain();
      }
    },
    live(durationMs, stepMs): Promise<void> {
      const { database, organisationId } = parts;
      return liveThrough({ db: database.db, organisationId, sandbox, drain }, durationMs, stepMs);
    },
  };
}

/** The functions that bring things into the world and look at them. */
function offering(
  parts: OrganisationParts,
  { sandbox, programmes }: { readonly sandbox: Sandbox; readonly programmes: ProgrammePolicy },
): Pick<TestWorld, 'orders' | 'alerts' | 'recordOrder' | 'sell' | 'stateOf'> {
  const orders = createOrders(parts, programmes);
  const recordOrder = async (order: OrderInput): Promise<void> => {
    const [result] = await orders.accept([order]);
    if (result === undefined || !isStored(result)) throw new InvariantError(JSON.stringify(result));
  };
  return {
    orders,
    alerts: createAlerts(parts),
    recordOrder,
    async sell(product, twinOf): Promise<Sale> {
      const unlike = sandbox.state.charges.values();
      const sale = makeSale({ product, twinOf, unlike }, parts.clock.nowMs());
      sandbox.createCharge(sale.charge);
      await recordOrder(sale.order);
      return sale;
    },
    stateOf: async (alertId) =>
      (await findCase(parts.database.db, parts.organisationId, alertId))?.state,
  };
}
