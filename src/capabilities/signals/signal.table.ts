/** Rows of what comes in beside alerts: the processor's events, and claims for a refund. */
import type { Defaulted, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';
import type { ProcessorEventKind } from '../../service/wire/processor-event.ts';
import type { ClaimSource } from '../../alerts/cases/claim.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    processor_event: ProcessorEventTable;
    refund_claim: RefundClaimTable;
  }
}

/** One event of the processor, without its body. */
export interface ProcessorEventTable {
  organisation_id: string;
  /** Through which path it came. */
  processor: string;
  event_id: string;
  /** `unreadable`: signed, and no event. */
  kind: ProcessorEventKind | 'unreadable';
  charge_references: string[];
  refund_reference: Nullable<string>;
  dispute_reference: Nullable<string>;
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  occurred_at: NullableTimestamp;
  received_at: Timestamp;
  /** Null: done with. */
  next_action_at: NullableTimestamp;
  attempts: Defaulted<number>;
  applied_at: NullableTimestamp;
  outcome: Nullable<string>;
}

/** A refund that is owed, or may be, without an alert of the service. */
export interface RefundClaimTable {
  organisation_id: string;
  /** Also the id of its row among the alerts. */
  id: string;
  source: ClaimSource;
  /** The asker's own. */
  reference: string;
  charge_reference: string;
  amount_minor: number;
  currency: string;
  country: Nullable<string>;
  claimed_at: Timestamp;
  due_at: Timestamp;
  /** The rule of the law, or of the house, that gives `due_at`. */
  due_by: string;
  note: Defaulted<string>;
  /** `operator:<name>`, or `processor:<name>`. */
  opened_by: string;
  opened_at: Timestamp;
  /** Null: its case is open, or was. */
  next_action_at: NullableTimestamp;
  attempts: Defaulted<number>;
}
