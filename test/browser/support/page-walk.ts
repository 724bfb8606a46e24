/**
 * Every page of the console, found by its routes: whoever adds a page adds it to the tests and to the pictures. One address
 * for each route is found by following links from Today, as a person would.
 */
import type { Router } from 'express';
import { createPages, ORGANISATION_PAGES } from '../../../src/people/console/pages.ts';
import { registerSignIn } from '../../../src/surface/access/sign-in.ts';

/** Routes that answer with something else than a page. */
const NO_PAGES: ReadonlySet<string> = new Set([
  '/health',
  '/alerts.csv',
  '/credits.csv',
  '/exports/refunds.csv',
  '/exports/audit.csv',
  '/alerts/:id/files/:file',
  '/representments/:id/pack.html',
  '/representments/:id/pack.pdf',
  '/representments/disputes/:reference/response.pdf',
  // A file that is downloaded, and pages as pictures: those that show them are looked at.
  '/representments/disputes/:reference/files/:slot',
  '/representments/disputes/:reference/files/:slot/pages/:page',
  '/representments/documents/:id/pages/:page',
  // Its link is told to one person, outside the console.
  '/token/:link',
]);

/** The routes of all pages. Only registered, never called. */
export function pageRoutes(): string[] {
  const pages = [registerSignIn, ...ORGANISATION_PAGES];
  const router: Router = createPages({ options: {}, auth: {} } as never, pages);
  return router.stack
    .flatMap(({ route }) => (route === undefined ? [] : [route]))
    .filter(({ stack }) => stack.some(({ method }) => method === 'get'))
    .map(({ path }) => path)
    .filter((path) => !NO_PAGES.has(path));
}

const PATTERNS = pageRoutes().map((route) => ({
  route,
  pattern: new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`),
  isExact: !route.includes(':'),
}));

/** The route of the page that an address shows. */
export function routeOf(address: string): string | undefined {
  const [path = ''] = address.split('?');
  const fitting = PATTERNS.filter(({ pattern }) => pattern.test(path));
  return (fitting.find(({ isExact }) => isExact) ?? fitting[0])?.route;
}

/** Reads a page as text. */
export type ReadPage = (path: string) => Promise<string>;

/**
 * One address for each route.
 *
 * @param known addresses of pages that no link leads to: what a form opens
 * @returns the addresses by route; a route that nothing leads to has none
 */
export async function walkPages(
  read: ReadPage,
  known: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const left: string[] = [];
  const note = (address: string): void => {
    const route = routeOf(address);
    if (route === undefined || found.has(route)) return;
    found.set(route, address);
    left.push(address);
  };
  for (const address of ['/', ...known]) note(address);
  for (let address = left.shift(); address !== undefined; address = left.shift()) {
    const text = await read(address);
    for (const [, href = ''] of text.matchAll(/ href="(\/[^"#]*)/g)) {
      note(href.replaceAll('&amp;', '&'));
    }
  }
  return found;
}
