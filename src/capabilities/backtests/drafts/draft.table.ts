/** Rows of policies that are written in the console. */
import type { RowOf } from '../../../base/db/described-table.ts';
import {
  defaultedText,
  describeTable,
  json,
  moment,
  text,
  texts,
} from '../../../base/db/described-table.ts';

declare module '../../../base/db/database.ts' {
  interface Database {
    policy_draft: RowOf<typeof policyDraft>;
  }
}

/** The last two are final. */
export type DraftState = 'DRAFT' | 'ACTIVE' | 'DISCARDED';

export const policyDraft = describeTable({
  name: 'policy_draft',
  purpose: 'policies written in the console, and who put them in force',
  keep: 'ledger',
  documents: ['source', 'files'],
  columns: {
    id: text(),
    name: text().personal,
    source: text().personal,
    /** The lists and rates it names. */
    files: json<Readonly<Record<string, string>>>().personal,
    /** The version that these texts come to; null: the checks found something wrong. */
    version: text().nullable,
    /** The version in force that it was written against. */
    based_on: text().nullable,
    state: defaultedText<DraftState>(),
    created_at: moment(),
    changed_at: moment(),
    /** Everybody who wrote at it. */
    authors: texts(),
    activated_by: text().nullable,
    activated_at: moment().nullable,
  },
});

export type PolicyDraftTable = RowOf<typeof policyDraft>;
