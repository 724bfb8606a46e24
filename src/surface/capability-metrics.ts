/** The metrics of a capability: each described once, with how all of them are read. */
import type { Db } from '../base/db/database.ts';
import type { DueScope } from '../base/jobs/due.store.ts';
import type { CountByLabel } from '../health/installation-metrics.ts';
import type { Labelled } from '../health/label-figures.store.ts';
import type { Metric, Metrics } from '../health/metric-table.ts';
import type { Sample } from '../health/metrics.ts';

export interface CapabilityMetrics {
  readonly described: Metrics;
  readonly read: (db: Db, scope: DueScope) => Promise<readonly Sample<string>[]>;
  /** The same of several organisations, under their labels. @default they are told of no single organisation's figures */
  readonly readByLabel?: CountByLabel | undefined;
}

/** `read` can give no figure but those described; those that a process counts at a door of its own are described too. */
export function describeMetrics<const Name extends `forestall_${string}`>(
  described: Readonly<Record<Name, Metric>>,
  read: (db: Db, scope: DueScope) => Promise<readonly Sample<NoInfer<Name>>[]>,
  readByLabel?: (
    db: Db,
    scope: Labelled,
  ) => Promise<ReadonlyMap<string, readonly Sample<NoInfer<Name>>[]>>,
): CapabilityMetrics {
  return { described, read, readByLabel };
}
