/** Parts that capabilities add to the console's own pages. */
import type { Html } from '../../base/kernel/html.ts';
import { CAPABILITY_PAGES } from '../../capabilities/pages.ts';
import type { ShownSearch } from '../../surface/web/search-page.ts';
import type { Visit } from '../../surface/web/visit.ts';

/** What stands above the list of a page that searches. */
export async function aboveSearch(visit: Visit, search: ShownSearch): Promise<readonly Html[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ aboveSearch: part }) => part?.(visit, search) ?? []),
  );
}

/** Where pages keep how each person wants them; undefined: nothing is kept. */
export const keeping = CAPABILITY_PAGES.find((pages) => pages.keeping !== undefined)?.keeping;
