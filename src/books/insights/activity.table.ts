/** Rows of figures kept by the hour and by the day: what happened in those that are over. */
import type { Defaulted, Timestamp } from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    activity_hour: ActivityHourTable;
    activity_day: ActivityDayTable;
    lookup_day: LookupDayTable;
  }
}

/**
 * `received`, `missed`, `refund` (money that the processor confirmed, by currency), or `closed:` with
 * the state a case ended in.
 */
export type ActivityMeasure = 'received' | 'missed' | 'refund' | `closed:${string}`;

interface ActivityColumns {
  organisation_id: string;
  measure: ActivityMeasure;
  /** Empty for measures that count no money. */
  currency: Defaulted<string>;
  count: number;
  amount_minor: Defaulted<number>;
}

export interface ActivityHourTable extends ActivityColumns {
  hour: Timestamp;
}

/** Sums of {@link ActivityHourTable} over days, UTC. */
export interface ActivityDayTable extends ActivityColumns {
  day: Timestamp;
}

/** Lookups created on a day that is over, UTC. Empty text stands for null. */
export interface LookupDayTable {
  organisation_id: string;
  day: Timestamp;
  type: string;
  lookup_status: string;
  deflection_status: string;
  currency: string;
  count: number;
  amount_minor: number;
}
