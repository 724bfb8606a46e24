/** Rows of the notification outbox. */
import type {
  Defaulted,
  Identity,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../db/database.ts';

declare module '../db/database.ts' {
  interface Database {
    notification: NotificationTable;
  }
}

export type Severity = 'info' | 'warning' | 'error';

export interface NotificationTable {
  id: Identity;
  organisation_id: string;
  /** The same key is written once: a repeated cause does not repeat the message. */
  dedupe_key: string;
  kind: string;
  severity: Severity;
  alert_id: Nullable<string>;
  text: string;
  created_at: Timestamp;
  /** Null once sent, or given up. */
  next_attempt_at: NullableTimestamp;
  attempts: Defaulted<number>;
  sent_at: NullableTimestamp;
  last_error: Nullable<string>;
  /** Through which channel it went; `digest` when one message carried several. */
  channel: Nullable<string>;
}
