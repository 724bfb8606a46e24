/** Rows about which version of the policy was put in force when. */
import type { Identity, Nullable, Timestamp } from '../base/db/database.ts';

declare module '../base/db/database.ts' {
  interface Database {
    policy_activation: PolicyActivationTable;
  }
}

export interface PolicyActivationTable {
  id: Identity;
  organisation_id: string;
  version: string;
  previous_version: Nullable<string>;
  author: string;
  /** The file's path, `built-in` or `console`. */
  origin: string;
  activated_at: Timestamp;
  /** The second person; set for whatever was put in force in the console, and for nothing else. */
  approved_by: Nullable<string>;
}
