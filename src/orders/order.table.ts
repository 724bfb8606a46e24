/** Rows of the order feed: orders, what of them has still to be sent, their nested references, imports, stops. */
import { columnsOf } from '../base/db/columns.ts';
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from '../base/db/database.ts';
import type { OrderType } from '../service/wire/order.ts';
import type { OrderBody } from './order-body.ts';
import type { OrderState } from './order-state.ts';

declare module '../base/db/database.ts' {
  interface Database {
    order_record: OrderRecordTable;
    order_push: OrderPushTable;
    order_nested_reference: OrderNestedReferenceTable;
    order_import: OrderImportTable;
    feed_brake: FeedBrakeTable;
  }
}

export interface OrderRecordTable {
  organisation_id: string;
  integration_id: string;
  /** The merchant's reference: unique per integration, the idempotency key of the whole feed. */
  reference_id: string;
  /** Order of acceptance: what "oldest first" means. */
  seq: Identity;
  type: OrderType;
  state: OrderState;
  version: Defaulted<number>;
  /** As accepted, before nested references were made unique. */
  submitted: Json;
  submitted_hash: Buffer;
  /** What the service shall hold: the submission with every accepted change. */
  body: Json<OrderBody>;
  order_id: Nullable<string>;
  ready: Defaulted<string[]>;
  missing: Json<Record<string, string[]>>;
  warnings: Json<string[]>;
  reason: Nullable<string>;
  error_code: Nullable<string>;
  difference: NullableJson<string[]>;
  /** Of the customer's address and account, where `body` is sealed. */
  email_hmac: Nullable<Buffer>;
  account_hmac: Nullable<Buffer>;
  attempts: Defaulted<number>;
  next_attempt_at: NullableTimestamp;
  accepted_at: Timestamp;
  changed_at: Timestamp;
  settled_at: NullableTimestamp;
  /** Since then it says nothing about the customer any more. */
  erased_at: NullableTimestamp;
}

export const ORDER_COLUMNS = columnsOf<OrderRecordTable>()(
  'organisation_id integration_id reference_id seq type state version submitted submitted_hash body',
  'order_id ready missing warnings reason error_code difference email_hmac account_hmac attempts',
  'next_attempt_at accepted_at changed_at settled_at erased_at',
);

/** Who wants a part sent. */
export type PushSource = 'merchant' | 'saga' | 'repair';

export interface OrderPushTable {
  organisation_id: string;
  integration_id: string;
  reference_id: string;
  part: string;
  seq: Identity;
  version: Defaulted<number>;
  state: 'DUE' | 'PARKED';
  source: PushSource;
  reason: Nullable<string>;
  error_code: Nullable<string>;
  attempts: Defaulted<number>;
  next_attempt_at: Timestamp;
  changed_at: Timestamp;
}

/** Arrays whose references must be unique across orders, or are reported from two sides. */
export type ReferenceKind = 'transaction' | 'delivery' | 'item' | 'refund' | 'dispute';

export interface OrderNestedReferenceTable {
  organisation_id: string;
  integration_id: string;
  kind: ReferenceKind;
  reference: string;
  order_reference: string;
  given: string;
  alias: Nullable<string>;
  source: Defaulted<'merchant' | 'saga'>;
}

export interface FeedBrakeTable {
  organisation_id: string;
  integration_id: string;
  error_code: string;
  reason: string;
  example: string;
  refused_since: Timestamp;
  stopped_at: Timestamp;
  probes: Defaulted<number>;
  probe_seq: Defaulted<number>;
  probed_at: NullableTimestamp;
  next_probe_at: Timestamp;
  passing_until: NullableTimestamp;
}

export interface OrderImportTable {
  organisation_id: string;
  /** Derived from the file's size and ends: the same file is recognised under another name. */
  file_key: string;
  file_name: string;
  lines_done: Defaulted<number>;
  accepted: Defaulted<number>;
  unchanged: Defaulted<number>;
  rejected: Defaulted<number>;
  started_at: Timestamp;
  changed_at: Timestamp;
  finished_at: NullableTimestamp;
}
