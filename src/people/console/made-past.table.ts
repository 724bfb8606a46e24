/** Which days of a demonstration were made up. */
import type { Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    made_past: MadePastTable;
  }
}

interface MadePastTable {
  organisation_id: string;
  from_at: Timestamp;
  until_at: Timestamp;
}
