/** Rows of the reviews: who looks at a held case, and what was said about it. */
import type { Identity, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    review_claim: ReviewClaimTable;
    review_comment: ReviewCommentTable;
    review_attachment: ReviewAttachmentTable;
    review_mention: ReviewMentionTable;
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

/** A file beside an alert. */
export interface ReviewAttachmentTable {
  organisation_id: string;
  id: string;
  alert_id: string;
  operator: string;
  file_name: string;
  /** Of the file as it came; a sealed body is a little longer. */
  byte_count: number;
  body: Buffer;
  /** The key it is sealed under; null: as it came. */
  key_id: Nullable<string>;
  at: Timestamp;
}

/** Somebody who was called into a comment. */
export interface ReviewMentionTable {
  organisation_id: string;
  comment_id: number;
  alert_id: string;
  operator: string;
  mentioned_by: string;
  at: Timestamp;
  seen_at: NullableTimestamp;
}
