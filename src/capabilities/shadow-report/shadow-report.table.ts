/** Rows of the daily report on the shadow. */
import type { RowOf } from '../../base/db/described-table.ts';
import { day, describeTable, json, moment } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    shadow_report: RowOf<typeof shadowReportTable>;
  }
}

export const shadowReportTable = describeTable({
  name: 'shadow_report',
  purpose: 'each day of a shadow policy in figures',
  keep: CASE_DAYS,
  old: 'created_at',
  columns: {
    /** `YYYY-MM-DD`, UTC. */
    day: day(),
    report: json().personal,
    created_at: moment(),
  },
});
