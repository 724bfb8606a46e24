/** Rows of the inbox: the signed bytes, their ids, the work left to apply, and what is quarantined. */
import type {
  Defaulted,
  Identity,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    inbox_id: InboxIdTable;
    inbox_event: InboxEventTable;
    inbox_work: InboxWorkTable;
    quarantine: QuarantineTable;
  }
}

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
  /** As it came, or sealed under `key_id`. */
  body: Buffer;
  key_id: Nullable<string>;
  /** What a sealed body is about: its event's type, and the id of its object. */
  event_type: Nullable<string>;
  object_id: Nullable<string>;
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
  /** As it came, or sealed under `key_id`. */
  body: Nullable<Buffer>;
  key_id: Nullable<string>;
  /** SHA-256 of the body as it came. */
  body_hash: Nullable<Buffer>;
  quarantined_at: Timestamp;
  resolved_at: NullableTimestamp;
  resolved_by: Nullable<string>;
}
