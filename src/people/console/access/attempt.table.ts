/** Rows of sign-ins that did not succeed. */
import type { Timestamp } from '../../../base/db/column-types.ts';

declare module '../../../base/db/database.ts' {
  interface Database {
    console_attempt: ConsoleAttemptTable;
  }
}

export interface ConsoleAttemptTable {
  organisation_id: string;
  /** SHA-256 of whom the attempt is counted against. */
  key_hash: Buffer;
  failures: number;
  window_started_at: Timestamp;
}
