/**
 * Runs the backtests that the console asks for, beside the work that has deadlines: it gives way after every few
 * decisions. Where a worker ends, another begins again. Nothing is put in force: the result is figures.
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { ReplayReader } from '../../alerts/decide/replay-reader.ts';
import type { Installation } from '../../base/db/database.ts';
import { createJobLoop } from '../../base/jobs/job-loop.ts';
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { BACKTEST_QUEUE } from '../../base/jobs/queues.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { loadPolicy } from '../../policy/load.ts';
import { choosePastDecisions, readDecisionPages } from '../../policy/past-decision.store.ts';
import { findVersion } from '../../policy/version.store.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import type { BacktestEnd, BacktestRow } from './backtest.store.ts';
import {
  endBacktest,
  findBacktest,
  reportProgress,
  unfinishedBacktests,
} from './backtest.store.ts';
import type { Backtest } from './backtest.ts';
import { createBacktest } from './backtest.ts';
import { ASSUMED_FEES, reportOf } from './backtest-report.ts';

/** Decisions a backtest replays at most: they are counted in this process's memory. */
export const DECISIONS_MAX = 200_000;

/** Decisions read, and replayed before others may continue: a few milliseconds of work. */
const PAGE = 100;

/** Pages after which it is written down how far it is: well under a second of work. */
const PROGRESS_PAGES = 10;

/** What the loop works with. */
export interface BacktestDeps
  extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  readonly brands: BrandTokenMap;
  /** @default DECISIONS_MAX */
  readonly decisionsMax?: number;
  /** What else reads the decisions. @default nothing */
  readonly readers?: () => Promise<readonly ReplayReader[]>;
}

/** Creates the loop. */
export function createBacktestLoop(deps: BacktestDeps): LoopSpec {
  const { db, clock, organisationId } = deps;
  const keyOf = (id: string): { organisationId: string; id: string } => ({ organisationId, id });
  return createJobLoop(deps, 'backtest', {
    queue: BACKTEST_QUEUE,
    unfinished: () => unfinishedBacktests(db, organisationId),
    async run(id, signal) {
      const end = await replay(deps, id, signal);
      if (end === undefined) return undefined;
      return (trx) => endBacktest(trx, keyOf(id), { end, now: nowDate(clock) });
    },
    async giveUp(trx, id, why) {
      const fault = `It was tried again and again: ${why}`;
      await endBacktest(trx, keyOf(id), { end: { fault }, now: nowDate(clock) });
    },
  });
}

/** How it ends; undefined where it is not wanted any more. */
async function replay(
  deps: BacktestDeps,
  id: string,
  signal: AbortSignal,
): Promise<BacktestEnd | undefined> {
  const { db, organisationId, decisionsMax = DECISIONS_MAX } = deps;
  const row = await findBacktest(db, organisationId, id);
  if (row === undefined) return undefined;
  const period = { organisationId, from: row.decided_from, to: row.decided_before };
  const chosen = await choosePastDecisions(db, period, decisionsMax + 1);
  const total = chosen.length;
  if (total > decisionsMax) {
    return { fault: `There are more than ${decisionsMax} decisions. Choose fewer days.` };
  }
  const backtest = await backtestOf(deps, row);
  if ('fault' in backtest) return backtest;
  const tell = (replayed: number): Promise<boolean> =>
    reportProgress(db, { organisationId, id }, { replayed, total });
  let pages = 0;
  for await (const page of readDecisionPages(db, { organisationId, ids: chosen }, PAGE)) {
    signal.throwIfAborted();
    if (pages % PROGRESS_PAGES === 0 && !(await tell(pages * PAGE))) return undefined;
    for (const past of page) backtest.add(past);
    pages += 1;
    await giveWay();
  }
  await tell(total);
  return { report: reportOf(backtest.result(), ASSUMED_FEES) };
}

/** The policies side by side. One that cannot be used is a fault of the request, which no attempt mends. */
async function backtestOf(
  { db, organisationId, brands, readers }: BacktestDeps,
  { source, files, policy_name: file, against_version: version }: BacktestRow,
): Promise<Backtest | { readonly fault: string }> {
  const stored = version === null ? undefined : await findVersion(db, organisationId, version);
  if (version !== null && stored === undefined) {
    return { fault: `The policy cannot be used: version ${version} is not stored any more.` };
  }
  const reading = (await readers?.()) ?? [];
  try {
    return createBacktest({
      policy: loadPolicy(source, { file, files, brands }),
      against:
        stored && loadPolicy(stored.source, { file: stored.version, files: stored.files, brands }),
      fees: ASSUMED_FEES,
      readers: reading,
    });
  } catch (error) {
    return { fault: `The policy cannot be used: ${messageOf(error)}` };
  }
}
