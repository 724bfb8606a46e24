/** Rows of declarations: what we told the service about an alert, and what came of it. */
import { columnsOf } from '../../base/db/columns.ts';
import type { Defaulted, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    declaration: DeclarationTable;
  }
}

/**
 * DUE: to be sent. SENT: sent at least once, result not known. DONE: the alert shows our outcome.
 * ELSEWHERE: resolved by somebody else. REFUSED: the service will not take it.
 */
export type DeclarationState = 'DUE' | 'SENT' | 'DONE' | 'ELSEWHERE' | 'REFUSED';

export interface DeclarationTable {
  organisation_id: string;
  alert_id: string;
  action: 'REFUND' | 'ACCEPT_DISPUTE';
  note: string;
  movement_id: Nullable<string>;
  /** An `ACCEPT_DISPUTE` although this much went back: a person was shown the sum. */
  despite_minor: Defaulted<number>;
  state: DeclarationState;
  attempts: Defaulted<number>;
  first_sent_at: NullableTimestamp;
  last_sent_at: NullableTimestamp;
  settled_at: NullableTimestamp;
  remote_outcome: Nullable<string>;
  created_at: Timestamp;
  changed_at: Timestamp;
}

export const DECLARATION_COLUMNS = columnsOf<DeclarationTable>()(
  'organisation_id alert_id action note movement_id despite_minor state attempts first_sent_at last_sent_at',
  'settled_at remote_outcome created_at changed_at',
);
