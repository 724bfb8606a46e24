/** The pages that search, and their query as each writes it itself: what a person keeps, sends or comes back to. */
import type { Html } from '../../base/kernel/html.ts';
import { alertsPageQuery, alertsText } from './alerts-query.ts';
import { read } from './query.ts';
import { filterText, reviewQuery } from './review-query.ts';
import type { Visit } from './visit.ts';

export const SEARCH_PATHS = ['/alerts', '/reviews'] as const;
export type SearchPath = (typeof SEARCH_PATHS)[number];

/** A search that a page shows. */
export interface ShownSearch {
  readonly path: SearchPath;
  /** What follows the question mark. */
  readonly query: string;
  /** It is not the page as it opens. */
  readonly isFiltered: boolean;
}

/** A part of such a page, above its list. */
export type AboveSearch = (visit: Visit, search: ShownSearch) => Promise<Html>;

/** What a page keeps for each person, under a name of ours that begins with a blank. */
export interface Keeping {
  /** Undefined: nothing was kept yet. */
  read(visit: Visit, name: ` ${string}`): Promise<string | undefined>;
  write(visit: Visit, kept: { readonly name: ` ${string}`; readonly query: string }): Promise<void>;
}

/** The query as its page writes it; undefined when the page does not know it. */
export function searchText(path: SearchPath, given: string): string | undefined {
  const fields = Object.fromEntries(new URLSearchParams(given));
  if (path === '/reviews') {
    const query = read(reviewQuery, fields);
    return query.ok ? filterText(query.value) : undefined;
  }
  const query = read(alertsPageQuery, fields);
  return query.ok ? alertsText(query.value) : undefined;
}
