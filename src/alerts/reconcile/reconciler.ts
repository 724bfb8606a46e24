/**
 * The loop of reconcile: polls, compares a few alerts with the processor, has a few orders read back,
 * and serves the passes that people ask for. One process per organisation does all of it: the poller's
 * lease decides which.
 */
import type { Installation } from '../../base/db/database.ts';
import type { JobResult, JobWork } from '../../base/jobs/job-loop.ts';
import { createJobLoop } from '../../base/jobs/job-loop.ts';
import { PASS_QUEUE } from '../../base/jobs/queues.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { runChecks } from './checks.ts';
import type { Comparer } from './comparer.ts';
import { reportOn } from './make-report.ts';
import { ORDERS_SAMPLED, sampleOrders } from './order-sample.store.ts';
import type { PollReport } from './poll-port.ts';
import { RoundEndedError } from './poll-round.ts';
import type { Poller } from './poller.ts';
import {
  findRequest,
  finishRequest,
  startRequest,
  unservedRequests,
} from './reconcile-request.store.ts';

export interface ReconcilerOptions
  extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly poller: Poller;
  readonly comparer: Comparer;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
}

export interface Reconciler {
  /** One round; a pass that was asked for comes first. Returns how many passes were served. */
  runOnce(signal?: AbortSignal): Promise<number>;
  /** Gives the pass under way back, for another process. */
  finish(): Promise<void>;
}

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const passes = createJobLoop(options, 'passes', passWork(options));
  return {
    async runOnce(signal): Promise<number> {
      const served = await passes.runOnce();
      if (served === 0) await runRound(options, signal);
      return served;
    },
    async finish(): Promise<void> {
      await passes.finish?.();
    },
  };
}

async function runRound(options: ReconcilerOptions, signal?: AbortSignal): Promise<void> {
  const { poller, comparer } = options;
  const report = await poller.runOnce(signal);
  if (report.outcome === 'standby' || signal?.aborted === true) return;
  await comparer.runOnce(signal);
  if (isFull(report)) await markOrders(options, ORDERS_SAMPLED);
}

/** Lookups are read in full rounds only. */
function isFull(report: PollReport): boolean {
  return report.lookups !== null;
}

async function markOrders(options: ReconcilerOptions, count: number): Promise<void> {
  const { db, clock, organisationId, random = Math.random } = options;
  await sampleOrders(db, { organisationId, count, now: nowDate(clock), random: random() });
}

/** Passes are jobs; a process that may not poll leaves them to the one that does. */
function passWork(options: ReconcilerOptions): JobWork {
  const { db, clock, organisationId, poller } = options;
  return {
    queue: PASS_QUEUE,
    mayRun: poller.mayPoll,
    unfinished: () => unservedRequests(db, organisationId),
    run: (id, signal) => servePass(options, id, signal),
    async giveUp(trx, id, error): Promise<void> {
      await finishRequest(trx, { organisationId, id }, { at: nowDate(clock), error });
    },
  };
}

/** Polls everything, compares everything that moved since, checks, and leaves the report. */
async function servePass(
  options: ReconcilerOptions,
  id: string,
  signal: AbortSignal,
): Promise<JobResult | undefined> {
  const { db, clock, organisationId, poller, comparer } = options;
  const key = { organisationId, id };
  const request = await findRequest(db, organisationId, id);
  if (request === undefined || request.finished_at !== null) return undefined;
  const { since, orders } = request;
  const polled = await poller.runOnce(signal, since);
  signal.throwIfAborted();
  if (polled.outcome === 'standby') throw new RoundEndedError('Another process polls now.');
  await startRequest(db, key, nowDate(clock));
  await comparer.runSince(since, async () => {
    signal.throwIfAborted();
    await poller.keepLease();
  });
  await markOrders(options, orders);
  const now = nowDate(clock);
  await runChecks(db, { organisationId, now, slowOnes: true });
  // The end is left out of a period, and this pass belongs to it.
  const to = new Date(now.getTime() + 1);
  const report = await reportOn(db, { organisationId, from: since, to, now, name: 'asked' });
  return (trx) => finishRequest(trx, key, { at: nowDate(clock), report });
}
