/** Links to pages that may not be there: who leaves a capability out has no page of it, and no link to one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

/** Whether a console has a page, by its path as it is registered: `/charges/:reference`. */
export type OffersPage = (page: string) => boolean;

const current = new AsyncLocalStorage<OffersPage>();

/** Makes a page of a console that offers these pages. */
export async function withPages(offers: OffersPage, make: () => Promise<void>): Promise<void> {
  await current.run(offers, make);
}

/** Whether the console whose page is made now offers this page too; everything where none is made. */
export function isOffered(page: string): boolean {
  return current.getStore()?.(page) ?? true;
}

/**
 * The words as a link; alone where the page is not offered.
 *
 * @param values of the parts of its path that begin with a colon
 */
export function pageLink(
  page: string,
  words: HtmlValue,
  values: Readonly<Record<string, string>> = {},
): Html {
  return isOffered(page) ? html`<a href="${pagePath(page, values)}">${words}</a>` : html`${words}`;
}

/** The address of one of the pages that are registered so. */
export function pagePath(page: string, values: Readonly<Record<string, string>>): string {
  return page.replaceAll(/:(\w+)/g, (_part, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
