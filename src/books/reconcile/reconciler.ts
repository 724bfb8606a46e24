/**
 * The loop of reconcile: polls, compares a few alerts with the processor, has a few orders read back,
 * and serves the passes that people ask for. One process per organisation does all of it: the poller's
 * lease decides which.
 */
import type { Installation } from '../../base/db/installation.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { runChecks } from './checks.ts';
import type { Comparer } from './comparer.ts';
import { reportOn } from './make-report.ts';
import { ORDERS_SAMPLED, sampleOrders } from './order-sample.store.ts';
import type { PollReport } from './poll-port.ts';
import { RoundEndedError } from './poll-round.ts';
import type { Poller } from './poller.ts';
import type { ReconcileRequest } from './reconcile-request.store.ts';
import { finishRequest, nextRequest, startRequest } from './reconcile-request.store.ts';

/** Options of {@link createReconciler}. */
export interface ReconcilerOptions
  extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly poller: Poller;
  readonly comparer: Comparer;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
}

/** Reconciles. */
export interface Reconciler {
  /** One round; a pass that was asked for comes first. */
  runOnce(signal?: AbortSignal): Promise<void>;
}

/** Creates a reconciler. */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  return {
    async runOnce(signal): Promise<void> {
      const request = await nextRequest(options.db, options.organisationId);
      if (request === undefined) await runRound(options, signal);
      else await servePass(options, request, signal);
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

/** Polls everything, compares everything that moved since, checks, and leaves the report. */
async function servePass(
  options: ReconcilerOptions,
  request: ReconcileRequest,
  signal?: AbortSignal,
): Promise<void> {
  const { db, clock, log, organisationId, poller, comparer } = options;
  const polled = await poller.runOnce(signal, request.since);
  // Another process has the lease, and will find the request itself.
  if (polled.outcome === 'standby' || signal?.aborted === true) return;
  await startRequest(db, request, nowDate(clock));
  try {
    await comparer.runSince(request.since, async () => {
      if (signal?.aborted === true) throw new RoundEndedError('The process is stopping.');
      await poller.keepLease();
    });
    await markOrders(options, request.orders);
    const now = nowDate(clock);
    await runChecks(db, { organisationId, now, slowOnes: true });
    // The end is left out of a period, and this pass belongs to it.
    const to = new Date(now.getTime() + 1);
    const scope = { organisationId, from: request.since, to, now, name: 'asked' };
    const report = await reportOn(db, scope);
    await finishRequest(db, request, { at: nowDate(clock), report });
  } catch (error) {
    // Whoever has the lease now serves it from the beginning.
    if (error instanceof RoundEndedError) return;
    log.error({ err: error, requestId: request.id }, 'reconciliation pass failed');
    await finishRequest(db, request, { at: nowDate(clock), error: messageOf(error) });
  }
}
