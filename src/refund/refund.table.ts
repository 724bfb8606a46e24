/** Rows of refunds: at most one per charge, which makes the row the reservation of its money. */
import type { Defaulted, Nullable, NullableTimestamp, Timestamp } from '../db/column-types.ts';
import type { RefundState } from './refund-state.ts';

export interface RefundTable {
  organisation_id: string;
  id: string;
  charge_reference: string;
  idempotency_key: string;
  /** Which key of this charge it is, from 1: a new one only after the processor refused the last. */
  round: Defaulted<number>;
  /** `void`: the payment was never captured, so its authorisation is released and no amount moves. */
  kind: Defaulted<'refund' | 'void'>;
  /** The alert that first asked for it. */
  alert_id: string;
  /** The RDR alert through which the network refunded the same payment: nothing is sent any more. */
  network_alert_id: Nullable<string>;
  state: RefundState;
  version: Defaulted<number>;
  /** What we refund. 0 when all of it was refunded by somebody else. */
  amount_minor: number;
  currency: string;
  captured_minor: number;
  /** What somebody else had refunded when this row was made or last checked. */
  external_minor: Defaulted<number>;
  processor_reference: Nullable<string>;
  external_reference: Nullable<string>;
  failure_code: Nullable<string>;
  first_sent_at: NullableTimestamp;
  sent_at: NullableTimestamp;
  confirmed_at: NullableTimestamp;
  lease_owner: Nullable<string>;
  lease_until: NullableTimestamp;
  next_action_at: NullableTimestamp;
  attempts: Defaulted<number>;
  created_at: Timestamp;
  changed_at: Timestamp;
}
