/**
 * Runs the steps of due cases: claim, look the step up by state, run it, and when it throws, plan
 * the next attempt. It knows nothing about matching, money or declarations.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import { LEASE_MS } from '../kernel/limits.ts';
import type { Log } from '../kernel/log.ts';
import { traced } from '../kernel/trace.ts';
import type { CaseRow } from './case.store.ts';
import { claimDueCases, postponeCase, StaleClaimError } from './case.store.ts';
import type { CaseState } from './case-state.ts';

/**
 * One step of a case. It reads, calls out at most as long as `signal` allows, and commits its
 * result with `moveCase`. It must be safe to run again from the start.
 */
export type CaseStep = (claim: CaseRow, signal: AbortSignal) => Promise<void>;

/** Which step acts on a case in which state. Terminal states have none. */
export type CaseSteps = Partial<Record<CaseState, CaseStep>>;

/** Options of {@link createCaseRunner}. */
export interface CaseRunnerOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Log;
  readonly organisationId: string;
  readonly workerId: string;
  readonly steps: CaseSteps;
  /** Cases worked on at once. @default 8 */
  readonly concurrency?: number;
}

/** Claims and runs due cases. */
export interface CaseRunner {
  /** One round. Returns how many cases it claimed; 0 means nothing is due. */
  runOnce(): Promise<number>;
}

/** First and longest wait after a failed step: the deadline sweep raises the alarm meanwhile. */
const RETRY = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** Makes a runner. Any number may run at once, in any number of processes. */
export function createCaseRunner(options: CaseRunnerOptions): CaseRunner {
  const { db, clock, organisationId, workerId, concurrency = 8 } = options;
  return {
    async runOnce(): Promise<number> {
      const claims = await claimDueCases(db, {
        organisationId,
        now: nowDate(clock),
        owner: workerId,
        limit: concurrency,
        leaseMs: LEASE_MS,
      });
      await Promise.all(claims.map((claim) => runStep(options, claim)));
      return claims.length;
    },
  };
}

async function runStep(options: CaseRunnerOptions, claim: CaseRow): Promise<void> {
  const { db, clock, log, steps } = options;
  const step = steps[claim.state];
  try {
    if (step === undefined) throw new Error(`No step is registered for state ${claim.state}.`);
    const about = {
      alertId: claim.alert_id,
      attributes: { 'forestall.attempt': claim.attempts + 1 },
    };
    await traced(`case ${claim.state}`, about, () => step(claim, AbortSignal.timeout(LEASE_MS)));
  } catch (error) {
    if (error instanceof StaleClaimError) return;
    log.error({ err: error, alertId: claim.alert_id, state: claim.state }, 'step failed');
    const now = nowDate(clock);
    const waitMs = backoffMs(claim.attempts + 1, RETRY);
    await postponeCase(db, claim, {
      now,
      retryAt: new Date(now.getTime() + waitMs),
      error: messageOf(error),
    });
  }
}
