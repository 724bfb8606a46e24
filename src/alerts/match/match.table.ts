/** Rows of matches, which charge an alert is about, and of what people chose. */
import type { Defaulted, Identity, Json, Nullable, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    match: MatchTable;
    match_choice: MatchChoiceTable;
  }
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

/** What people chose: the charge of an alert, and what the alert said then. */
interface MatchChoiceTable {
  organisation_id: string;
  alert_id: string;
  charge_reference: string;
  /** The person's name, as the audit log shows it. */
  operator: string;
  chosen_at: Timestamp;
  acquirer_reference_number: Nullable<string>;
  authorisation_code: Nullable<string>;
  card_bin: Nullable<string>;
  card_last4: Nullable<string>;
  amount_minor: Nullable<number>;
  currency: Nullable<string>;
  /** UTC calendar day of the alert's payment, counted from 1970-01-01. */
  authorised_day: Nullable<number>;
  /** Last digits of the chosen charge's card, as far as they were known. */
  charge_card_last4: Nullable<string>;
}
