/** Rows of decisions and of the policy versions that took them. */
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../db/column-types.ts';

/** What a decision may say. `NONE`: nothing may be done (RDR, already resolved). */
export type DecisionAction = 'REFUND' | 'ACCEPT_DISPUTE' | 'REVIEW' | 'NONE';

/** What a held alert falls back to when nobody decides in time. */
export type FallbackAction = 'REFUND' | 'ACCEPT_DISPUTE';

export interface DecisionTable {
  id: Identity;
  organisation_id: string;
  alert_id: string;
  action: DecisionAction;
  /** What to refund; null unless the action is `REFUND`. */
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  fallback_action: Nullable<FallbackAction>;
  fallback_at: NullableTimestamp;
  /** `policy`, `guard`, `fallback` or `operator:<name>`. */
  decided_by: string;
  policy_version: Nullable<string>;
  rule: Nullable<string>;
  guard: Nullable<string>;
  /** Why, as a person reads it. */
  sentence: string;
  inputs: Json;
  shadow: Defaulted<boolean>;
  decided_at: Timestamp;
}

export interface PolicyVersionTable {
  organisation_id: string;
  version: string;
  source: string;
  first_used_at: Timestamp;
}
