/** Rows of backtests: a policy tried on past decisions off the request. */
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedNumber,
  defaultedText,
  describeTable,
  json,
  moment,
  number,
  text,
} from '../../base/db/described-table.ts';
import type { BacktestReport } from './backtest-report.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    backtest: RowOf<typeof backtestTable>;
  }
}

/** `STOPPED`: by a person. The last three are final. */
export type BacktestState = 'WAITING' | 'RUNNING' | 'DONE' | 'FAILED' | 'STOPPED';

export const backtestTable = describeTable({
  name: 'backtest',
  purpose: 'policies tried on the past, the newest fifty',
  keep: 'current',
  documents: ['source', 'files'],
  columns: {
    id: text(),
    requested_by: text(),
    requested_at: moment(),
    policy_name: text().personal,
    policy_version: text(),
    /** The text that is tried. */
    source: text().personal,
    /** The lists and the rate table it names. */
    files: json<Readonly<Record<string, string>>>().personal,
    /** Null: compared with what was decided then. */
    against_version: text().nullable,
    decided_from: moment(),
    decided_before: moment(),
    state: defaultedText<BacktestState>(),
    /** From before it was a job; nothing writes it any more. */
    lease_owner: text().nullable,
    /** Decisions replayed so far, and how many there are. */
    replayed: defaultedNumber(),
    total: number().nullable,
    result: json<BacktestReport>().personal.nullable,
    /** Why it failed, with the next step. */
    fault: text().personal.nullable,
    finished_at: moment().nullable,
  },
});

export type BacktestTable = RowOf<typeof backtestTable>;
