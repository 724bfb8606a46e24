/** Rows of lookups that are counted by the day. */
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, moment, number, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    lookup_day: RowOf<typeof lookupDay>;
  }
}

/** Lookups created on a day that is over, UTC. Empty text means null. */
export const lookupDay = describeTable({
  name: 'lookup_day',
  purpose: 'lookups by the day, for charts',
  keep: CASE_DAYS,
  old: 'day',
  columns: {
    day: moment(),
    type: text(),
    lookup_status: text(),
    deflection_status: text(),
    currency: text(),
    count: number(),
    amount_minor: number(),
  },
});
