/** Rows of the charge index and of the matches made against it. */
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    charge: ChargeTable;
    match: MatchTable;
  }
}

/** One payment at the processor, from our orders or from the processor's search. */
export interface ChargeTable {
  organisation_id: string;
  /** The processor's identifier of the payment: `reference_id` of the order's transaction. */
  reference: string;
  order_reference: Nullable<string>;
  integration_id: Nullable<string>;
  source: 'order' | 'processor';
  amount_minor: number;
  currency: string;
  authorised_at: NullableTimestamp;
  settled_at: NullableTimestamp;
  authorisation_code: Nullable<string>;
  acquirer_reference_number: Nullable<string>;
  card_bin: Nullable<string>;
  card_last4: Nullable<string>;
  card_brand: Nullable<string>;
  descriptor: Nullable<string>;
  subscription_reference: Nullable<string>;
  known_at: Timestamp;
}

export interface MatchTable {
  id: Identity;
  organisation_id: string;
  alert_id: string;
  outcome: 'single' | 'none' | 'several';
  charge_reference: Nullable<string>;
  tier: Nullable<string>;
  evidence: Json;
  candidates: Json;
  matched_at: Timestamp;
  /** Points of the best candidate; null without one. */
  score: Nullable<number>;
  /** Points between the best candidate and the next; null with fewer than two. */
  margin: Nullable<number>;
  /** The second-best candidate's reference. */
  runner_up: Nullable<string>;
  /** The best candidate's sign where none clears the bar. */
  weak_sign: Nullable<string>;
  /** `matcher`, or `operator:<name>` when a person chose. */
  matched_by: Defaulted<string>;
}
