/**
 * Addresses where there are several organisations: those of one begin with its name, and everything else is the same.
 * Pages and redirects are written as if theirs were the only one; here they get its name on the way out.
 */

/** What is of no single organisation: who signs in, what pages load, the page of all. */
const OF_ALL = /^\/(?:[/\\]|(?:assets|login|logout|confirm|token|organisations)(?=[/?#]|$))/;

/** Where addresses are in a page. */
const IN_PAGE = / (href|action|formaction|hx-get|hx-post)="(\/[^"]*)"/g;

/** An address of this site from the pages under `base`; empty text: there is one organisation. */
export function addressWithin(base: string, path: string): string {
  return base === '' || OF_ALL.test(path) ? path : `${base}${path}`;
}

/** The same for every address in a page. Whatever people wrote is escaped in it, and no attribute. */
export function documentWithin(base: string, document: string): string {
  if (base === '') return document;
  return document.replaceAll(
    IN_PAGE,
    (_all, attribute: string, path: string) => ` ${attribute}="${addressWithin(base, path)}"`,
  );
}

/** A request's path as its organisation's pages know it. */
export function pathOfOrganisation(path: string): string {
  const rest = /^\/organisations\/[^/]+(\/.*)?$/.exec(path);
  return rest === null ? path : (rest[1] ?? '/');
}
