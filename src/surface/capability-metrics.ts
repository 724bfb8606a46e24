/** The metrics of a capability: each described once, with how all of them are read. */
import type { Db } from '../base/db/database.ts';
import type { DueScope } from '../base/jobs/due.store.ts';
import type { Metric, Metrics } from '../health/metric-table.ts';
import type { Sample } from '../health/metrics.ts';

export interface CapabilityMetrics {
  readonly described: Metrics;
  readonly read: (db: Db, scope: DueScope) => Promise<readonly Sample<string>[]>;
}

/** `read` can give no figure but those described. */
export function describeMetrics<const Name extends `forestall_${string}`>(
  described: Readonly<Record<Name, Metric>>,
  read: (db: Db, scope: DueScope) => Promise<readonly Sample<NoInfer<Name>>[]>,
): CapabilityMetrics {
  return { described, read };
}
