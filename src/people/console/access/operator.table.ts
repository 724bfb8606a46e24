/** Rows of access: operators, their sessions, sign-ins under way. */
import type { Nullable, Timestamp } from '../../../base/db/column-types.ts';
import type { Role } from './role.ts';

declare module '../../../base/db/database.ts' {
  interface Database {
    console_operator: ConsoleOperatorTable;
    console_session: ConsoleSessionTable;
    console_oidc_flow: ConsoleOidcFlowTable;
  }
}

/** A person or a program that may use the console. */
export interface ConsoleOperatorTable {
  organisation_id: string;
  id: string;
  /** Unique, and what the audit log shows. */
  name: string;
  role: Role;
  /** SHA-256 of the token; null for people who sign in at the identity provider only. */
  token_hash: Nullable<Buffer>;
  email: Nullable<string>;
  /** Issuer and subject of the provider's account, bound at the first sign-in. */
  oidc_subject: Nullable<string>;
  created_at: Timestamp;
  created_by: string;
  changed_at: Timestamp;
}

export interface ConsoleSessionTable {
  /** SHA-256 of the id in the person's cookie. */
  id_hash: Buffer;
  organisation_id: string;
  /** Null: somebody who signed in with the console token. */
  operator_id: Nullable<string>;
  /** SHA-256 of that token, so that its sessions end with it. */
  credential_hash: Nullable<Buffer>;
  started_at: Timestamp;
  seen_at: Timestamp;
  authenticated_at: Timestamp;
}

/** A sign-in at the identity provider that is under way. */
export interface ConsoleOidcFlowTable {
  state_hash: Buffer;
  organisation_id: string;
  code_verifier: string;
  nonce: string;
  next_path: string;
  /** `id_hash` of the session whose holder proves again who they are. */
  confirms: Nullable<Buffer>;
  expires_at: Timestamp;
}
