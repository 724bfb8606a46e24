/**
 * Sends waiting orders: batches of up to 100, oldest first, one drain per organisation across all
 * processes, as fast as the shared request budget gives.
 *
 * Nothing is assumed about a request without an answer: its orders are sent again, and one that had
 * arrived answers `DUPLICATE_ORDER`. A batch the service refuses as a whole is halved until the
 * order that causes it is alone. Where most orders of an integration are refused for one reason,
 * the integration is stopped.
 */
import { nowDate } from '../base/kernel/clock.ts';
import { ORDERS_PER_CREATE_MAX } from '../service/wire/limits.ts';
import { nextBatch, probeLimit } from './batch-plan.ts';
import type { CallFailure } from './call-failure.ts';
import { failureOf } from './call-failure.ts';
import type { HeldLease } from './drain-lease.ts';
import { createDrainLease } from './drain-lease.ts';
import { createDrainPause } from './drain-pause.ts';
import { probeStopped, stopFeed } from './feed-brake.ts';
import type { FeedDeps } from './feed-deps.ts';
import { ACCESS_RETRY_MS } from './feed-deps.ts';
import type { WaitingOrder } from './order.store.ts';
import { findWaiting, hasOrdersToSend } from './order-sending.store.ts';
import {
  objectionOf,
  recordAnswer,
  recordNoAccess,
  recordRefused,
  recordUnknown,
} from './record-answer.ts';
import type { Outcome, RefusalWindow } from './refusal-window.ts';
import { createRefusalWindow } from './refusal-window.ts';

/** Requests under way at once: hides the way to the service, which the limit does not count. */
const LANES = 4;

/** Batches of one round: a minute's worth, so that a stop never waits longer for the round's end. */
const ROUND_BATCHES_MAX = 100;

/** Sends orders, one round at a time. */
export interface FeedSender {
  /** One round. Returns how many orders it dealt with; 0 when nothing is due or another drain is at it. */
  runOnce(): Promise<number>;
}

/** A round under way. */
interface Round {
  readonly lease: HeldLease;
  readonly limit: number;
  readonly refusals: RefusalWindow;
  /** Stopped in this round: what was picked of them before is not sent. */
  readonly stoppedIntegrations: Set<string>;
  afterSeq: number;
  batches: number;
  orders: number;
  answered: number;
  /** A lane found nothing more: neither will the others. */
  empty: boolean;
  stopped: boolean;
  troubleMs: number | undefined;
  /** Batches are picked one after another, each behind the last. */
  picking: Promise<unknown>;
}

/** Creates a sender. Any number may run, in any number of processes. */
export function createFeedSender(deps: FeedDeps): FeedSender {
  const conditions = [hasOrdersToSend];
  const withLease = createDrainLease({ ...deps, name: 'feed.create', conditions });
  const pause = createDrainPause(deps, 'feed.create');
  const refusals = createRefusalWindow();

  async function runRound(lease: HeldLease): Promise<number> {
    const round: Round = {
      lease,
      limit: probeLimit(pause.failedRounds()),
      refusals,
      stoppedIntegrations: new Set(),
      afterSeq: 0,
      batches: 0,
      orders: 0,
      answered: 0,
      empty: false,
      stopped: false,
      troubleMs: undefined,
      picking: Promise.resolve(),
    };
    const lanes = pause.failedRounds() === 0 ? LANES : 1;
    await probe(deps, round);
    const ends = await Promise.allSettled(
      Array.from({ length: lanes }, () => runLane(deps, round)),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    pause.report(round);
    return round.orders;
  }

  return {
    async runOnce(): Promise<number> {
      return pause.isOver() ? ((await withLease(runRound)) ?? 0) : 0;
    },
  };
}

/** Tries an order of each stopped integration that is to be tried. */
async function probe(deps: FeedDeps, round: Round): Promise<void> {
  const end = await probeStopped(deps, round.lease);
  round.orders += end.tried;
  round.answered += end.answered;
  if (end.failure === undefined) return;
  const { failure, order } = end.failure;
  await meetFailure(deps, round, { batch: [order], failure });
}

async function runLane(deps: FeedDeps, round: Round): Promise<void> {
  while (!round.stopped && round.batches < ROUND_BATCHES_MAX) {
    const batch = await pick(deps, round);
    if (batch.length === 0) return;
    try {
      await send(deps, round, batch);
    } catch (error) {
      round.stopped = true;
      throw error;
    }
    round.orders += batch.length;
  }
}

/** The next batch behind those already picked in this round; empty when there is none. */
function pick(deps: FeedDeps, round: Round): Promise<WaitingOrder[]> {
  const picked = round.picking.then(async () => {
    if (round.empty || round.stopped || round.batches >= ROUND_BATCHES_MAX) return [];
    if (deps.signal?.aborted === true || !(await round.lease.hold())) {
      round.stopped = true;
      return [];
    }
    const ask = { afterSeq: round.afterSeq, limit: ORDERS_PER_CREATE_MAX };
    const found = await findNext(deps, ask);
    const batch = nextBatch(found, round.limit);
    round.empty = batch.length === found.length && found.length < ORDERS_PER_CREATE_MAX;
    round.afterSeq = batch.at(-1)?.seq ?? round.afterSeq;
    round.batches += 1;
    return batch;
  });
  round.picking = picked.catch(() => undefined);
  return picked;
}

async function findNext(
  { db, organisationId, clock }: FeedDeps,
  place: { readonly afterSeq: number; readonly limit: number },
): Promise<WaitingOrder[]> {
  return await findWaiting(db, organisationId, { ...place, now: nowDate(clock) });
}

async function send(deps: FeedDeps, round: Round, picked: readonly WaitingOrder[]): Promise<void> {
  const batch = picked.filter((order) => !round.stoppedIntegrations.has(order.integration_id));
  if (batch.length === 0) return;
  const bodies = batch.map((order) => order.body);
  let failure: CallFailure;
  try {
    const result = await deps.orders.create(bodies, { signal: deps.signal });
    const outcomes = await recordAnswer(deps, batch, result);
    round.answered += 1;
    return await heed(deps, round, outcomes);
  } catch (thrown) {
    failure = failureOf(thrown);
  }
  await meetFailure(deps, round, { batch, failure });
}

async function meetFailure(
  deps: FeedDeps,
  round: Round,
  { batch, failure }: { readonly batch: readonly WaitingOrder[]; readonly failure: CallFailure },
): Promise<void> {
  const { error, kind } = failure;
  deps.log.debug({ err: error, orders: batch.length }, 'order batch failed');
  switch (kind) {
    case 'not_now':
      round.stopped = true;
      return;
    case 'content':
      return await halve(deps, round, { batch, failure });
    case 'access':
    case 'missing': {
      const retryAt = new Date(deps.clock.nowMs() + ACCESS_RETRY_MS);
      await recordNoAccess(deps, batch, { code: error.code, retryAt });
      round.stopped = true;
      round.troubleMs = ACCESS_RETRY_MS;
      return;
    }
    case 'unknown':
      await recordUnknown(deps, batch, error.code);
      round.stopped = true;
      round.troubleMs = 0;
      return;
    default:
      return kind satisfies never;
  }
}

/** Stops integrations most of whose orders are refused for one reason. */
async function heed(deps: FeedDeps, round: Round, outcomes: readonly Outcome[]): Promise<void> {
  for (const common of round.refusals.add(outcomes)) {
    if (!(await stopFeed(deps, common))) continue;
    round.stoppedIntegrations.add(common.integrationId);
    const { integrationId, code, referenceId } = common;
    deps.log.error({ integrationId, code, referenceId }, 'order feed stopped: most are refused');
  }
}

/** The service objects to something in the batch, and stored nothing of it. */
async function halve(
  deps: FeedDeps,
  round: Round,
  { batch, failure }: { readonly batch: readonly WaitingOrder[]; readonly failure: CallFailure },
): Promise<void> {
  round.answered += 1;
  const [only] = batch;
  if (only === undefined) return;
  if (batch.length === 1) {
    return await heed(deps, round, await recordRefused(deps, only, objectionOf(failure.error)));
  }
  const middle = batch.length >> 1;
  for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
    // What is not sent now keeps its place in the line.
    if (round.stopped) return;
    await send(deps, round, half);
  }
}
