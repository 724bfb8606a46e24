/** Rows of findings (where the books disagree) and of alerts that must be read. */
import type { Identity, Json, Nullable, NullableTimestamp, Timestamp } from '../db/database.ts';
import type { Severity } from '../notify/notification.table.ts';

declare module '../db/database.ts' {
  interface Database {
    poll_request: PollRequestTable;
    finding: FindingTable;
  }
}

export interface FindingTable {
  id: Identity;
  organisation_id: string;
  kind: string;
  severity: Severity;
  subject: string;
  subject_id: string;
  evidence: Json<Record<string, unknown>>;
  next_step: string;
  /** The safe repair that was made by itself; null where a person takes the next step. */
  repair: Nullable<string>;
  opened_at: Timestamp;
  last_seen_at: Timestamp;
  closed_at: NullableTimestamp;
}

export interface PollRequestTable {
  organisation_id: string;
  alert_id: string;
  reason: string;
  requested_at: Timestamp;
}
