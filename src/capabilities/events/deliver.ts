/**
 * Delivers events to endpoints, at least once each; those of one alert in their order: the next one is not tried before the
 * one before it was taken, or given up. Each endpoint has a lane of its own, with its own slots and connections.
 *
 * A claim is a lease on rows; no transaction is open while an endpoint answers. A process that ends in between leaves the
 * lease, after which another one sends the same event once more, under the same id.
 */
import type { Installation } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { maskCardNumbers, maskCards } from '../../base/kernel/card-number.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { toldWords } from '../../base/kernel/told-words.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { signDelivery } from '../../base/notify/standard-webhooks.ts';
import type { EventBody } from '../../surface/event-kind.ts';
import type { ClaimedDelivery, LaneEndpoint, Outcome } from './delivery.store.ts';
import {
  claimDeliveries,
  dueEndpoints,
  lockEndpoint,
  takeFromStream,
  writeOutcomes,
} from './delivery.store.ts';
import type { EndpointNews } from './endpoint.store.ts';
import { FAILING_MS, isFailing, noteEndpoint, openSecrets } from './endpoint.store.ts';
import { eventBodyOf } from './event-body.ts';
import type { Attempt } from './events.table.ts';
import type { PostEvent } from './post-event.ts';
import { createPostEvent } from './post-event.ts';

/** Waits after the first attempt, the second, and so on, in milliseconds; the last repeats until the event is given up. */
export const RETRY_MS: readonly number[] = [
  5_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  10 * 3_600_000,
];

/** Events under way to one endpoint at once. */
export const SLOTS = 16;

/** Events of the stream that one claim looks at; of an endpoint that fails. */
const LOOKED_AT = 500;
const LOOKED_AT_FAILING = 20;

/** A claim lasts so long; the events of one alert are followed for half of it, so that the last call ends within it. In milliseconds. */
const LEASE_MS = 30_000;
const FOLLOW_MS = LEASE_MS / 2;

/** How long calls may go on after the process began to stop, in milliseconds: above one call, below the 20 s of a stop. */
const FINISH_MS = 12_000;

const FAULT_CHARACTERS = 300;

export interface DeliverDeps extends Omit<Installation, 'workerId'> {
  /** Plain HTTP and this machine may be delivered to. */
  readonly allowLoopback: boolean;
  /** The secrets of an endpoint that is in the settings, by its name; undefined: not in those of this process. */
  readonly secretsOf: (name: string) => readonly string[] | undefined;
  /** The e-mail address of the customer whom an event is about. */
  readonly emailOf?: ((event: ClaimedDelivery) => Promise<string | null>) | undefined;
  /** @default RETRY_MS */
  readonly retryMs?: readonly number[];
  /** @default 10000 */
  readonly timeoutMs?: number;
}

export interface Deliverer {
  /**
   * Sets every lane going that has something due. With `onSlotFree` it leaves them under way, else it waits for them.
   * Returns how many events were tried until then.
   */
  runOnce(onSlotFree?: () => void): Promise<number>;
  /** Takes nothing more, and waits for what is under way. */
  finish(): Promise<void>;
}

export function createDeliverer(deps: DeliverDeps): Deliverer {
  const { db, clock, organisationId } = deps;
  const lanes = new Map<string, Lane>();
  const stop = new AbortController();
  let isStopping = false;
  return {
    async runOnce(onSlotFree): Promise<number> {
      if (isStopping) return 0;
      const due = await dueEndpoints(db, { organisationId, now: nowDate(clock) });
      const going = due.map(async (id) => {
        const lane = lanes.get(id) ?? createLane(deps, id, stop.signal);
        lanes.set(id, lane);
        return await lane.go();
      });
      if (onSlotFree !== undefined) return 0;
      const tried = await Promise.all(going);
      return tried.reduce((sum, each) => sum + each, 0);
    },
    async finish(): Promise<void> {
      isStopping = true;
      const timer = setTimeout(() => stop.abort(), FINISH_MS);
      await Promise.all([...lanes.values()].map(async (lane) => await lane.stop()));
      clearTimeout(timer);
    },
  };
}

interface Lane {
  /** Drains what is due; where it is under way already it only looks again. Never throws. Returns how many were tried. */
  go(): Promise<number>;
  stop(): Promise<void>;
}

function createLane(deps: DeliverDeps, id: string, abort: AbortSignal): Lane {
  const { log, allowLoopback, timeoutMs } = deps;
  const post = createPostEvent({
    allowLoopback,
    connections: SLOTS,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const outcomes = createOutcomes(deps, id);
  const running = new Set<Promise<void>>();
  let draining: Promise<number> | undefined;
  let looked = Promise.withResolvers<void>();
  let isStopping = false;
  const isOver = (): boolean => isStopping || abort.aborted;
  const start = (group: readonly ClaimedDelivery[], claimed: Claimed): void => {
    const send = senderTo(deps, claimed, { post, abort });
    const work = deliverGroup(deps, { group, claimed, send, isOver })
      .then(async (tried) => await outcomes.write(tried))
      .catch((error: unknown) => {
        log.error({ err: error, endpoint: id }, 'outcomes of deliveries not written');
      })
      .finally(() => running.delete(work));
    running.add(work);
  };
  const begin = (claimed: Claimed): void => {
    outcomes.saw(claimed.endpoint);
    const groups = Map.groupBy(claimed.deliveries, ({ lane }) => lane);
    for (const group of groups.values()) start(group, claimed);
  };
  const waitForSlots = async (free: number): Promise<void> => {
    while (SLOTS - running.size < free) await Promise.race(running);
  };
  const drain = async (): Promise<number> => {
    let tried = 0;
    let next: ReturnType<typeof after> = { skipStream: false, free: 1 };
    while (!isOver()) {
      await waitForSlots(next.free);
      looked = Promise.withResolvers<void>();
      const limit = SLOTS - running.size;
      const claimed = await claim(deps, id, { limit, skipStream: next.skipStream });
      if (claimed !== undefined) begin(claimed);
      const count = claimed?.deliveries.length ?? 0;
      tried += count;
      next = after(claimed, limit);
      if (count > 0 || claimed?.hasMore === true) continue;
      if (running.size === 0) break;
      // What is under way may set free what is behind it; and the loop says when there is something new.
      await Promise.race([Promise.all(running), looked.promise]);
    }
    await Promise.all(running);
    return tried;
  };
  return {
    go: async (): Promise<number> => {
      looked.resolve();
      draining ??= drain()
        .catch((error: unknown) => {
          log.error({ err: error, endpoint: id }, 'round of deliveries failed');
          return 0;
        })
        .finally(() => {
          draining = undefined;
        });
      return await draining;
    },
    stop: async (): Promise<void> => {
      isStopping = true;
      looked.resolve();
      await draining;
      await Promise.all(running);
    },
  };
}

/** How the next claim goes: after a full one not for each slot that becomes free, and one by one where the endpoint fails. */
function after(
  claimed: Claimed | undefined,
  limit: number,
): { readonly skipStream: boolean; readonly free: number } {
  if (claimed === undefined) return { skipStream: false, free: 1 };
  const isFull = claimed.deliveries.length === limit;
  if (isFailing(claimed.endpoint.failures)) return { skipStream: false, free: SLOTS };
  return { skipStream: isFull, free: isFull ? SLOTS / 2 : 1 };
}

interface Claimed {
  readonly endpoint: LaneEndpoint;
  readonly secrets: readonly string[];
  readonly deliveries: readonly ClaimedDelivery[];
  readonly leaseUntil: Date;
  readonly claimedMs: number;
  /** The stream holds more than was looked at. */
  readonly hasMore: boolean;
}

/** Takes from the stream and claims. Undefined: somebody else does so just now, or the endpoint is not ours to send to. */
async function claim(
  deps: DeliverDeps,
  id: string,
  { limit, skipStream }: { readonly limit: number; readonly skipStream: boolean },
): Promise<Claimed | undefined> {
  const { db, clock, organisationId } = deps;
  const claimedMs = performance.now();
  const now = nowDate(clock);
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const about = { organisationId, id, now };
  return await inTransaction(db, async (trx) => {
    const endpoint = await lockEndpoint(trx, about);
    if (endpoint === undefined) return undefined;
    const secrets = secretsFor(deps, endpoint, now);
    if (secrets === undefined) return undefined;
    const isSick = isFailing(endpoint.failures);
    const look = async (most: number): Promise<number> =>
      endpoint.is_behind ? await takeFromStream(trx, { ...about, limit: most }) : 0;
    const take = async (): Promise<ClaimedDelivery[]> =>
      await claimDeliveries(trx, { ...about, leaseUntil, limit: isSick ? 1 : limit });
    let looked = skipStream || isSick ? 0 : await look(LOOKED_AT);
    let deliveries = await take();
    if (isSick && deliveries.length === 0) {
      looked = await look(LOOKED_AT_FAILING);
      if (looked > 0) deliveries = await take();
    }
    const hasMore = looked === (isSick ? LOOKED_AT_FAILING : LOOKED_AT);
    return { endpoint, secrets, deliveries, leaseUntil, claimedMs, hasMore };
  });
}

function secretsFor(
  { db, organisationId, secretsOf }: DeliverDeps,
  { id, name, kept_by: keptBy, secrets }: LaneEndpoint,
  now: Date,
): readonly string[] | undefined {
  if (keptBy === 'settings') return secretsOf(name);
  return openSecrets(db, { organisationId, id }, secrets)
    .filter(({ until }) => until === null || new Date(until) > now)
    .map(({ secret }) => secret);
}

type Send = (event: ClaimedDelivery) => Promise<Attempt>;

function senderTo(
  deps: DeliverDeps,
  { endpoint, secrets }: Claimed,
  { post, abort }: { readonly post: PostEvent; readonly abort: AbortSignal },
): Send {
  const { clock } = deps;
  return async (event) => {
    const startedMs = performance.now();
    const now = nowDate(clock);
    const made = (outcome: Pick<Attempt, 'status' | 'fault' | 'answer'>): Attempt => ({
      at: now.toISOString(),
      duration_ms: Math.round(performance.now() - startedMs),
      ...outcome,
    });
    try {
      const content = await bodyFor(deps, endpoint, event);
      const body = JSON.stringify(content);
      const atSeconds = Math.floor(now.getTime() / 1_000);
      const headers = { ...signDelivery({ id: content.id, atSeconds, body, secrets }) };
      const { status, answer } = await post({ url: endpoint.url, body, headers }, abort);
      return made({ status, answer, fault: faultOf(status) });
    } catch (error) {
      return made({ status: null, answer: '', fault: faultWords(error) });
    }
  };
}

async function bodyFor(
  { organisationId, emailOf }: DeliverDeps,
  endpoint: LaneEndpoint,
  event: ClaimedDelivery,
): Promise<EventBody> {
  const body = eventBodyOf(organisationId, event);
  const asked = endpoint.with_email && emailOf !== undefined;
  const data = asked ? { ...body.data, customer_email: await emailOf(event) } : body.data;
  // References are the merchant's own words: what reads as a card number leaves nowhere.
  return { ...body, sentence: maskCardNumbers(body.sentence), data: { ...maskCards(data).object } };
}

/** Nothing but a 2xx is an arrival. */
function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `HTTP ${status}: redirects are not followed`;
  return `HTTP ${status}`;
}

function faultWords(error: unknown): string {
  const isLate = error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name);
  return isLate ? 'no answer in time' : toldWords(messageOf(error)).slice(0, FAULT_CHARACTERS);
}

interface GroupWork {
  readonly group: readonly ClaimedDelivery[];
  readonly claimed: Claimed;
  readonly send: Send;
  readonly isOver: () => boolean;
}

/** The events of one alert, one after the other, until one is not taken; those behind it go back. */
async function deliverGroup(deps: DeliverDeps, work: GroupWork): Promise<Outcome[]> {
  const { group, claimed, send, isOver } = work;
  const tried: Outcome[] = [];
  let isHeld = false;
  for (const event of group) {
    isHeld ||= isOver() || performance.now() - claimed.claimedMs > FOLLOW_MS;
    const outcome: Outcome = isHeld
      ? givenBack(deps, event, claimed)
      : outcomeOf(deps, { event, claimed, attempt: await send(event) });
    isHeld ||= outcome.state === 'PENDING';
    tried.push(outcome);
  }
  return tried;
}

function givenBack(
  { clock }: DeliverDeps,
  { seq }: ClaimedDelivery,
  { leaseUntil }: Claimed,
): Outcome {
  return { seq, state: 'PENDING', nextAt: nowDate(clock), leaseUntil, attempt: undefined };
}

/**
 * Tried for five days, an event is given up where the endpoint has taken others meanwhile. Where it has taken nothing, the
 * endpoint is switched off instead, and the event waits for its return.
 */
function outcomeOf(
  { clock, retryMs = RETRY_MS }: DeliverDeps,
  {
    event,
    claimed,
    attempt,
  }: { readonly event: ClaimedDelivery; readonly claimed: Claimed; readonly attempt: Attempt },
): Outcome {
  const { seq, tries, first_at: firstAt } = event;
  const { leaseUntil, endpoint } = claimed;
  const now = nowDate(clock);
  if (attempt.fault === null) return { seq, state: 'DELIVERED', nextAt: now, leaseUntil, attempt };
  const nextAt = new Date(now.getTime() + (retryMs[tries] ?? retryMs.at(-1) ?? 0));
  const { failing_since: failingSince } = endpoint;
  const tookOthers = failingSince === null || failingSince > firstAt;
  const isGivenUp =
    tookOthers && tries >= retryMs.length && now.getTime() - firstAt.getTime() >= FAILING_MS;
  return { seq, state: isGivenUp ? 'GIVEN_UP' : 'PENDING', nextAt, leaseUntil, attempt };
}

interface Outcomes {
  /** An endpoint was claimed for. */
  saw(endpoint: LaneEndpoint): void;
  /** Resolves when they are written. */
  write(outcomes: readonly Outcome[]): Promise<void>;
}

/** Writes outcomes, all that came in during one statement with the next. */
function createOutcomes(deps: DeliverDeps, id: string): Outcomes {
  let waiting: Outcome[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  /** The row of the endpoint says that it fails, or is about to: that it takes something is noted then only. */
  let isFailingNoted = false;
  const flush = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    next = undefined;
    const batch = waiting;
    waiting = [];
    const news = await repeated(async () => await writeDown(deps, id, batch));
    const isNews = news.isGone || news.failed > 0 || (news.delivered > 0 && isFailingNoted);
    if (isNews) await noteEndpoint(deps.db, { ...news, organisationId: deps.organisationId, id });
    if (isNews) isFailingNoted = news.delivered === 0;
  };
  return {
    saw: ({ failing_since: failingSince }): void => {
      isFailingNoted ||= failingSince !== null;
    },
    write: async (outcomes): Promise<void> => {
      waiting.push(...outcomes);
      if (next === undefined) {
        next = flush(last);
        last = next;
      }
      await next;
    },
  };
}

/** Waits before outcomes are written again, in milliseconds: a lost connection must not cost the whole lease. */
const WRITE_AGAIN_MS: readonly number[] = [100, 500, 2_000];

async function repeated<Result>(write: () => Promise<Result>): Promise<Result> {
  for (const waitMs of WRITE_AGAIN_MS) {
    try {
      return await write();
    } catch {
      await new Promise((done) => setTimeout(done, waitMs));
    }
  }
  return await write();
}

async function writeDown(
  { db, clock, organisationId }: DeliverDeps,
  id: string,
  outcomes: readonly Outcome[],
): Promise<EndpointNews & { readonly now: Date }> {
  const now = nowDate(clock);
  await writeOutcomes(db, { organisationId, id, now }, outcomes);
  const tried = outcomes.flatMap(({ attempt }) => attempt ?? []);
  const delivered = tried.filter(({ fault }) => fault === null).length;
  const isGone = tried.some(({ status }) => status === 410);
  if (outcomes.some(({ state }) => state === 'GIVEN_UP'))
    await notify(db, {
      organisationId,
      dedupeKey: `event_given_up:${id}:${now.toISOString().slice(0, 'YYYY-MM-DD'.length)}`,
      kind: 'event_given_up',
      severity: 'warning',
      text: 'An endpoint for events takes others, but did not take some in five days. They are given up: mend the endpoint, then send them again on the page Endpoints.',
      at: now,
    });
  return { delivered, failed: tried.length - delivered, isGone, now };
}
