/** Rows of files beside an alert. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import { bytes, describeTable, moment, number, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    review_attachment: RowOf<typeof reviewAttachment>;
  }
}

export const reviewAttachment = describeTable({
  name: 'review_attachment',
  purpose: 'files beside an alert',
  keep: CASE_DAYS,
  old: 'at',
  isFileOfAlert: true,
  columns: {
    id: text(),
    alert_id: text(),
    operator: text(),
    file_name: text().personal,
    /** Of the file as it came; a sealed body is a little longer. */
    byte_count: number(),
    body: bytes().sealed,
    /** The key it is sealed under; null: as it came. */
    key_id: text().nullable,
    at: moment(),
  },
});

export type ReviewAttachment = Selectable<RowOf<typeof reviewAttachment>>;
