/** Rows of the five entities the service tells us about, and the history of their changes. */
import { columnsOf } from '../../base/db/columns.ts';
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    alert: AlertTable;
    lookup: LookupTable;
    enrolment: EnrolmentTable;
    representment: RepresentmentTable;
    scheme_notice: SchemeNoticeTable;
    entity_change: EntityChangeTable;
  }
}

/** How a snapshot reached us. */
export type SnapshotSource = 'webhook' | 'poll';

/** The kinds of entity that events and polls are about. */
export type EntityKind = 'alert' | 'lookup' | 'enrolment' | 'representment' | 'scheme_notice';

/** Columns that every entity has. */
export interface EntityColumns {
  organisation_id: string;
  id: string;
  created_at: NullableTimestamp;
  updated_at: Timestamp;
  /** The object as received, brand tokens translated, unknown fields kept. */
  snapshot: Json<Record<string, unknown>>;
  snapshot_hash: Buffer;
  source: SnapshotSource;
  /** When a read last confirmed this snapshot; null while only events told of it. */
  read_at: NullableTimestamp;
  /** The moment of the event that told of it; null after a read, and where an older version stored it. */
  told_at: NullableTimestamp;
  told_as_update: Defaulted<boolean>;
  /** Two different snapshots carry the same rank and time: only a read can tell which is the last. */
  needs_read: Defaulted<boolean>;
  first_seen_at: Timestamp;
  changed_at: Timestamp;
}

export interface AlertTable extends EntityColumns {
  status: string;
  enrolment_type: Nullable<string>;
  enrolment_id: Nullable<string>;
  merchant_id: Nullable<string>;
  deadline_at: NullableTimestamp;
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  authorised_at: NullableTimestamp;
  authorisation_code: Nullable<string>;
  acquirer_reference_number: Nullable<string>;
  descriptor: Nullable<string>;
  card_bin: Nullable<string>;
  card_last4: Nullable<string>;
  card_issuer: Nullable<string>;
  card_scheme: Nullable<string>;
  network_id: Nullable<string>;
  reason_code: Nullable<string>;
  refund_outcome: Nullable<string>;
  subscription_cancel_outcome: Nullable<string>;
  note: Nullable<string>;
  integration_id: Nullable<string>;
  integration_transaction_id: Nullable<string>;
}

export const ALERT_COLUMNS = columnsOf<AlertTable>()(
  'organisation_id id created_at updated_at snapshot snapshot_hash source read_at told_at told_as_update',
  'needs_read first_seen_at changed_at status enrolment_type enrolment_id merchant_id deadline_at',
  'amount_minor currency authorised_at authorisation_code acquirer_reference_number descriptor card_bin',
  'card_last4 card_issuer card_scheme network_id reason_code refund_outcome subscription_cancel_outcome',
  'note integration_id integration_transaction_id',
);

export interface LookupTable extends EntityColumns {
  type: Nullable<string>;
  enrolment_id: Nullable<string>;
  parent_lookup_id: Nullable<string>;
  lookup_status: Nullable<string>;
  deflection_status: Nullable<string>;
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  transaction_date: NullableTimestamp;
  acquirer_reference_number: Nullable<string>;
  integration_id: Nullable<string>;
  integration_transaction_id: Nullable<string>;
}

export interface EnrolmentTable extends EntityColumns {
  type: Nullable<string>;
  status: Nullable<string>;
  note: Nullable<string>;
}

export interface RepresentmentTable extends EntityColumns {
  merchant_id: Nullable<string>;
  dispute_status: Nullable<string>;
  dispute_stage: Nullable<string>;
  dispute_due_by: NullableTimestamp;
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  transaction_reference_id: Nullable<string>;
  acquirer_reference_number: Nullable<string>;
}

export interface SchemeNoticeTable extends EntityColumns {
  merchant_id: Nullable<string>;
  scheme_notice_type: Nullable<string>;
  notice_type: Nullable<string>;
  scheme: Nullable<string>;
  is_revoked: Nullable<boolean>;
  fraud_reported_at: NullableTimestamp;
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  card_bin: Nullable<string>;
  card_last4: Nullable<string>;
  acquirer_reference_number: Nullable<string>;
  purchase_date: NullableTimestamp;
}

export interface EntityChangeTable {
  id: Identity;
  organisation_id: string;
  entity: EntityKind;
  entity_id: string;
  changed_at: Timestamp;
  source: SnapshotSource;
  event_id: Nullable<string>;
  /** False when it told nothing new, as an older snapshot after a newer one: kept in the history, without effect. */
  accepted: boolean;
  before: NullableJson<Record<string, unknown>>;
  after: Json<Record<string, unknown>>;
}
