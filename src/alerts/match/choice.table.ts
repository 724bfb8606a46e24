/** Rows of what people chose: the charge of an alert, and what the alert said then. */
import type { Nullable, Timestamp } from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    match_choice: MatchChoiceTable;
  }
}

export interface MatchChoiceTable {
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
