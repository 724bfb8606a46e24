/** Rows of side actions: what is done besides answering an alert. */
import type {
  Defaulted,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';
import type { SideActionKind } from '../decide/policy.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    side_action: SideActionTable;
    side_action_due: SideActionDueTable;
  }
}

export type SideActionState = 'DUE' | 'DONE' | 'FAILED';

export interface SideActionTable {
  organisation_id: string;
  /** Also its idempotency key: derived from what is done to what, for which alert. */
  id: string;
  alert_id: string;
  kind: SideActionKind;
  /** The charge whose subscription it is, the order or the customer it is done to; the alert for a message. */
  subject: string;
  /** Why: `policy`, or `alert` and `network` for what Forestall does by itself. */
  cause: string;
  detail: Json<Record<string, unknown>>;
  state: SideActionState;
  attempts: Defaulted<number>;
  next_attempt_at: NullableTimestamp;
  last_error: Nullable<string>;
  created_at: Timestamp;
  settled_at: NullableTimestamp;
}

/** Alerts whose side actions are to be planned; written by triggers on `decision` and `alert_case`. */
export interface SideActionDueTable {
  organisation_id: string;
  alert_id: string;
}
