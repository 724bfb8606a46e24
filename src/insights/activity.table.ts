/** Rows of hourly figures: what happened in hours that are over. */
import type { Defaulted, Timestamp } from '../db/column-types.ts';

/**
 * `received`, `missed`, `refund` (money that the processor confirmed, by currency), or `closed:` with
 * the state a case ended in.
 */
export type ActivityMeasure = 'received' | 'missed' | 'refund' | `closed:${string}`;

export interface ActivityHourTable {
  organisation_id: string;
  hour: Timestamp;
  measure: ActivityMeasure;
  /** Empty for measures that count no money. */
  currency: Defaulted<string>;
  count: number;
  amount_minor: Defaulted<number>;
}
