/** Rows of access: operators, their sessions, sign-ins under way, and those that did not succeed. */
import type { Generated } from 'kysely';
import type { Nullable, Timestamp } from '../../base/db/database.ts';
import type { RefusedWay } from './refusals.ts';
import type { Role, Verb } from './role.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    console_operator: ConsoleOperatorTable;
    console_right: ConsoleRightTable;
    console_session: ConsoleSessionTable;
    console_oidc_flow: ConsoleOidcFlowTable;
    console_attempt: ConsoleAttemptTable;
    console_refusal: ConsoleRefusalTable;
    console_token_link: ConsoleTokenLinkTable;
    console_trust: ConsoleTrustTable;
  }
}

/** A person or a program that may use the console. */
export interface ConsoleOperatorTable {
  organisation_id: string;
  id: string;
  /** Unique, and what the audit log shows. */
  name: string;
  /** Null: entered for an installation of several organisations, with rights for some of them. */
  role: Nullable<Role>;
  /** SHA-256 of the token; null for people who sign in at the identity provider only. */
  token_hash: Nullable<Buffer>;
  /** Set where there is a token. */
  token_ends_at: Nullable<Date>;
  /** To the minute; null: it was not used yet. */
  token_used_at: Nullable<Date>;
  /** Null: a person, who may do what their role says. */
  may: Nullable<Verb[]>;
  email: Nullable<string>;
  /** Issuer and subject of the provider's account, bound at the first sign-in. */
  oidc_subject: Nullable<string>;
  created_at: Timestamp;
  created_by: string;
  changed_at: Timestamp;
}

/** A right for an organisation, of somebody who is entered elsewhere. */
export interface ConsoleRightTable {
  organisation_id: string;
  /** Where the operator is entered. */
  home: string;
  operator_id: string;
  /** Of the operator. */
  name: string;
  role: Role;
  created_at: Timestamp;
  created_by: string;
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
  /** Whether the database itself saw what proved it. */
  is_proven: Generated<boolean>;
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
  /** SHA-256 of the address from which it began; null: by the version before. */
  address_hash: Nullable<Buffer>;
  expires_at: Timestamp;
}

interface ConsoleAttemptTable {
  organisation_id: string;
  /** SHA-256 of whom the attempt is counted against. */
  key_hash: Buffer;
  failures: number;
  window_started_at: Timestamp;
}

/** Sign-ins and tokens that were refused. */
interface ConsoleRefusalTable {
  organisation_id: string;
  minute: Timestamp;
  address: string;
  way: RefusedWay;
  count: number;
}

/** A link by which somebody makes their token, once. */
interface ConsoleTokenLinkTable {
  /** SHA-256 of what the link ends in. */
  link_hash: Buffer;
  organisation_id: string;
  operator_id: string;
  made_by: string;
  expires_at: Timestamp;
  token_ends_at: Timestamp;
}

/** What a console with a database role of its own is believed about rights. */
interface ConsoleTrustTable {
  organisation_id: string;
  console_token_hash: Nullable<Buffer>;
  trusts_provider: Generated<boolean>;
}
