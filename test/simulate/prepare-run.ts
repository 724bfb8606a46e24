/**
 * Puts one run together: the weather, the sandbox, our processes, the network, and everything the world
 * will do, planned on the simulated time.
 */

import { rematchWaiting } from '../../src/alerts/match/waiting.store.ts';
import { INBOX_TOPIC } from '../../src/alerts/receive/inbox-wake.ts';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { acceptOrders } from '../../src/orders/intake.ts';
import type { PolicySource } from '../../src/running/roles/policy-source.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Acknowledged } from './acknowledged.ts';
import { createAcknowledged } from './acknowledged.ts';
import { runAs } from './actor.ts';
import { createDue } from './due.ts';
import type { Edges } from './edges.ts';
import { createEdges } from './edges.ts';
import { Fleet } from './fleet.ts';
import { planStories } from './merchant.ts';
import { createNextDelivery } from './next-delivery.ts';
import type { Oracle } from './oracle.ts';
import { createOracle } from './oracle.ts';
import { lookAtHeldCases } from './people.ts';
import { PROCESSOR_SECRET } from './replica.ts';
import { seedOf, streamOf } from './simulated-time.ts';
import type { Truth } from './truth.ts';
import { createTruth } from './truth.ts';
import type { Watch } from './watch.ts';
import { createWatch } from './watch.ts';
import type { Weather, WeatherWishes } from './weather.ts';
import { drawWeather } from './weather.ts';
import type { Wire } from './wire.ts';

/** What is to be simulated. */
export interface RunOptions {
  readonly seed: number;
  /** Stories; some raise two alerts. */
  readonly alerts: number;
  /** Workers, and as many receivers. @default 2 */
  readonly replicas?: number;
  readonly policy: PolicySource;
  /** A connection of its own to a migrated database. Rows of other runs do not matter. */
  readonly raw: Wire;
  /** Instead of what the seed says. */
  readonly wishes?: WeatherWishes;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STARTS_AT = '2026-11-20T00:00:00Z';
/** A run with this many stories or fewer is short: its alerts have short windows. */
const SHORT_MAX = 20;
/** From an alert to its deadline, in hours: longer than a key of the processor lives. */
const WINDOWS_HOURS = { short: [1.5, 2.5], long: [3, 6, 12] } as const;
/** After the last alert: time for the longest window and for what follows it. */
const TAIL_MS = { short: 3 * HOUR_MS, long: 13.5 * HOUR_MS } as const;
/** Faults end this long before the end: a promise may be kept late, but not never. */
const CALM_MS = { short: 1.5 * HOUR_MS, long: 8 * HOUR_MS } as const;
/** Stories that begin in an hour. */
const STORIES_AN_HOUR = { short: 8, long: 32 } as const;
/** All loops run at least this often, whatever seems due. */
const EVERYTHING_MS = 2 * HOUR_MS;
const WATCH_MS = 90 * MINUTE_MS;
const PEOPLE_MS = 1.4 * HOUR_MS;
/**
 * Looks at which tables are analysed. Until the first of them every index that begins with the organisation seems
 * as good as a key, and what is asked by its key reads all rows; each of them has every statement planned anew.
 */
const ANALYSE_AT = { short: [], long: [1, 4, 16] } as const;
/** A prepared run. */
export interface Parts {
  readonly options: RunOptions;
  readonly clock: FixedClock;
  readonly sandbox: Sandbox;
  readonly weather: Weather;
  readonly truth: Truth;
  readonly fleet: Fleet;
  readonly oracle: Oracle;
  readonly watch: Watch;
  readonly acknowledged: Acknowledged;
  readonly edges: Edges;
  readonly due: ReturnType<typeof createDue>;
  readonly nextDelivery: ReturnType<typeof createNextDelivery>;
  readonly endMs: number;
  /** What the world wants of our processes, to be begun at this moment. */
  readonly tasks: (() => Promise<void>)[];
}

/** Puts a run together. */
export async function prepareRun(options: RunOptions): Promise<Parts> {
  const { seed, raw, alerts } = options;
  const clock = createFixedClock(STARTS_AT);
  const length = alerts <= SHORT_MAX ? 'short' : 'long';
  const hours = Math.max(0.5, alerts / STORIES_AN_HOUR[length]);
  const weather = drawWeather(seed, { hours, length }, options.wishes);
  const sandbox = await createSandbox({
    clock,
    seed: seedOf(seed, 'sandbox'),
    processorSecret: PROCESSOR_SECRET,
    processor: weather.processor,
    disableAfterFailedDeliveries: 1_000_000,
  });
  const { organisationId } = sandbox.accounts;
  // Messages belong to the installation, not to an organisation: those of earlier runs are over.
  await raw.query(
    'update notification set next_attempt_at = null where next_attempt_at is not null',
  );
  const truth = createTruth();
  const oracle = createOracle(sandbox, truth);
  const endMs = clock.nowMs() + hours * HOUR_MS + TAIL_MS[length];
  const calmFromMs = endMs - CALM_MS[length];
  const fleet = new Fleet({
    seed,
    replicas: options.replicas ?? 2,
    raw,
    clock,
    calmFromMs,
    weather,
    shared: {
      sandbox,
      clock,
      log: createLog({ level: 'silent' }),
      policy: options.policy,
      pollSeconds: weather.pollSeconds,
    },
  });
  const acknowledged = createAcknowledged(raw);
  const edges = createEdges({
    scheduler: fleet.scheduler,
    clock,
    random: streamOf(seed, 'edges'),
    weather,
    sandbox: sandbox.app,
    receivers: () => fleet.receivers(),
    calmFromMs,
    startMs: clock.nowMs(),
    requestLifetimeMs: 60_000,
    onExecuted: (asked) => oracle.afterCall(asked),
    onAcknowledged: (body) => {
      acknowledged.note(body);
      fleet.wake(INBOX_TOPIC);
    },
  });
  const watch = createWatch(raw, { organisationId, analyseAt: ANALYSE_AT[length] });
  const tasks: (() => Promise<void>)[] = [];
  const parts = {
    options,
    clock,
    sandbox,
    weather,
    truth,
    fleet,
    oracle,
    watch,
    acknowledged,
    edges,
    due: createDue(raw, organisationId),
    nextDelivery: createNextDelivery(sandbox),
    endMs,
    tasks,
  };
  planWorld(parts, { hours, calmFromMs, windows: WINDOWS_HOURS[length] });
  return parts;
}

/** Plans what the world does: stories, faults of webhooks, operators, our own looks. */
function planWorld(
  parts: Parts,
  when: {
    readonly hours: number;
    readonly calmFromMs: number;
    readonly windows: readonly number[];
  },
): void {
  const { options, clock, sandbox, weather, truth, fleet, tasks, endMs, watch } = parts;
  const { scheduler, office } = fleet;
  const { organisationId, integrationId } = sandbox.accounts;
  const { db } = office;
  // In the office's name, so that what the merchant's shop draws follows from the seed as well.
  const at = (atMs: number, act: () => void): void => {
    scheduler.at(Math.min(atMs, endMs), () => runAs(office.actor, act));
  };
  sandbox.pointWebhooksAt('http://127.0.0.1:1/webhooks');
  if (weather.webhookFaults > 0) plantWebhookFaults(sandbox, weather.webhookFaults);
  at(when.calmFromMs, () => sandbox.faults.clear());
  const random = streamOf(options.seed, 'merchant');
  const orders: Record<string, unknown>[] = [];
  planStories(
    {
      sandbox,
      clock,
      random,
      weather,
      truth,
      windows: when.windows,
      at,
      recordOrder: (order) => {
        orders.push(order);
        if (orders.length > 1) return;
        tasks.push(async () => {
          const deps = { db, clock, organisationId, integrationId, onCharges: rematchWaiting };
          await acceptOrders(deps, orders.splice(0));
        });
      },
    },
    options.alerts,
    when.hours * HOUR_MS,
  );
  const people = {
    db,
    clock,
    random: streamOf(options.seed, 'people'),
    sandbox,
    organisationId,
    truth,
    decided: new Map<string, number>(),
  };
  const every = (stepMs: number, act: () => void): void => {
    for (let atMs = clock.nowMs() + stepMs; atMs < endMs; atMs += stepMs) at(atMs, act);
  };
  every(PEOPLE_MS, () => tasks.push(() => lookAtHeldCases(people)));
  every(EVERYTHING_MS, () => fleet.runEverything());
  every(WATCH_MS, () => fleet.whenQuiet(() => watch.look(clock.nowMs())));
}

const WEBHOOK_FAULTS = [
  'lose',
  'duplicate',
  'reorder',
  'delay',
  'drop_before',
  'drop_after',
  'wrong_secret',
  'stale_timestamp',
  'tampered',
  'malformed',
  'truncated',
] as const;

function plantWebhookFaults(sandbox: Sandbox, share: number): void {
  for (const kind of WEBHOOK_FAULTS) {
    sandbox.addFault({
      on: 'webhook',
      kind,
      rate: share / WEBHOOK_FAULTS.length,
      late_ms: 20 * MINUTE_MS,
    });
  }
}
