/** Rows of people who were called into a comment. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, moment, number, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    review_mention: RowOf<typeof reviewMention>;
  }
}

export const reviewMention = describeTable({
  name: 'review_mention',
  purpose: 'who was called into a comment',
  keep: CASE_DAYS,
  old: 'at',
  numbers: { comment_id: 'review_comment.id' },
  columns: {
    comment_id: number(),
    alert_id: text(),
    /** Who is called. */
    operator: text(),
    mentioned_by: text(),
    at: moment(),
    seen_at: moment().nullable,
  },
});

export type ReviewMention = Selectable<RowOf<typeof reviewMention>>;
