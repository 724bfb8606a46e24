/**
 * The movements' own loop: claims the rows whose moment has come and does what their state asks for.
 *
 * A `SENT` row is claimed only when its lease is over, which means that nothing was written of what became
 * of it: it becomes `UNKNOWN` and is asked for, never sent straight again.
 */

import type { OwnSlots } from '../../base/jobs/shared-slots.ts';
import type { WorkerPool } from '../../base/jobs/worker-pool.ts';
import { createWorkerPool } from '../../base/jobs/worker-pool.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import { traced } from '../../base/kernel/trace.ts';
import { withinTime } from '../../base/kernel/within-time.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import { StaleClaimError } from '../cases/case.store.ts';
import { processorAt } from '../cases/routed-processor.ts';
import { createClaimGate } from '../guard/claim-gate.store.ts';
import { isOfAnother } from '../ledger/ledger.ts';
import type { MovementRow, OurMovementRow } from '../ledger/movement.store.ts';
import { isOurRow } from '../ledger/movement.store.ts';
import type { Claimed } from '../ledger/movement-lease.store.ts';
import { claimDueMovements } from '../ledger/movement-lease.store.ts';
import type { MovementState } from '../ledger/movement-state.ts';
import { ANOTHER_PROCESSOR, WATCH_MS } from '../ledger/settle-movement.ts';
import { placeNetworkMoney } from './network-money.ts';
import { replanMovement, resolveUnknown } from './recover-movement.ts';
import type { SagaDeps } from './saga-deps.ts';
import { settleMovement } from './send-movement.ts';
import { lookAtHeld, pollPending, watchConfirmed } from './watch-movement.ts';

type MovementAction = (
  deps: SagaDeps,
  held: Claimed<OurMovementRow>,
  signal: AbortSignal,
) => Promise<void>;

const ACTIONS: Partial<Record<MovementState, MovementAction>> = {
  SENT: (deps, held) =>
    settleMovement(deps, held, {
      claim: undefined,
      capabilities: CAUTIOUS_CAPABILITIES,
      settlement: { to: 'UNKNOWN', reason: 'the lease ran out' },
    }),
  UNKNOWN: resolveUnknown,
  PENDING: pollPending,
  HUMAN: lookAtHeld,
  CONFIRMED: watchConfirmed,
};

/** Movements worked on at once; each may wait for three outside calls. */
const CONCURRENCY = 8;

const RETRY = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** Creates a runner. Any number may run at once, in any number of processes. */
export function createMovementRunner(deps: SagaDeps, slots?: OwnSlots): WorkerPool {
  const { db, clock, organisationId, workerId } = deps;
  const gate = createClaimGate({ db, organisationId });
  return createWorkerPool({
    capacity: CONCURRENCY,
    slots,
    claim: (limit) => {
      const now = nowDate(clock);
      const lease = { owner: workerId, until: new Date(now.getTime() + LEASE_MS) };
      return gate.claim((isShut) =>
        claimDueMovements(db, { organisationId, now, lease, limit, isShut }),
      );
    },
    run: (row, abort) => runAction(deps, row, abort),
  });
}

async function runAction(deps: SagaDeps, held: Claimed, abort: AbortSignal): Promise<void> {
  const { log, clock } = deps;
  try {
    if (!isOurRow(held)) return await placeNetworkMoney(deps, held, abort);
    const action = ACTIONS[held.state];
    if (action === undefined) {
      return await replanMovement(deps, held, { nextActionAt: null, counts: false });
    }
    const about = { alertId: held.alert_id, attributes: { 'forestall.movement_id': held.id } };
    const processor = await processorAt(deps.processor, held.charge_reference);
    const own = { ...deps, processor };
    if (isOfAnother(held.processor, processor.name)) return await leaveToPerson(own, held);
    await withinTime(LEASE_MS, abort, (signal) =>
      traced(`movement ${held.state}`, about, () => action(own, held, signal)),
    );
  } catch (error) {
    if (error instanceof StaleClaimError) return;
    log.error({ err: error, movementId: held.id, state: held.state }, 'movement step failed');
    const waitMs = backoffMs(held.attempts + 1, RETRY);
    await postpone(deps, held, new Date(clock.nowMs() + waitMs));
  }
}

/** It went through another processor: this one is asked nothing about it, and nothing is sent again. */
async function leaveToPerson(deps: SagaDeps, held: Claimed<OurMovementRow>): Promise<void> {
  const now = nowDate(deps.clock);
  switch (held.state) {
    case 'SENT':
      return await ACTIONS.SENT?.(deps, held, AbortSignal.timeout(LEASE_MS));
    case 'UNKNOWN':
    case 'PENDING':
      return await settleMovement(deps, held, {
        claim: undefined,
        capabilities: CAUTIOUS_CAPABILITIES,
        settlement: { to: 'HUMAN', reason: ANOTHER_PROCESSOR },
      });
    case 'HUMAN': {
      const nextActionAt = new Date(now.getTime() + WATCH_MS);
      return await replanMovement(deps, held, { nextActionAt, counts: false });
    }
    default:
      return await replanMovement(deps, held, { nextActionAt: null, counts: false });
  }
}

/** Plans the next attempt of a failed step, unless the row has moved in it. */
async function postpone(deps: SagaDeps, held: MovementRow, retryAt: Date): Promise<void> {
  if (!isOurRow(held)) return;
  try {
    await replanMovement(deps, held, { nextActionAt: retryAt, counts: true });
  } catch (error) {
    // Moved, or the database is away: the lease runs out and the row is due again.
    if (!(error instanceof StaleClaimError))
      deps.log.warn({ err: error }, 'movement not replanned');
  }
}
