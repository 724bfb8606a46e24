/** Rows of policies that are written in the console. */
import type {
  Defaulted,
  Json,
  Nullable,
  NullableTimestamp,
  Timestamp,
} from '../../../base/db/database.ts';

declare module '../../../base/db/database.ts' {
  interface Database {
    policy_draft: PolicyDraftTable;
  }
}

/** The last two are final. */
export type DraftState = 'DRAFT' | 'ACTIVE' | 'DISCARDED';

export interface PolicyDraftTable {
  organisation_id: string;
  id: string;
  name: string;
  source: string;
  /** The lists and rates it names. */
  files: Json<Readonly<Record<string, string>>>;
  /** The version that these texts come to; null: the checks found something wrong. */
  version: Nullable<string>;
  /** The version in force that it was written against. */
  based_on: Nullable<string>;
  state: Defaulted<DraftState>;
  created_at: Timestamp;
  changed_at: Timestamp;
  /** Everybody who wrote at it. */
  authors: string[];
  activated_by: Nullable<string>;
  activated_at: NullableTimestamp;
}
