/**
 * Keeps created orders as the merchant last said: reads back what is in doubt, and sends updates,
 * refunds of the saga first.
 */
import { nowDate } from '../base/kernel/clock.ts';
import type { CallFailure } from './call-failure.ts';
import { checkOrder } from './check-order.ts';
import type { HeldLease } from './drain-lease.ts';
import { createDrainLease } from './drain-lease.ts';
import { createDrainPause } from './drain-pause.ts';
import type { FeedDeps } from './feed-deps.ts';
import { ACCESS_RETRY_MS } from './feed-deps.ts';
import { findDueOrders } from './order-push.store.ts';
import { findToCheck, hasOrdersToCheck, hasPartsToSend } from './order-sending.store.ts';
import { pushParts } from './push-parts.ts';

/** Requests under way at once, per endpoint. */
const LANES = 4;

/**
 * Orders of one round: under half a minute's worth of requests, so that a refund of the saga never
 * waits a minute behind the merchant's own updates.
 */
export const ROUND_ORDERS_MAX = 40;

/** Sends updates, one round at a time. */
export interface FeedUpdater {
  /** One round. Returns how many orders it dealt with; 0 when nothing is due or another drain is at it. */
  runOnce(): Promise<number>;
}

/** Requests without an answer, and none with one, after which a round ends. */
const SILENT_MAX = 3;

interface RoundTally {
  answered: number;
  silent: number;
  troubleMs: number | undefined;
}

/** Creates an updater. Any number may run, in any number of processes. */
export function createFeedUpdater(deps: FeedDeps): FeedUpdater {
  const pause = createDrainPause(deps, 'feed.update');
  const conditions = [hasOrdersToCheck, hasPartsToSend];
  const withLease = createDrainLease({ ...deps, name: 'feed.update', conditions });
  return {
    async runOnce(): Promise<number> {
      if (!pause.isOver()) return 0;
      const handled = await withLease(async (lease, [checks, sends]) => {
        const tally: RoundTally = { answered: 0, silent: 0, troubleMs: undefined };
        // Two endpoints, two budgets: neither waits for the other.
        const ends = await Promise.allSettled([
          checks === true ? checkRound(deps, lease, tally) : 0,
          sends === true ? pushRound(deps, lease, { tally, checks }) : 0,
        ]);
        pause.report(tally);
        return ends.reduce((sum, end) => {
          if (end.status === 'rejected') throw end.reason;
          return sum + end.value;
        }, 0);
      });
      return handled ?? 0;
    },
  };
}

async function checkRound(deps: FeedDeps, lease: HeldLease, tally: RoundTally): Promise<number> {
  const ask = { now: nowDate(deps.clock), limit: ROUND_ORDERS_MAX };
  const orders = await findToCheck(deps.db, deps.organisationId, ask);
  await eachLimited(orders, LANES, async ({ integration_id, reference_id }) => {
    if (!(await mayGoOn(deps, lease))) return 'stop';
    const { organisationId } = deps;
    const order = { organisationId, integrationId: integration_id, referenceId: reference_id };
    const failure = await checkOrder(deps, order);
    if (failure === undefined) tally.answered += 1;
    return goOnAfter(failure, tally);
  });
  return orders.length;
}

async function pushRound(
  deps: FeedDeps,
  lease: HeldLease,
  { tally, checks }: { readonly tally: RoundTally; readonly checks: boolean | undefined },
): Promise<number> {
  const ask = { now: nowDate(deps.clock), limit: ROUND_ORDERS_MAX };
  const orders = await findDueOrders(deps.db, deps.organisationId, ask);
  await eachLimited(orders, LANES, async ({ order, whole }) => {
    if (!(await mayGoOn(deps, lease))) return 'stop';
    const isLast = orders.length === 1 && checks !== true;
    const end = await pushParts(deps, order, { whole, ...(isLast ? { ends: lease } : {}) });
    tally.answered += end.answered;
    return goOnAfter(end.failure, tally);
  });
  return orders.length;
}

async function mayGoOn(deps: FeedDeps, lease: HeldLease): Promise<boolean> {
  return deps.signal?.aborted !== true && (await lease.hold());
}

/** One order without an answer is that order's matter; a refused key is everybody's. */
function goOnAfter(failure: CallFailure | undefined, tally: RoundTally): 'go_on' | 'stop' {
  if (failure === undefined) return 'go_on';
  if (failure.kind === 'not_now') return 'stop';
  const access = failure.kind === 'access';
  tally.silent += 1;
  tally.troubleMs = Math.max(tally.troubleMs ?? 0, access ? ACCESS_RETRY_MS : 0);
  const silence = tally.answered === 0 && tally.silent >= SILENT_MAX;
  return access || silence ? 'stop' : 'go_on';
}

/**
 * Runs `work` for every entry, at most `lanes` at once, until all are done or `work` answers `stop`.
 * The first error is thrown after the entries under way have ended.
 */
async function eachLimited<Entry>(
  entries: readonly Entry[],
  lanes: number,
  work: (entry: Entry) => Promise<'go_on' | 'stop'>,
): Promise<void> {
  let next = 0;
  let stopped = false;
  const run = async (): Promise<void> => {
    while (!stopped) {
      const entry = entries[next];
      if (entry === undefined) return;
      next += 1;
      try {
        if ((await work(entry)) === 'stop') stopped = true;
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, run));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
