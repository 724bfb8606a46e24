/** Rows of saved views: a name for a query of the alerts page, one operator's own. */
import type { Identity, Timestamp } from '../../base/db/column-types.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    saved_view: SavedViewTable;
  }
}

export interface SavedViewTable {
  id: Identity;
  organisation_id: string;
  operator: string;
  name: string;
  /** The query string, as it stands behind the question mark. */
  query: string;
  created_at: Timestamp;
}
