/** Parts that capabilities add to the console's own pages. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { CAPABILITY_PAGES } from '../../capabilities/pages.ts';
import type { FiguresOfMonth, OfMonth } from '../../surface/of-month.ts';
import type { PolicyPart, ShownPolicies } from '../../surface/on-policies.ts';
import type { BelowCase, SeveralAct, ShownCase } from '../../surface/on-reviews.ts';
import type { OnToday, RecentTime } from '../../surface/on-today.ts';
import type { ShownSearch } from '../../surface/web/search-page.ts';
import type { Visit } from '../../surface/web/visit.ts';

/** What is above the list of a page that searches. */
export async function aboveSearch(visit: Visit, search: ShownSearch): Promise<readonly Html[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ aboveSearch: part }) => part?.(visit, search) ?? []),
  );
}

/** Where pages keep how each person wants them; undefined: nothing is kept. */
export const keeping = CAPABILITY_PAGES.find((pages) => pages.keeping !== undefined)?.keeping;

/** What capabilities say on the page of one alert, a section each. */
export async function onAlert(visit: Visit, alertId: string): Promise<readonly Html[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ onAlert: part }) => part?.(visit, alertId) ?? []),
  );
}

/** What capabilities say below a case. */
export async function belowCase(visit: Visit, shown: ShownCase): Promise<readonly BelowCase[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ belowCase: part }) => part?.(visit, shown) ?? []),
  );
}

/** What capabilities can do with several reviews at once. */
export const severalActs: readonly SeveralAct[] = CAPABILITY_PAGES.flatMap(
  ({ onSeveral = [] }) => onSeveral,
);

/** What capabilities have for this person to look at. */
export async function forPerson(visit: Visit): Promise<readonly HtmlValue[]> {
  return await Promise.all(CAPABILITY_PAGES.flatMap(({ forPerson: part }) => part?.(visit) ?? []));
}

/** What capabilities say on the page of orders. */
export async function onOrders(visit: Visit): Promise<readonly HtmlValue[]> {
  return await Promise.all(CAPABILITY_PAGES.flatMap(({ onOrders: part }) => part?.(visit) ?? []));
}

/** What capabilities say on today's page of the outcome of alerts lately. */
export async function onToday(visit: Visit, recent: RecentTime): Promise<readonly OnToday[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ onToday: part }) => part?.(visit, recent) ?? []),
  );
}

/** What capabilities say of a month. */
export async function ofMonth(visit: Visit, month: FiguresOfMonth): Promise<readonly OfMonth[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ ofMonth: part }) => part?.(visit, month) ?? []),
  );
}

/** What capabilities add to the page of policies, or of one version. */
export async function onPolicies(
  visit: Visit,
  shown: ShownPolicies,
): Promise<readonly PolicyPart[]> {
  return await Promise.all(
    CAPABILITY_PAGES.flatMap(({ onPolicies: part }) => part?.(visit, shown) ?? []),
  );
}

/** What of capabilities waits for this person as the second of two, a line each. */
export async function forSecondPerson(visit: Visit, limit: number): Promise<readonly Html[]> {
  const lines = await Promise.all(
    CAPABILITY_PAGES.flatMap(({ forSecondPerson: part }) => part?.(visit, limit) ?? []),
  );
  return lines.flat();
}

/** Links to pages of capabilities that the page of this path shows. */
export function linksOn(
  path: string,
): readonly { readonly path: string; readonly label: string }[] {
  return CAPABILITY_PAGES.flatMap(({ linkedFrom = {} }) => linkedFrom[path] ?? []);
}
