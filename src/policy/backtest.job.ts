/**
 * Runs the backtests that the console asks for, a slice at a time, so that work with deadlines goes
 * on.
 *
 * A round replays a thousand decisions and gives way after every few of them; what was counted so
 * far is held here between rounds. A worker that ends leaves its lease, and another starts again.
 * Nothing is put in force: the result is figures.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Policy } from '../alerts/decide/policy.ts';
import type { Installation } from '../base/db/installation.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { messageOf } from '../base/kernel/errors.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { BacktestHold, BacktestRow } from './backtest.store.ts';
import { claimBacktest, finishBacktest, reportProgress } from './backtest.store.ts';
import type { Backtest, PastDecision } from './backtest.ts';
import { createBacktest } from './backtest.ts';
import { ASSUMED_FEES, reportOf } from './backtest-report.ts';
import { loadPolicy } from './load.ts';
import { choosePastDecisions, readDecisionPages } from './past-decision.store.ts';
import { findVersion } from './version.store.ts';

/** Decisions a backtest replays at most: they are counted in this process's memory. */
export const DECISIONS_MAX = 200_000;

/** Attempts before one that ends its workers is given up. */
export const ATTEMPTS_MAX = 3;

/** Decisions of a round: well under a second, because the minute's round of everything waits for it. */
const PER_ROUND = 1_000;

/** Decisions read, and replayed before others may go on: a few milliseconds of work. */
const PAGE = 100;

/** What the job works with. */
export interface BacktestDeps
  extends Pick<Installation, 'db' | 'clock' | 'organisationId' | 'workerId'> {
  readonly brands: BrandTokenMap;
  /** @default DECISIONS_MAX */
  readonly decisionsMax?: number;
}

/** A backtest under way. */
interface Run {
  readonly id: string;
  readonly total: number;
  readonly replay: Backtest;
  readonly pages: AsyncGenerator<readonly PastDecision[]>;
  replayed: number;
}

/** Creates the round. Returns 1 while there is more to do. */
export function createBacktestRunner(deps: BacktestDeps): { runOnce(): Promise<number> } {
  let run: Run | undefined;
  let isBusy = false;
  const round = async (): Promise<number> => {
    run ??= await begin(deps);
    if (run === undefined) return 0;
    const current = run;
    // Whatever fails from here on ends this run; the lease lets it be begun again.
    run = undefined;
    if (await goOn(deps, current)) run = current;
    return 1;
  };
  return {
    async runOnce(): Promise<number> {
      // The loop and the minute's round both call.
      if (isBusy) return 0;
      isBusy = true;
      try {
        return await round();
      } finally {
        isBusy = false;
      }
    },
  };
}

function holdOf({ organisationId, workerId, clock }: BacktestDeps, id: string): BacktestHold {
  return { organisationId, workerId, id, now: nowDate(clock) };
}

/** Takes the next one and finds out what it is about; one that cannot be run is ended with the reason. */
async function begin(deps: BacktestDeps): Promise<Run | undefined> {
  const { db, organisationId, workerId, clock, decisionsMax = DECISIONS_MAX } = deps;
  const row = await claimBacktest(db, { organisationId, workerId, now: nowDate(clock) });
  if (row === undefined) return undefined;
  const fail = async (fault: string): Promise<undefined> => {
    await finishBacktest(db, holdOf(deps, row.id), { fault });
    return undefined;
  };
  if (row.attempts > ATTEMPTS_MAX) {
    return await fail('Its workers ended again and again. Try fewer days; the log says more.');
  }
  const period = { organisationId, from: row.decided_from, to: row.decided_before };
  const chosen = await choosePastDecisions(db, period, decisionsMax + 1);
  if (chosen.length > decisionsMax) {
    return await fail(`There are more than ${decisionsMax} decisions. Choose fewer days.`);
  }
  try {
    const { policy, against } = await policiesOf(deps, row);
    return {
      id: row.id,
      total: chosen.length,
      replay: createBacktest({ policy, against, fees: ASSUMED_FEES }),
      pages: readDecisionPages(db, chosen, PAGE),
      replayed: 0,
    };
  } catch (error) {
    return await fail(`The policy cannot be used: ${messageOf(error)}`);
  }
}

async function policiesOf(
  { db, organisationId, brands }: BacktestDeps,
  row: BacktestRow,
): Promise<{ policy: Policy; against: Policy | undefined }> {
  const policy = loadPolicy(row.source, { file: row.policy_name, files: row.files, brands });
  if (row.against_version === null) return { policy, against: undefined };
  const stored = await findVersion(db, organisationId, row.against_version);
  if (stored === undefined)
    throw new Error(`version ${row.against_version} is not stored any more.`);
  const { source, files, version } = stored;
  return { policy, against: loadPolicy(source, { file: version, files, brands }) };
}

/** Replays a slice. Returns whether there is more. */
async function goOn(deps: BacktestDeps, run: Run): Promise<boolean> {
  const { db } = deps;
  const until = run.replayed + PER_ROUND;
  while (run.replayed < until) {
    const page = await run.pages.next();
    if (page.done === true) {
      const report = reportOf(run.replay.result(), ASSUMED_FEES);
      await tell(deps, run);
      await finishBacktest(db, holdOf(deps, run.id), { report });
      return false;
    }
    for (const past of page.value) run.replay.add(past);
    run.replayed += page.value.length;
    await giveWay();
  }
  return await tell(deps, run);
}

/** Writes down how far it is. False: nobody wants it any more. */
async function tell(deps: BacktestDeps, { id, replayed, total }: Run): Promise<boolean> {
  return await reportProgress(deps.db, holdOf(deps, id), { replayed, total });
}
