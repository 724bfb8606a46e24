/** Rows of the inbox: the signed bytes, their ids, the work left to apply, and what is quarantined. */
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    inbox_id: InboxIdTable;
    inbox_event: InboxEventTable;
    inbox_work: InboxWorkTable;
    quarantine: QuarantineTable;
    delivery_minute: DeliveryMinuteTable;
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

/** One delivery: when it came, and what may be known of it. */
export interface DeliveryExample {
  readonly at: string;
  readonly facts: Readonly<Record<string, string | number | null | undefined>>;
}

/** Deliveries of one minute that are no new events, by what became of them. */
export interface DeliveryMinuteTable {
  organisation_id: string;
  minute: Timestamp;
  /** `repeat`, or the reason of the refusal. */
  verdict: string;
  count: number;
  last_at: Timestamp;
  examples: Json<readonly DeliveryExample[]>;
}
