/** Rows of saved views: a name for a query of a page, one operator's own or shared by them. */
import type { Defaulted, Identity, Timestamp } from '../../base/db/database.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    saved_view: SavedViewTable;
  }
}

export type SearchPage = '/alerts' | '/reviews';

export interface SavedViewTable {
  id: Identity;
  organisation_id: string;
  operator: string;
  name: string;
  /** The query string, as it stands behind the question mark. */
  query: string;
  created_at: Timestamp;
  page: Defaulted<SearchPage>;
  is_shared: Defaulted<boolean>;
}
