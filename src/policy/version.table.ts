/** Rows of the policy's versions, and of which was put in force when. */
import type { Defaulted, Identity, Json, Nullable, Timestamp } from '../base/db/column-types.ts';

declare module '../base/db/database.ts' {
  interface Database {
    policy_version: PolicyVersionTable;
    policy_activation: PolicyActivationTable;
  }
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

export interface PolicyActivationTable {
  id: Identity;
  organisation_id: string;
  version: string;
  previous_version: Nullable<string>;
  author: string;
  /** The file's path, or `built-in`. */
  origin: string;
  activated_at: Timestamp;
}
