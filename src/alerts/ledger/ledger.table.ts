/** Rows of the charge ledger: the charge as an account, its disputes, and what moved for them. */
import { columnsOf } from '../../base/db/columns.ts';
import type { Defaulted, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';
import type { ChargeStatus, FailureClass } from '../../service/wire/processor.ts';
import type { Dispute, DisputedAlert, Ledger, Movement } from './ledger.ts';
import type { MovementKind, MovementState } from './movement-state.ts';
import type { Waiting } from './same-charge.ts';

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

export const ACCOUNT_COLUMNS = columnsOf<ChargeAccountTable>()(
  'organisation_id charge_reference version status amount_minor currency read_at disputed fraud_warned_at',
);

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

export const MOVEMENT_COLUMNS = columnsOf<MovementTable>()(
  'organisation_id id charge_reference kind state version dispute_id alert_id idempotency_key round',
  'amount_minor currency processor_reference observed_from failure_code failure_class first_sent_at sent_at',
  'sent_through processor proven_at confirmed_at moved_at lease_owner lease_until next_action_at attempts',
  'created_at changed_at',
);

/** The part of a movement that answers a dispute. */
export interface CoverTable {
  organisation_id: string;
  movement_id: string;
  dispute_id: string;
  amount_minor: number;
}

/** A ledger as `ledgerQuery` selects it. */
export interface LedgerRow {
  readonly status: Ledger['status'];
  readonly amount_minor: number | null;
  readonly currency: string | null;
  readonly read_at: Date | null;
  readonly disputed: boolean | null;
  /** 0 while the charge has no ledger. */
  readonly version: number;
  readonly waiting: readonly Waiting[] | null;
  readonly movements: readonly Movement[] | null;
  readonly disputes: readonly Omit<Dispute, 'alerts'>[] | null;
  readonly alerts: readonly (DisputedAlert & { readonly disputeId: string | null })[] | null;
}

export const LEDGER_COLUMNS = columnsOf<LedgerRow>()(
  'status amount_minor currency read_at disputed version waiting movements disputes alerts',
);
