/** Rows of the daily report on what the shadow would have done. */
import type { Json, Timestamp } from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    shadow_report: ShadowReportTable;
  }
}

export interface ShadowReportTable {
  organisation_id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  report: Json<unknown>;
  created_at: Timestamp;
}
