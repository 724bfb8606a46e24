/**
 * Runs the steps of due cases: claim, look the step up by state, run it, and when it throws, plan
 * the next attempt. It knows nothing about matching, money or declarations.
 */
import type { Installation } from '../../base/db/database.ts';
import type { OwnSlots } from '../../base/jobs/shared-slots.ts';
import type { WorkerPool } from '../../base/jobs/worker-pool.ts';
import { createWorkerPool } from '../../base/jobs/worker-pool.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import { traced } from '../../base/kernel/trace.ts';
import { withinTime } from '../../base/kernel/within-time.ts';
import { createClaimGate } from '../guard/claim-gate.store.ts';
import type { CaseRow } from './case.store.ts';
import { replanCase, StaleClaimError } from './case.store.ts';
import type { ClaimedCase } from './case.table.ts';
import { claimDueCases } from './case-claim.store.ts';
import { postponeCase } from './case-plan.store.ts';
import type { CaseState } from './case-state.ts';
import type { ContinuesWith } from './continue-claim.ts';
import { continueAfter, endAfter } from './continue-claim.ts';

/**
 * One step of a case. It reads, calls out at most as long as `signal` allows, and commits its
 * result with `moveCase`. It must be safe to run again from the start.
 */
export type CaseStep = (claim: CaseRow, signal: AbortSignal) => Promise<void>;

/** Which step acts on a case in which state. Terminal states have none. */
export type CaseSteps = Partial<Record<CaseState, CaseStep>>;

/** Options of {@link createCaseRunner}. */
export interface CaseRunnerOptions extends Installation {
  readonly steps: CaseSteps;
  /** Cases worked on at once. @default 8 */
  readonly concurrency?: number;
  /** Where several organisations share slots. */
  readonly slots?: OwnSlots | undefined;
  /** Why nothing may be done about a case now; undefined: nothing speaks against it. */
  readonly obstacleTo?: ((claim: CaseRow) => Promise<string | undefined>) | undefined;
}

/** First and longest wait after a failed step: the deadline sweep raises the alarm meanwhile. */
const RETRY = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** A case that is held back is taken up again after this long, in milliseconds; its release wakes it at once. */
const HELD_BACK_MS = 60_000;

/**
 * Creates a runner: due cases, earliest deadline first, each in a slot of its own. Any number may run at
 * once, in any number of processes.
 */
export function createCaseRunner(options: CaseRunnerOptions): WorkerPool {
  const { db, clock, organisationId, workerId, concurrency = 8 } = options;
  const gate = createClaimGate({ db, organisationId });
  return createWorkerPool({
    capacity: concurrency,
    slots: options.slots,
    claim: (limit) =>
      gate.claim((isShut) =>
        claimDueCases(db, {
          organisationId,
          now: nowDate(clock),
          owner: workerId,
          limit,
          leaseMs: LEASE_MS,
          isShut,
        }),
      ),
    run: (claim, abort) => runSteps(options, claim, abort),
  });
}

/** Steps that a claim continues for; then it is released, and the most urgent case is claimed next. */
const STEPS_MAX = 6;

/** Runs the step of the claim, and those that are due at once after it. */
async function runSteps(
  options: CaseRunnerOptions,
  claim: ClaimedCase,
  abort: AbortSignal,
): Promise<void> {
  let held: ClaimedCase | undefined = claim;
  for (let step = 1; held !== undefined; step += 1) {
    if (abort.aborted && step > 1) return await release(options, held);
    const next: ContinuesWith | undefined = step < STEPS_MAX ? continueAfter(held) : endAfter(held);
    held = (await runStep(options, held, abort)) ? next?.() : undefined;
  }
}

/** Runs one step. Returns whether it came to its end. */
async function runStep(
  options: CaseRunnerOptions,
  claim: ClaimedCase,
  abort: AbortSignal,
): Promise<boolean> {
  const { log, steps } = options;
  if (claim.held_back !== null) {
    await holdBack(options, claim);
    return false;
  }
  const step = steps[claim.state];
  try {
    const obstacle = await options.obstacleTo?.(claim);
    if (obstacle !== undefined) {
      await postpone(options, claim, { cause: `Held back: ${obstacle}.`, waitMs: HELD_BACK_MS });
      return false;
    }
    if (step === undefined) throw new Error(`No step is registered for state ${claim.state}.`);
    const about = {
      alertId: claim.alert_id,
      attributes: { 'forestall.attempt': claim.attempts + 1 },
    };
    await withinTime(LEASE_MS, abort, (signal) =>
      traced(`case ${claim.state}`, about, () => step(claim, signal)),
    );
    return true;
  } catch (error) {
    if (error instanceof StaleClaimError) return false;
    log.error({ err: error, alertId: claim.alert_id, state: claim.state }, 'step failed');
    const waitMs = backoffMs(claim.attempts + 1, RETRY);
    await postpone(options, claim, { cause: messageOf(error), waitMs });
    return false;
  }
}

/** The process must stop: another one continues at once. */
async function release({ db, clock, log }: CaseRunnerOptions, held: CaseRow): Promise<void> {
  const now = nowDate(clock);
  try {
    await replanCase(db, held, { now, nextActionAt: now });
  } catch (error) {
    log.warn({ err: error, alertId: held.alert_id }, 'case not released');
  }
}

/**
 * The case of a charge about which the processor cannot be asked stays as it is: nothing is refunded,
 * declared or decided for it, and no fallback follows; alarms before its deadline continue.
 */
async function holdBack(options: CaseRunnerOptions, claim: ClaimedCase): Promise<void> {
  const cause = `Held back: the processor cannot be asked about the charge (${claim.held_back}).`;
  await postpone(options, claim, { cause, waitMs: HELD_BACK_MS });
}

/** Releases the case and plans the next attempt. */
async function postpone(
  { db, clock, log }: CaseRunnerOptions,
  claim: CaseRow,
  { cause, waitMs }: { readonly cause: string; readonly waitMs: number },
): Promise<void> {
  const now = nowDate(clock);
  const retryAt = new Date(now.getTime() + waitMs);
  try {
    await postponeCase(db, claim, { now, retryAt, error: cause });
  } catch (error) {
    // The database is away: the lease runs out and the case is due again.
    log.warn({ err: error, alertId: claim.alert_id }, 'case not postponed');
  }
}
