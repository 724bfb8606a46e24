/**
 * Puts one run together: the weather, the sandbox, our processes, the network, and everything the world
 * will do, planned on the simulated time.
 */

import { rematchWaiting } from '../../src/alerts/match/waiting.store.ts';
import { INBOX_TOPIC } from '../../src/alerts/receive/inbox-wake.ts';
import { topicFor } from '../../src/base/jobs/wake.store.ts';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { acceptOrders } from '../../src/orders/intake.ts';
import type { PolicySource } from '../../src/policy/policy-watcher.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { runAs } from './actor.ts';
import { anotherProviderUrl, homeOrigin } from './another-provider.ts';
import type { SimulationDatabase } from './cell-database.ts';
import type { AskDue } from './due.ts';
import { createDue } from './due.ts';
import type { Edges } from './edges.ts';
import { createEdges } from './edges.ts';
import { Fleet } from './fleet.ts';
import { exchangeInside } from './loopback.ts';
import type { Member } from './member.ts';
import { openMembers } from './member.ts';
import { planStories } from './merchant.ts';
import { lookAtHeldCases } from './people.ts';
import { streamOf } from './simulated-time.ts';
import type { Weather, WeatherWishes } from './weather.ts';
import { drawWeather } from './weather.ts';

/** What is to be simulated. */
export interface RunOptions {
  readonly seed: number;
  /** Stories of each organisation; some raise two alerts. */
  readonly alerts: number;
  /** That share our processes, the database and every name. @default 1 */
  readonly organisations?: number;
  /** Workers, and as many receivers. @default 2 */
  readonly replicas?: number;
  readonly policy: PolicySource;
  /** A migrated database. Rows of other runs do not matter. */
  readonly database: Pick<SimulationDatabase, 'raw' | 'own'>;
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
  readonly members: readonly Member[];
  readonly weather: Weather;
  readonly fleet: Fleet;
  readonly edges: Edges;
  readonly askDue: AskDue;
  readonly endMs: number;
  /** What the world wants of our processes, to be begun at this moment. */
  readonly tasks: (() => Promise<void>)[];
}

/** Puts a run together. */
export async function prepareRun(options: RunOptions): Promise<Parts> {
  const { seed, database, alerts } = options;
  const { raw, own } = database;
  const clock = createFixedClock(STARTS_AT);
  const length = alerts <= SHORT_MAX ? 'short' : 'long';
  const hours = Math.max(0.5, alerts / STORIES_AN_HOUR[length]);
  const weather = drawWeather(seed, { hours, length }, options.wishes);
  const members = await openMembers(options.organisations ?? 1, {
    seed,
    clock,
    weather,
    raw,
    analyseAt: ANALYSE_AT[length],
  });
  // Messages belong to the installation, not to an organisation: those of earlier runs are over.
  await raw.query(
    'update notification set next_attempt_at = null where next_attempt_at is not null',
  );
  const endMs = clock.nowMs() + hours * HOUR_MS + TAIL_MS[length];
  const calmFromMs = endMs - CALM_MS[length];
  const { changesProviderAfterMs } = weather;
  const changesAtMs =
    changesProviderAfterMs === null
      ? Number.POSITIVE_INFINITY
      : clock.nowMs() + changesProviderAfterMs;
  const fleet = new Fleet({
    seed,
    replicas: options.replicas ?? 2,
    own,
    clock,
    calmFromMs,
    weather,
    shared: {
      members,
      clock,
      log: createLog({ level: 'silent' }),
      policy: options.policy,
      pollSeconds: weather.pollSeconds,
      processorUrlOf: ({ sandbox: { processorUrl } }) =>
        clock.nowMs() >= changesAtMs ? anotherProviderUrl(processorUrl) : processorUrl,
    },
  });
  const edges = createEdges({
    scheduler: fleet.scheduler,
    clock,
    random: streamOf(seed, 'edges'),
    weather,
    executeAt: async (asked) => {
      const { sandbox, providers } = memberAt(members, asked.origin);
      return await providers.execute(asked, () => exchangeInside(sandbox.app, asked));
    },
    receivers: () => fleet.receivers(),
    calmFromMs,
    startMs: clock.nowMs(),
    requestLifetimeMs: 60_000,
    onExecuted: (asked) => memberAt(members, asked.origin).oracle.afterCall(asked),
    onAcknowledged: ({ path, body }) => {
      const { acknowledged, organisationId } = memberBehind(members, path);
      acknowledged.note(body);
      fleet.wake(topicFor(INBOX_TOPIC, organisationId));
    },
  });
  const tasks: (() => Promise<void>)[] = [];
  const askDue = createDue(
    raw,
    members.map(({ organisationId }) => organisationId),
  );
  const parts = { options, clock, members, weather, fleet, edges, askDue, endMs, tasks };
  const windows = WINDOWS_HOURS[length];
  for (const member of members) planWorld(parts, member, { hours, calmFromMs, windows });
  const every = (stepMs: number, act: () => void): void => {
    const [office] = fleet.offices;
    for (let atMs = clock.nowMs() + stepMs; atMs < endMs; atMs += stepMs) {
      fleet.scheduler.at(atMs, () => (office === undefined ? act() : runAs(office.actor, act)));
    }
  };
  if (changesProviderAfterMs !== null) fleet.scheduler.at(changesAtMs, () => fleet.deploy());
  every(EVERYTHING_MS, () => fleet.runEverything());
  every(WATCH_MS, () =>
    fleet.whenQuiet(async () => {
      for (const { watch } of members) await watch.look(clock.nowMs());
    }),
  );
  return parts;
}

/** Whose service or processor is asked. */
function memberAt(members: readonly Member[], origin: string): Member {
  const home = homeOrigin(origin);
  const found = members.find(({ sandbox }) => new URL(sandbox.url).origin === home);
  if (found === undefined) throw new RangeError(`Nobody is at ${origin}.`);
  return found;
}

/** Whose webhooks are sent to the path. */
function memberBehind(members: readonly Member[], path: string): Member {
  const found = members.find((member) => pathOf(member) === path);
  if (found === undefined) throw new RangeError(`Nobody receives at ${path}.`);
  return found;
}

function pathOf({ path }: Member): string {
  return path === '' ? '/webhooks' : `/webhooks/${path}`;
}

/** When things happen. */
interface Times {
  readonly hours: number;
  readonly calmFromMs: number;
  readonly windows: readonly number[];
}

/** Plans what the world of an organisation does: stories, faults of webhooks, operators. */
function planWorld(parts: Parts, member: Member, when: Times): void {
  const { options, clock, weather, fleet, tasks, endMs } = parts;
  const { sandbox, truth, index, organisationId } = member;
  const { integrationId } = sandbox.accounts;
  const office = fleet.offices[index];
  if (office === undefined) throw new RangeError('Every organisation has an office.');
  const { actor, db } = office;
  // In the office's name, so that what the merchant's shop draws follows from the seed as well.
  const at = (atMs: number, act: () => void): void => {
    fleet.scheduler.at(Math.min(atMs, endMs), () => runAs(actor, act));
  };
  const want = (task: () => Promise<void>): void => void tasks.push(() => runAs(actor, task));
  sandbox.pointWebhooksAt(`http://127.0.0.1:1${pathOf(member)}`);
  if (weather.webhookFaults > 0) plantWebhookFaults(sandbox, weather.webhookFaults);
  at(when.calmFromMs, () => sandbox.faults.clear());
  const orders: Record<string, unknown>[] = [];
  planStories(
    {
      sandbox,
      clock,
      random: streamOf(options.seed, 'merchant'),
      weather,
      truth,
      windows: when.windows,
      markMinor: index,
      at,
      recordOrder: (order) => {
        orders.push(order);
        if (orders.length > 1) return;
        want(async () => {
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
    errs: weather.peopleErr,
    decided: new Map<string, number>(),
  };
  for (let atMs = clock.nowMs() + PEOPLE_MS; atMs < endMs; atMs += PEOPLE_MS) {
    at(atMs, () => want(() => lookAtHeldCases(people)));
  }
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
