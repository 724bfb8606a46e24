/** What the pages are made of: facts, rows that open, texts to copy. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { codeWords, plainCode, reasonAlone } from '../../service/wire/code-words.ts';

/** Rows shown per list, the newest first. */
const ROWS_MAX = 25;

/** The newest of a list, newest first. */
export function newest<Item>(items: Iterable<Item>): readonly Item[] {
  return [...items].slice(-ROWS_MAX).reverse();
}

/** Names and values; what is not there is left out. */
export function facts(entries: readonly (readonly [string, HtmlValue])[]): Html {
  const known = entries.filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const pairs = known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return pairs.length === 0 ? html`` : html`<dl class="facts">${pairs}</dl>`;
}

/** A text that is there to be copied. The button comes from the script; one click marks it all. */
export function copyable(name: string, text: string): Html {
  return html`<div class="copy"><span class="name">${name}</span>
<code data-copy="${name}">${text}</code></div>`;
}

/** JSON as people read it; other text as it is. */
export function prettyJson(text: string | null | undefined, label: string): Html {
  if (text === null || text === undefined || text === '') return html`<p class="quiet">None.</p>`;
  return html`<pre tabindex="0" role="region" aria-label="${label}">${indented(text)}</pre>`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** One thing of a list: a line that opens. */
export interface Row {
  readonly id: string;
  readonly title: HtmlValue;
  readonly state?: Html | undefined;
  readonly aside?: HtmlValue;
  readonly body: HtmlValue;
}

/** A list of rows, or a sentence when there is nothing. */
export function rows(list: readonly Row[], nothing: string): Html {
  if (list.length === 0) return html`<p class="quiet">${nothing}</p>`;
  const items = list.map(
    ({ id, title, state, aside, body }) => html`<li><details id="row-${id}">
<summary><span class="title">${title}</span>${state}<span class="quiet">${aside}</span></summary>
<div class="inside">${body}</div></details></li>`,
  );
  return html`<ul class="rows">${items}</ul>`;
}

const TONES = [
  ['good', /^(?:2\d\d|SUCCEEDED|RESOLVED|ENABLED|captured|succeeded|ACTIVE)$/],
  ['bad', /^(?:[45]\d\d|FAILED|LOST|INVALID|DISABLED|failed|none|TIMEOUT|CANCELLED)$/],
] as const;

/** A state as a mark whose colour repeats what its word says. */
export function mark(state: string | number | null): Html {
  const code = String(state ?? 'none');
  const tone = TONES.find(([, codes]) => codes.test(code))?.[0] ?? 'open';
  return html`<span class="mark ${tone}"${onHover(code)}>${codeWords(code)}</span>`;
}

/** A code in words. Programs use the code itself: it is shown on hover, and in the body of what opens. */
export function coded(code: string): Html {
  return html`<span${onHover(code)}>${codeWords(code)}</span>`;
}

function onHover(code: string): Html | string {
  return codeWords(code) === code ? '' : html` title="${code}"`;
}

/** A code in words, followed by the code itself where the words do not give it. */
export function spelled(code: string | null | undefined): HtmlValue {
  if (code === null || code === undefined) return null;
  const words = reasonAlone(code) ?? codeWords(code);
  // From `resolved` a reader knows how the code is written.
  if (words === plainCode(code)) return coded(code);
  return words === code ? code : html`${words} <code>${code}</code>`;
}

/** A part of a page; one that is `live` follows the sandbox by itself. */
export function section(
  title: string,
  content: HtmlValue,
  options: { readonly live?: boolean; readonly about?: HtmlValue } = {},
): Html {
  const id = title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  const about = options.about === undefined ? '' : html`<p class="quiet">${options.about}</p>`;
  const live = options.live === true ? html` data-live` : '';
  return html`<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${about}
<div id="${id}"${live}>${content}</div></section>`;
}

/** Minor units as people read them. */
export function money(amountMinor: number, currency: string): string {
  return formatMoney({ amountMinor, currency });
}

/** A moment to the second, in UTC. */
export function moment(at: string | number | null | undefined): Html | null {
  if (at === null || at === undefined) return null;
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
