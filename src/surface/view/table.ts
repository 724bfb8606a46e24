/** Tables, and the link to their next page. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

interface Column {
  readonly heading: string;
  readonly numeric?: boolean;
}

/** A column of numbers. */
export function numeric(heading: string): Column {
  return { heading, numeric: true };
}

export interface Table {
  /** What it holds, for people who do not see it. */
  readonly label: string;
  readonly columns: readonly (string | Column)[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly HtmlValue[])[];
}

/** The table. On a phone its cells stand below each other, each behind the heading of its column. */
export function table({ label, columns, rows }: Table): Html {
  const heads = columns.map((column) =>
    typeof column === 'string' ? { heading: column, numeric: false } : column,
  );
  const kind = (index: number): Html | false =>
    heads[index]?.numeric === true && html` class="number"`;
  const named = (index: number): Html | false => {
    const heading = heads[index]?.heading ?? '';
    return heading !== '' && html` data-label="${heading}"`;
  };
  return html`<div class="table" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${heads.map(({ heading }, index) => html`<th scope="col"${kind(index)}>${heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first, ...others]) =>
      html`<tr><th scope="row">${first}</th>${others.map((cell, index) => html`<td${kind(index + 1)}${named(index + 1)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** A table whose cells say what they are by themselves: on a phone no heading stands before them. */
export function stackedTable(of: Table): Html {
  return html`<div class="stacked">${table(of)}</div>`;
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
