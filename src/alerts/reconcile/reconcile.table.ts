/** Rows of comparisons with the processor, and of passes asked for. */
import type {
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';
import type { ReconcileReport } from './report.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    book_check: BookCheckTable;
    reconcile_request: ReconcileRequestTable;
  }
}

/** What the processor said about a charge. */
export type ProcessorAnswerKind = 'found' | 'absent' | 'not_offered' | 'unavailable';

export interface BookCheckTable {
  organisation_id: string;
  alert_id: string;
  compared_at: Timestamp;
  next_at: NullableTimestamp;
  answer: ProcessorAnswerKind;
  /** What went back under our keys, as the processor shows it. */
  refunded_minor: Nullable<number>;
  currency: Nullable<string>;
}

export interface ReconcileRequestTable {
  organisation_id: string;
  id: string;
  since: Timestamp;
  /** How many orders to have read back. */
  orders: number;
  requested_by: string;
  requested_at: Timestamp;
  started_at: NullableTimestamp;
  finished_at: NullableTimestamp;
  report: NullableJson<ReconcileReport>;
  error: Nullable<string>;
}
