/** Rows of the guard rails: the kill switch, the breaker, customers, approvals. */
import { columnsOf } from '../../base/db/columns.ts';
import type { Identity, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    money_pause: MoneyPauseTable;
    refund_breaker: RefundBreakerTable;
    refund_customer: RefundCustomerTable;
    refund_approval: RefundApprovalTable;
    refund_approver: RefundApproverTable;
    blocked_customer: BlockedCustomerTable;
  }
}

/** A row while no money may be sent. */
export interface MoneyPauseTable {
  /** `*`: of no organisation alone. */
  organisation_id: string;
  paused_at: Timestamp;
  /** `operator:<name>`. */
  paused_by: string;
  reason: string;
}

export interface RefundBreakerTable {
  organisation_id: string;
  /** Alerts in one window above which it opens; null while there is too little history. */
  threshold: Nullable<number>;
  measured_at: Timestamp;
  opened_at: NullableTimestamp;
  opened_count: Nullable<number>;
  snoozed_until: NullableTimestamp;
}

export const BREAKER_COLUMNS = columnsOf<RefundBreakerTable>()(
  'organisation_id threshold measured_at opened_at opened_count snoozed_until',
);

export interface RefundCustomerTable {
  organisation_id: string;
  /** A hash of the customer's account id or e-mail address. */
  identity: string;
  movement_id: string;
}

/** What two people agree to: that Forestall refunds, or what one of them says of money. */
export type ApprovalKind = 'REFUND' | 'REFUNDED_OUTSIDE' | 'DID_EXECUTE' | 'ACCEPT_DISPUTE';

/**
 * `REPLACED`: another amount or charge is asked for now, or another attempt at what they had agreed to.
 * `OVERTAKEN`: the alert was answered or closed before two people had agreed.
 */
export type ApprovalState = 'PENDING' | 'APPROVED' | 'DECLINED' | 'REPLACED' | 'OVERTAKEN';

export interface RefundApprovalTable {
  id: Identity;
  organisation_id: string;
  alert_id: string;
  /** Null: written by a version that did not say. It cannot be agreed to. */
  kind: Nullable<ApprovalKind>;
  charge_reference: string;
  amount_minor: number;
  currency: string;
  /** Where the money can be found, as it was said. */
  reference: Nullable<string>;
  /** The movement that two people agree to, or what a word is about: no other may use theirs. */
  movement_id: Nullable<string>;
  /** After this their word is void. */
  ends_at: NullableTimestamp;
  state: ApprovalState;
  asked_at: Timestamp;
  settled_at: NullableTimestamp;
  /** What became of the alert, as the audit log says it; or why their word no longer counts. */
  settled_because: Nullable<string>;
}

export interface RefundApproverTable {
  approval_id: number;
  /** Who counts as one: names that share the console's token are the same person. */
  person: string;
  organisation_id: string;
  operator: string;
  approved_at: Timestamp;
}

export interface BlockedCustomerTable {
  organisation_id: string;
  identity: string;
  blocked_at: Timestamp;
  blocked_by: string;
  alert_id: Nullable<string>;
}
