/** Facts as terms and what stands for each; those that are not known are left out. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

export type Fact = readonly [string, HtmlValue];

export function facts(list: readonly Fact[]): Html {
  const shown = list.filter(([, value]) => value != null && value !== false && value !== '');
  if (shown.length === 0) return html`<p class="quiet">Nothing is known.</p>`;
  return html`<dl class="facts">${shown.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;
}
