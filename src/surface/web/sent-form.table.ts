/** Forms that people sent, each under the id that its page gave it. */
import type { NullableTimestamp, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    console_sent: ConsoleSentTable;
  }
}

/**
 * The outcome of a form. `BEGUN`: it is under way, or the process ended before it said more. `FAILED`: it broke off here.
 * `WITHDRAWN`: somebody asked before it came, and it is refused when it comes.
 */
export type SentState = 'BEGUN' | 'DONE' | 'REFUSED' | 'FAILED' | 'WITHDRAWN';

interface ConsoleSentTable {
  organisation_id: string;
  id: string;
  operator: string;
  state: SentState;
  begun_at: Timestamp;
  ended_at: NullableTimestamp;
}
