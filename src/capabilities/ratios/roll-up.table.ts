/** Rows of counts that are kept as rows change (migrations 0018 and 0052), of reported numbers, and of alarms. */
import type { Json, Timestamp } from '../../base/db/database.ts';
import type { ScopeKind } from './programme.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    roll_up: RollUpTable;
    roll_up_change: RollUpChangeTable;
    roll_up_event: RollUpEventTable;
    roll_up_due: RollUpDueTable;
    programme_reported: ProgrammeReportedTable;
    programme_alarm: ProgrammeAlarmTable;
  }
}

/** What became of the payment of an answered alert: nothing more, a fraud report, or a dispute all the same. */
export type Fate = 'out' | 'fraud' | 'counted';

/**
 * `payment`, what notices and disputes count as, how many more of them a month has by the day of their report (fewer
 * below 0), what was done about them, and orders by the time to be known.
 */
export type Measure =
  | 'payment'
  | 'fraud'
  | 'dispute'
  | 'dispute_of_fraud'
  | `${'fraud' | 'dispute' | 'dispute_of_fraud'}_moved`
  | 'revoked_fraud'
  | 'revoked_dispute'
  | `${'rdr' | 'alert' | 'evidence'}_${Fate}`
  | `order_known:${string}`;

interface CountColumns {
  organisation_id: string;
  measure: Measure;
  /** Letters and digits of the card brand, upper case. Empty text stands for what is not said, here and below. */
  brand: string;
  merchant_id: string;
  submerchant_id: string;
  descriptor: string;
  enrolment_id: string;
  currency: string;
  count: number;
  amount_minor: number;
}

export interface RollUpTable extends CountColumns {
  grain: 'day' | 'month';
  period: string;
}

export interface RollUpChangeTable extends CountColumns {
  day: string;
}

/** One row behind the counts. */
export interface RollUpEventTable extends Omit<CountColumns, 'count'> {
  source: 'notice' | 'representment' | 'alert' | 'lookup';
  source_id: string;
  group_key: string;
  day: string;
  /** Two rows more where the report is of another month than the receipt: out of the one, into the other. */
  part: 'counted' | 'moved_out' | 'moved_in';
}

/** A row that changed since it was judged. */
export interface RollUpDueTable {
  organisation_id: string;
  source: RollUpEventTable['source'];
  source_id: string;
  acquirer_reference_number: string | null;
}

/** What an acquirer reports of a month. */
export type ReportedMeasure =
  | 'payments'
  | 'fraud'
  | 'dispute'
  | 'dispute_of_fraud'
  | 'three_d_secure'
  | 'fraud_dispute_usd';

export interface ProgrammeReportedTable {
  organisation_id: string;
  month: string;
  scheme: string;
  scope: ScopeKind;
  scope_id: string;
  measure: ReportedMeasure;
  value: number;
  origin: string;
  entered_by: string;
  entered_at: Timestamp;
}

export interface ProgrammeAlarmTable {
  organisation_id: string;
  month: string;
  programme: string;
  line: string;
  scope: ScopeKind;
  scope_id: string;
  basis: 'estimated' | 'reported';
  level: number;
  detail: Json;
  raised_at: Timestamp;
}

export interface Occurrence {
  readonly dimension: 'merchant_id' | 'submerchant_id' | 'descriptor' | 'enrolment_id';
  readonly value: string;
  readonly payments: number;
  readonly events: number;
}
