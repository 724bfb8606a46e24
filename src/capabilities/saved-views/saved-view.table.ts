/** Rows of saved views: a name for a query of a page, one operator's own or shared by them. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedFlag,
  defaultedText,
  describeTable,
  identity,
  moment,
  text,
} from '../../base/db/described-table.ts';
import type { SearchPath } from '../../surface/web/search-page.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    saved_view: RowOf<typeof savedView>;
  }
}

export const savedView = describeTable({
  name: 'saved_view',
  purpose: 'searches that people keep',
  keep: 'current',
  columns: {
    id: identity(),
    operator: text(),
    name: text().personal,
    /** The query string, as it is behind the question mark. */
    query: text().personal,
    created_at: moment(),
    page: defaultedText<SearchPath>(),
    is_shared: defaultedFlag(),
  },
});

export type SavedView = Selectable<RowOf<typeof savedView>>;
