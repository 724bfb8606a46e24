/** Tables, and the link to their next page. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

interface Column {
  readonly heading: string;
  readonly numeric?: boolean;
  /** Where the list in the order of this column is, and whether it is in that order. */
  readonly sort?: { readonly href: string; readonly is: 'ascending' | 'descending' | undefined };
}

/** A column of numbers. */
export function numeric(heading: string): Column {
  return { heading, numeric: true };
}

/**
 * Columns of a list that the server sorts: a heading leads to the list in its order, and from there to the reverse.
 *
 * @param current the order of the list, with a minus where it runs from the largest or latest
 */
export function sortLinks(
  current: string,
  hrefOf: (sort: string) => string,
): (heading: string, first: string, isNumeric?: boolean) => Column {
  return (heading, first, isNumeric = false) => {
    const word = first.replace('-', '');
    const isSorted = current.replace('-', '') === word;
    const reverse = first.startsWith('-') ? word : `-${word}`;
    const next = isSorted && current === first ? reverse : first;
    const direction = current.startsWith('-') ? 'descending' : 'ascending';
    return {
      heading,
      numeric: isNumeric,
      sort: { href: hrefOf(next), is: isSorted ? direction : undefined },
    };
  };
}

export interface Table {
  /** What it holds, for people who do not see it. */
  readonly label: string;
  readonly columns: readonly (string | Column)[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly HtmlValue[])[];
}

/** The table. On a phone its cells are below each other, each behind the heading of its column. */
export function table({ label, columns, rows }: Table): Html {
  const heads: readonly Column[] = columns.map((column) =>
    typeof column === 'string' ? { heading: column } : column,
  );
  // The page's script leaves an order of the server alone.
  const isSorted = heads.some(({ sort }) => sort !== undefined);
  const kind = (index: number): Html | false =>
    heads[index]?.numeric === true && html` class="number"`;
  const named = (index: number): Html | false => {
    const heading = heads[index]?.heading ?? '';
    return heading !== '' && html` data-label="${heading}"`;
  };
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}"><table${isSorted && html` data-sorts="yes"`}>
<thead><tr>${heads.map(({ heading, sort }, index) => html`<th scope="col"${kind(index)}${sort?.is !== undefined && html` aria-sort="${sort.is}"`}>${sort === undefined ? heading : html`<a class="sort" href="${sort.href}">${heading}</a>`}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...others]) =>
      html`<tr><th scope="row">${first}</th>${others.map((cell, index) => html`<td${kind(index + 1)}${named(index + 1)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** A table whose cells say what they are by themselves: on a phone no heading comes before them. */
export function stackedTable(content: Table): Html {
  return html`<div class="stacked">${table(content)}</div>`;
}

/** Where the list continues, or nothing. */
export function nextPage(
  path: string,
  query: Readonly<Record<string, string | null>>,
): Html | false {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== null) text.set(name, value);
  if (query['cursor'] === null) return false;
  return html`<p><a class="button plain" rel="next" href="${path}?${text.toString()}">Next page</a></p>`;
}

/** Links that filter a list. */
export function tabLinks(
  label: string,
  current: string,
  entries: readonly (readonly [name: string, text: string, href: string])[],
): Html {
  return html`<nav aria-label="${label}"><ul class="tabs">${entries.map(
    ([name, text, href]) =>
      html`<li><a href="${href}"${name === current && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`;
}
