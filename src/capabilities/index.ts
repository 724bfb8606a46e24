/** Every capability: what a merchant could leave out and still answer alerts. One line each; see `README.md`. */
import type { ReplayReader } from '../alerts/decide/replay-reader.ts';
import type { DescribedTable } from '../base/db/described-table.ts';
import type { CountByLabel } from '../health/installation-metrics.ts';
import type { Metrics } from '../health/metric-table.ts';
import { METRICS } from '../health/metric-table.ts';
import type { Capability } from '../surface/capability.ts';
import type { AskedPolicies } from '../surface/policy-questions.ts';
import { backtests } from './backtests/index.ts';
import { cells } from './cells/index.ts';
import { comments } from './comments/index.ts';
import { credits } from './credits/index.ts';
import { dailyReports } from './daily-reports/index.ts';
import { estate } from './estate/index.ts';
import { events } from './events/index.ts';
import { evidence } from './evidence/index.ts';
import { figures } from './figures/index.ts';
import { lookups } from './lookups/index.ts';
import { measuredCost } from './measured-cost/index.ts';
import { ratios } from './ratios/index.ts';
import { representments } from './representments/index.ts';
import { savedViews } from './saved-views/index.ts';
import { shadowReport } from './shadow-report/index.ts';
import { shiftReport } from './shift-report/index.ts';
import { signals } from './signals/index.ts';

export const CAPABILITIES: readonly Capability[] = [
  // First at night: its report waits for nothing.
  dailyReports,
  events,
  lookups,
  credits,
  evidence,
  measuredCost,
  ratios,
  representments,
  savedViews,
  comments,
  estate,
  shadowReport,
  shiftReport,
  backtests,
  figures,
  signals,
  cells,
];

/** The tables of all. */
export const CAPABILITY_TABLES: readonly DescribedTable[] = CAPABILITIES.flatMap(
  ({ tables = [] }) => tables,
);

/** Every metric: those of the path of an alert, and those of all capabilities. */
export const ALL_METRICS: Metrics = Object.fromEntries(
  [
    METRICS,
    ...CAPABILITIES.flatMap(({ metrics }) => (metrics === undefined ? [] : [metrics.described])),
  ].flatMap((described) => Object.entries(described)),
);

/** What all of them count of several organisations. */
export const COUNTED_BY_LABEL: readonly CountByLabel[] = CAPABILITIES.flatMap(
  ({ metrics }) => metrics?.readByLabel ?? [],
);

/** What all of them say of a policy that is tried on the past. */
export async function replayReaders(asked: AskedPolicies): Promise<ReplayReader[]> {
  const open = CAPABILITIES.flatMap(({ ofBacktest }) => ofBacktest ?? []);
  return await Promise.all(open.map((read) => read(asked)));
}
