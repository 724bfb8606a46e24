/** Row type of `request_budget`: the last grants of one endpoint's pool, shared by all processes. */
import type { Defaulted, NullableTimestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    request_budget: RequestBudgetTable;
  }
}

export interface RequestBudgetTable {
  organisation_id: string;
  /** Method and path template, for example `PATCH /v1/alerts/{alert_id}`. */
  pool: string;
  /** Oldest first; only those inside the window are kept. */
  grants: Defaulted<Date[]>;
  paused_until: NullableTimestamp;
  /** How many 429 in a row, which lengthens the next pause. */
  penalties: Defaulted<number>;
}
