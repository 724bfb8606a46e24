/** Rows of the reviews: who looks at a held case, and what was said about it. */
import type { Identity, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    review_claim: ReviewClaimTable;
    review_comment: ReviewCommentTable;
  }
}

export interface ReviewClaimTable {
  organisation_id: string;
  alert_id: string;
  operator: string;
  claimed_at: Timestamp;
  claimed_until: Timestamp;
}

export interface ReviewCommentTable {
  id: Identity;
  organisation_id: string;
  alert_id: string;
  operator: string;
  /** Free text of a person: never copied into the audit log. */
  text: string;
  at: Timestamp;
}
