/** Rows of judgements: what was said about each alert, lookup, notice and dispute when it was first judged. */
import type { Subject, Verdict } from '../../alerts/evidence/payment.ts';
import type { RowOf } from '../../base/db/described-table.ts';
import { defaultedTexts, describeTable, moment, text } from '../../base/db/described-table.ts';
import { CASE_DAYS } from '../../base/db/table-entry.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    evidence_judgement: RowOf<typeof evidenceJudgement>;
  }
}

export const evidenceJudgement = describeTable({
  name: 'evidence_judgement',
  purpose: 'which disputes qualified as evidence, and why not',
  keep: CASE_DAYS,
  old: 'judged_at',
  references: ['charge_reference'],
  columns: {
    subject: text<Subject['kind']>(),
    subject_id: text(),
    charge_reference: text(),
    judged_at: moment(),
    ce3: text<Verdict>(),
    fpt: text<Verdict>(),
    ce3_why: text(),
    fpt_why: text(),
    ce3_missing: defaultedTexts(),
    fpt_missing: defaultedTexts(),
  },
});
