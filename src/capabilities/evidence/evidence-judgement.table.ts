/** Rows of judgements: what was said about each alert, lookup, notice and dispute when it was first judged. */

import type { Subject, Verdict } from '../../alerts/evidence/payment.ts';
import type { Defaulted, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    evidence_judgement: EvidenceJudgementTable;
  }
}

export interface EvidenceJudgementTable {
  organisation_id: string;
  subject: Subject['kind'];
  subject_id: string;
  charge_reference: string;
  judged_at: Timestamp;
  ce3: Verdict;
  fpt: Verdict;
  ce3_why: string;
  fpt_why: string;
  ce3_missing: Defaulted<string[]>;
  fpt_missing: Defaulted<string[]>;
}
