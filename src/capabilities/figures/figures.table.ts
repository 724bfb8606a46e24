/** Rows of figures: kept by the hour and by the day, kept as rows change. */
import type { Defaulted, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    activity_hour: ActivityHourTable;
    activity_day: ActivityDayTable;
    lookup_day: LookupDayTable;
    outcome_day: OutcomeDayTable;
    figure: FigureTable;
    figure_change: FigureTable;
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

/** How an alert ended: refunded by us, or by the network; `missed` counts once, whatever came later. */
export type DayOutcome = 'refunded' | 'network' | 'accepted' | 'otherwise' | 'missed';

/** What the alerts of a day are counted by. `again`: by merchant, those about a dispute that was refunded before. */
export type OutcomeDimension = 'all' | 'merchant' | 'again' | 'descriptor' | 'reason' | 'answer';

/** Alerts that ended on a day (`all`), or in a month, UTC. */
export interface OutcomeDayTable {
  organisation_id: string;
  /** The day, or the first day of the month. */
  day: Timestamp;
  dimension: OutcomeDimension;
  /** Empty: not known. `*`: everything beyond the most frequent of the month. */
  label: string;
  outcome: DayOutcome;
  /** Empty: not known. */
  currency: string;
  count: number;
  amount_minor: number;
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

/**
 * `case` and `refund` by state; `refunded`: confirmed money by currency; `headroom`: answers by the upper
 * bound of the time that was left.
 */
export type FigureMeasure = 'case' | 'refund' | 'refunded' | 'headroom';

interface FigureTable {
  organisation_id: string;
  measure: FigureMeasure;
  label: string;
  count: number;
  /** Minor units, or milliseconds. */
  amount: number;
}
