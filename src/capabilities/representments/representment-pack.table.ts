/** Rows of packs that people sent: which version, what it cited, and what came of it. Its words are not stored. */
import type { Selectable } from 'kysely';
import type { Json, Nullable, NullableTimestamp, Timestamp } from '../../base/db/database.ts';
import type { RowRef } from './claim.ts';
import type { ElementName } from './pack-rules.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    representment_pack: RepresentmentPackTable;
  }
}

export interface RepresentmentPackTable {
  organisation_id: string;
  representment_id: string;
  /** From 1; each version sent says something else than the others. */
  version: number;
  reason_code: string;
  pack_rule: string;
  content_hash: string;
  cited: Json<readonly RowRef[]>;
  /** Required elements that it lacked. */
  missing: Json<readonly ElementName[]>;
  /** As the service named it when it was sent. */
  due_by: NullableTimestamp;
  sent_at: Timestamp;
  sent_by: string;
  /** Through which portal or interface. */
  sent_through: Nullable<string>;
  note: Nullable<string>;
  /** The dispute's status when it was no longer open. */
  outcome: Nullable<string>;
  outcome_at: NullableTimestamp;
}

export type SentPack = Selectable<RepresentmentPackTable>;
