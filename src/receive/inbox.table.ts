/** Rows of the inbox: the signed bytes, their ids, the work left to apply, and what is quarantined. */
import type {
  Defaulted,
  Identity,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../db/column-types.ts';

export interface InboxIdTable {
  event_id: string;
  organisation_id: string;
  body_hash: Buffer;
  received_at: Timestamp;
  /** With `received_at` the key of the body in `inbox_event`. */
  seq: number;
}

export interface InboxEventTable {
  seq: number;
  received_at: Timestamp;
  organisation_id: string;
  event_id: string;
  subscription: Defaulted<string>;
  delivery_id: Nullable<string>;
  secret_id: string;
  signed_at: Timestamp;
  body: Buffer;
}

export interface InboxWorkTable {
  seq: number;
  received_at: Timestamp;
  organisation_id: string;
  event_id: string;
}

export interface QuarantineTable {
  id: Identity;
  organisation_id: string;
  event_id: string;
  seq: Nullable<number>;
  reason: string;
  detail: Defaulted<string>;
  body: Nullable<Buffer>;
  quarantined_at: Timestamp;
  resolved_at: NullableTimestamp;
  resolved_by: Nullable<string>;
}
