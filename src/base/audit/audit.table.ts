/** Rows of the audit log: every step of every case, refund and declaration, append-only. */
import type { Identity, Json, Nullable, Timestamp } from '../db/database.ts';

declare module '../db/database.ts' {
  interface Database {
    audit: AuditTable;
  }
}

export type AuditSubject =
  | 'case'
  /** Written before there was a ledger. */
  | 'refund'
  | 'movement'
  | 'dispute'
  | 'declaration'
  | 'event'
  | 'order'
  | 'policy'
  | 'operator'
  | 'system';

export interface AuditTable {
  id: Identity;
  organisation_id: string;
  at: Timestamp;
  subject: AuditSubject;
  subject_id: string;
  alert_id: Nullable<string>;
  /** `forestall`, `operator:<name>`, `service` or `processor`. */
  actor: string;
  what: string;
  from_state: Nullable<string>;
  to_state: Nullable<string>;
  /** Ids, codes and amounts only; never card data, addresses or free text of a customer. */
  detail: Json<Record<string, unknown>>;
}
