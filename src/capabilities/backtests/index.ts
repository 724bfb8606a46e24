/** Policies tried on alerts of the past, and policies that are written in the console. */
import type { Capability } from '../../surface/capability.ts';
import { createBacktestLoop } from './backtest.job.ts';
import { backtestTable } from './backtest.table.ts';
import { policyDraft } from './drafts/draft.table.ts';

export const backtests: Capability = {
  name: 'backtests',
  tables: [backtestTable, policyDraft],
  loops: (work) => [createBacktestLoop(work)],
};
