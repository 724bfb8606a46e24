/**
 * A backtest from the database to its figures, for callers that wait for it: the command, and
 * programs that embed Forestall. The console's runs slice by slice in a worker (`backtest.job.ts`).
 */
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Db } from '../../base/db/database.ts';
import type { PastPeriod } from '../../policy/past-decision.store.ts';
import { choosePastDecisions, readDecisionPages } from '../../policy/past-decision.store.ts';
import type { BacktestOptions, BacktestResult } from './backtest.ts';
import { createBacktest } from './backtest.ts';

/** Decisions read at a time: some tens of milliseconds of work, after which others may continue. */
const PAGE = 500;

/** What is replayed, from which time. */
export interface Replay extends BacktestOptions, PastPeriod {
  /** Decisions at most. @default all */
  readonly decisionsMax?: number;
}

/** Replays the last decision of each alert in the period. It reads only, and lets others continue meanwhile. */
export async function replayPast(db: Db, replay: Replay): Promise<BacktestResult> {
  const { decisionsMax, organisationId, from, to, ...options } = replay;
  const backtest = createBacktest(options);
  const chosen = await choosePastDecisions(db, { organisationId, from, to }, decisionsMax);
  for await (const page of readDecisionPages(db, { organisationId, ids: chosen }, PAGE)) {
    for (const past of page) backtest.add(past);
    await giveWay();
  }
  return backtest.result();
}
