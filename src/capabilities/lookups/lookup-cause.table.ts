/** Rows of judged lookups. */
import type { Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';
import type { CauseName } from './cause.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    lookup_cause: LookupCauseTable;
  }
}

/** What came of the payment after the lookup: a dispute, a refund, an alert that is still open, or nothing yet. */
export type LookupCost = 'disputed' | 'refunded' | 'alert_open' | 'none_yet';

export interface LookupCauseTable {
  organisation_id: string;
  lookup_id: string;
  /** The lookup's own. */
  created_at: Timestamp;
  type: string;
  cause: CauseName;
  detail: string;
  charge_reference: Nullable<string>;
  order_reference: Nullable<string>;
  cost: LookupCost;
  currency: Nullable<string>;
  amount_minor: Nullable<number>;
  judged_at: Timestamp;
  changed_at: Timestamp;
  judge_again_at: NullableTimestamp;
}
