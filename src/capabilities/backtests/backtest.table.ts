/** Rows of backtests: a policy tried on past decisions off the request. */
import type {
  Defaulted,
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from '../../base/db/database.ts';
import type { BacktestReport } from './backtest-report.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    backtest: BacktestTable;
  }
}

/** `STOPPED`: by a person. The last three are final. */
export type BacktestState = 'WAITING' | 'RUNNING' | 'DONE' | 'FAILED' | 'STOPPED';

export interface BacktestTable {
  organisation_id: string;
  id: string;
  requested_by: string;
  requested_at: Timestamp;
  policy_name: string;
  policy_version: string;
  /** The text that is tried. */
  source: string;
  /** The lists and the rate table it names. */
  files: Json<Readonly<Record<string, string>>>;
  /** Null: compared with what was decided then. */
  against_version: Nullable<string>;
  decided_from: Timestamp;
  decided_before: Timestamp;
  state: Defaulted<BacktestState>;
  /** Decisions replayed so far, and how many there are. */
  replayed: Defaulted<number>;
  total: Nullable<number>;
  result: NullableJson<BacktestReport>;
  /** Why it failed, with the next step. */
  fault: Nullable<string>;
  finished_at: NullableTimestamp;
}
