/** Rows of decisions, and of the policies that took them. */
import type { ColumnType } from 'kysely';
import type {
  Defaulted,
  Identity,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';
import type { Arm } from './explore.ts';
import type { SideAction } from './policy.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    decision: DecisionTable;
    policy_version: PolicyVersionTable;
  }
}

/** What a decision may say. `NONE`: nothing may be done (RDR, already resolved). */
export type DecisionAction = 'REFUND' | 'ACCEPT_DISPUTE' | 'REVIEW' | 'NONE';

/** What a held alert falls back to without a decision in time. */
export type FallbackAction = 'REFUND' | 'ACCEPT_DISPUTE';

export interface DecisionTable {
  id: Identity;
  organisation_id: string;
  alert_id: string;
  action: DecisionAction;
  /** What to refund; null unless the action is `REFUND`. */
  amount_minor: Nullable<number>;
  /** A person accepts although this much went back. */
  despite_minor: Nullable<number>;
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
  /** The trial it was part of, its arm there, and how likely that was; null: none. */
  experiment: Nullable<string>;
  arm: Nullable<Arm>;
  propensity: Nullable<number>;
  /** What the rule wants done besides the answer; due once the case is decided. */
  side_actions: ColumnType<readonly SideAction[], string | undefined, string>;
  /** What a second policy would have decided from the same facts; null without one. */
  beside_version: Nullable<string>;
  beside_action: Nullable<DecisionAction>;
  beside_amount_minor: Nullable<number>;
  beside_currency: Nullable<string>;
  beside_rule: Nullable<string>;
  beside_guard: Nullable<string>;
  beside_fallback_action: Nullable<FallbackAction>;
  beside_fallback_at: NullableTimestamp;
  beside_sentence: Nullable<string>;
}

/** How a policy is written: the YAML language, or a TypeScript module with `definePolicy`. */
export type PolicyKind = 'yaml' | 'module';

export interface PolicyVersionTable {
  organisation_id: string;
  version: string;
  /** The text as written. */
  source: string;
  first_used_at: Timestamp;
  name: Defaulted<string>;
  /** Who wrote it, as far as known. */
  author: Nullable<string>;
  kind: Defaulted<PolicyKind>;
  /** The lists and the rate table read with it, by path as the policy names them. */
  files: Json<Readonly<Record<string, string>>>;
}
