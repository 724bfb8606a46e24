/** The pages that search, and their query as each writes it itself: what a person keeps, sends or comes back to. */
import type { Html } from '../../base/kernel/html.ts';
import { alertsText } from './alerts-query.ts';
import { alertSearchQuery, read } from './query.ts';
import { filterText, reviewQuery } from './review-query.ts';
import type { Visit } from './visit.ts';

export const SEARCH_PATHS = ['/alerts', '/reviews'] as const;
export type SearchPath = (typeof SEARCH_PATHS)[number];

/** A search that a page shows. */
export interface ShownSearch {
  readonly path: SearchPath;
  /** What stands behind the question mark. */
  readonly query: string;
  /** It is not the page as it opens. */
  readonly isFiltered: boolean;
}

/** A part of such a page, above its list. */
export type AboveSearch = (visit: Visit, search: ShownSearch) => Promise<Html>;

/** The query as its page writes it; undefined when the page does not know it. */
export function searchText(path: SearchPath, given: string): string | undefined {
  const fields = Object.fromEntries(new URLSearchParams(given));
  if (path === '/reviews') {
    const query = read(reviewQuery, fields);
    return query.ok ? filterText(query.value) : undefined;
  }
  const query = read(alertSearchQuery, fields);
  return query.ok ? alertsText(query.value) : undefined;
}
