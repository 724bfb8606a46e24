/** Rows of matches: which charge an alert is about. */
import type { Defaulted, Identity, Json, Nullable, Timestamp } from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    match: MatchTable;
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
