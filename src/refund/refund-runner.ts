/**
 * The refunds' own loop: claims the rows whose moment has come and does what their state asks for.
 *
 * A `SENT` row is claimed only when its lease is over, which means that nobody has written what became
 * of it: it becomes `UNKNOWN` and is asked for, never sent straight again.
 */
import { StaleClaimError } from '../cases/case.store.ts';
import type { Slots } from '../jobs/slots.ts';
import { createSlots } from '../jobs/slots.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { nowDate } from '../kernel/clock.ts';
import { LEASE_MS } from '../kernel/limits.ts';
import { traced } from '../kernel/trace.ts';
import { replanRefund, resolveUnknown, resumeIntent } from './recover-refund.ts';
import type { RefundRow } from './refund.store.ts';
import { claimDueRefunds } from './refund-lease.store.ts';
import type { RefundState } from './refund-state.ts';
import type { SagaDeps } from './saga-deps.ts';
import { settleRefund } from './settle-refund.ts';
import { lookAtHeld, pollPending, watchConfirmed } from './watch-refund.ts';

type RefundAction = (deps: SagaDeps, held: RefundRow, signal: AbortSignal) => Promise<void>;

const ACTIONS: Partial<Record<RefundState, RefundAction>> = {
  INTENT: resumeIntent,
  SENT: async (deps, held) =>
    void (await settleRefund(deps, held, { to: 'UNKNOWN', reason: 'the lease ran out' })),
  UNKNOWN: resolveUnknown,
  PENDING: pollPending,
  HUMAN: lookAtHeld,
  CONFIRMED: watchConfirmed,
};

/** Refunds worked on at once; each may wait for three outside calls. */
const CONCURRENCY = 8;

const RETRY = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** Makes a runner. Any number may run at once, in any number of processes. */
export function createRefundRunner(deps: SagaDeps): Slots {
  const { db, clock, organisationId, workerId } = deps;
  return createSlots({
    capacity: CONCURRENCY,
    claim: (limit) => {
      const now = nowDate(clock);
      const lease = { owner: workerId, until: new Date(now.getTime() + LEASE_MS) };
      return claimDueRefunds(db, { organisationId, now, lease, limit });
    },
    run: (row, hurry) => runAction(deps, row, hurry),
  });
}

async function runAction(deps: SagaDeps, held: RefundRow, hurry: AbortSignal): Promise<void> {
  const { log, clock } = deps;
  try {
    const action = ACTIONS[held.state];
    if (action === undefined) {
      return await replanRefund(deps, held, { nextActionAt: null, counts: false });
    }
    const about = { alertId: held.alert_id, attributes: { 'forestall.refund_id': held.id } };
    const signal = AbortSignal.any([AbortSignal.timeout(LEASE_MS), hurry]);
    await traced(`refund ${held.state}`, about, () => action(deps, held, signal));
  } catch (error) {
    if (error instanceof StaleClaimError) return;
    log.error({ err: error, refundId: held.id, state: held.state }, 'refund step failed');
    const waitMs = backoffMs(held.attempts + 1, RETRY);
    await postpone(deps, held, new Date(clock.nowMs() + waitMs));
  }
}

/** Plans the next attempt of a failed step, unless the row has moved in it. */
async function postpone(deps: SagaDeps, held: RefundRow, retryAt: Date): Promise<void> {
  try {
    await replanRefund(deps, held, { nextActionAt: retryAt, counts: true });
  } catch (error) {
    // Moved, or the database is away: the lease runs out and the row is due again.
    if (!(error instanceof StaleClaimError)) deps.log.warn({ err: error }, 'refund not replanned');
  }
}
