/** The count of a night, one row an organisation: a year of alerts is not read again for each page. */
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, json, moment, text } from '../../base/db/described-table.ts';
import type { KeptSegment } from './kept-economics.store.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    measured_cost: RowOf<typeof measuredCostTable>;
  }
}

/** As it is in the row: its times are ISO 8601. */
export interface StoredReport {
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly whole: KeptSegment | null;
  readonly segments: readonly KeptSegment[];
  readonly leftOut: number;
}

export const measuredCostTable = describeTable({
  name: 'measured_cost',
  purpose: 'what refunding and accepting cost, as counted last night',
  keep: 'current',
  columns: { counted_at: moment(), model: text(), report: json<StoredReport>() },
});
