/** Rows of packs that people sent: which version, what it cited, and the outcome. Its words are not stored. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import { describeTable, json, moment, number, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';
import type { RowRef } from './claim.ts';
import type { ElementName } from './pack-rules.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    representment_pack: RowOf<typeof representmentPack>;
  }
}

export const representmentPack = describeTable({
  name: 'representment_pack',
  purpose: 'what was sent for a contested dispute: its hash, not its words',
  keep: CASE_DAYS,
  old: 'sent_at',
  columns: {
    representment_id: text(),
    /** From 1; each version sent says something else than the others. */
    version: number(),
    reason_code: text(),
    pack_rule: text(),
    content_hash: text(),
    cited: json<readonly RowRef[]>().personal,
    /** Required elements that it lacked. */
    missing: json<readonly ElementName[]>().personal,
    /** As the service named it when it was sent. */
    due_by: moment().nullable,
    sent_at: moment(),
    sent_by: text(),
    /** Through which portal or interface. */
    sent_through: text().nullable,
    note: text().personal.nullable,
    /** The dispute's status when it was no longer open. */
    outcome: text().nullable,
    outcome_at: moment().nullable,
  },
});

export type SentPack = Selectable<RowOf<typeof representmentPack>>;
