/** Rows of reports, one a UTC day. */

import type { ReconcileReport } from '../../alerts/reconcile/report.ts';
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, json, moment, text } from '../../base/db/described-table.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    daily_report: RowOf<typeof dailyReportTable>;
  }
}

export const dailyReportTable = describeTable({
  name: 'daily_report',
  purpose: 'each day in figures',
  keep: 'ledger',
  columns: {
    /** `YYYY-MM-DD`, UTC. */
    day: text(),
    made_at: moment(),
    report: json<ReconcileReport>().personal,
  },
});
