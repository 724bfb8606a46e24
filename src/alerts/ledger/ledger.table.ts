/** Rows of the charge ledger: the charge as an account, its disputes, and what moved for them. */
import type { Defaulted, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';
import type { ChargeStatus, FailureClass } from '../../service/wire/processor.ts';
import type { MovementKind, MovementState } from './movement-state.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    charge_account: ChargeAccountTable;
    dispute: DisputeTable;
    dispute_mention: DisputeMentionTable;
    movement: MovementTable;
    cover: CoverTable;
  }
}

/** A charge: its row is what locks it. */
export interface ChargeAccountTable {
  organisation_id: string;
  charge_reference: string;
  /** Grows with every change of the charge's ledger: a reading taken before it is old (L9). */
  version: Defaulted<number>;
  /** As the processor last showed it; null: it never did. */
  status: Nullable<ChargeStatus>;
  /** What was captured, or authorised while nothing is captured. */
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  read_at: NullableTimestamp;
  /** Whether the processor last showed a dispute; null: it was not read since this is kept. */
  disputed: Nullable<boolean>;
  /** When the processor first warned of fraud; null: it never did. */
  fraud_warned_at: NullableTimestamp;
}

/** One complaint of the cardholder about one charge, in the charge's currency. */
export interface DisputeTable {
  organisation_id: string;
  id: string;
  charge_reference: string;
  amount_minor: number;
  currency: string;
  opened_at: Timestamp;
}

/** A notice or a representment that speaks of a dispute. */
export interface DisputeMentionTable {
  organisation_id: string;
  entity: 'scheme_notice' | 'representment';
  entity_id: string;
  dispute_id: string;
  reason: string;
  mentioned_at: Timestamp;
}

/** Money that went, or may have gone, back on a charge. */
export interface MovementTable {
  organisation_id: string;
  id: string;
  /** Null: network money whose charge is not known yet (L8). */
  charge_reference: Nullable<string>;
  kind: MovementKind;
  state: MovementState;
  version: Defaulted<number>;
  /** Ours: the dispute it is for. Network: the one its alert belongs to. */
  dispute_id: Nullable<string>;
  /** Ours: the alert that asked for it. Network: the RDR alert. */
  alert_id: Nullable<string>;
  /** Null: not ours. */
  idempotency_key: Nullable<string>;
  /** Which key of this charge it is, from 1. */
  round: Defaulted<number>;
  amount_minor: number;
  currency: string;
  processor_reference: Nullable<string>;
  /** Not ours: `processor`, the RDR alert's id, or `operator:<name>`. */
  observed_from: Nullable<string>;
  failure_code: Nullable<string>;
  failure_class: Nullable<FailureClass>;
  first_sent_at: NullableTimestamp;
  sent_at: NullableTimestamp;
  /** The merchant whose own processor it went through; null: the organisation's. */
  sent_through: Nullable<string>;
  /** Ours: the name of the processor it went through; null: not kept yet. */
  processor: Nullable<string>;
  /** From this moment on the request can no longer execute unseen: a look-up that misses it is proof. */
  proven_at: NullableTimestamp;
  confirmed_at: NullableTimestamp;
  /** When the processor says that somebody else made it. */
  moved_at: NullableTimestamp;
  lease_owner: Nullable<string>;
  lease_until: NullableTimestamp;
  next_action_at: NullableTimestamp;
  attempts: Defaulted<number>;
  created_at: Timestamp;
  changed_at: Timestamp;
}

/** The part of a movement that answers a dispute. */
export interface CoverTable {
  organisation_id: string;
  movement_id: string;
  dispute_id: string;
  amount_minor: number;
}
