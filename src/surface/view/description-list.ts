/** A list of terms, each with what is known of it; terms of which nothing is known are left out. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

export type DescriptionEntry = readonly [string, HtmlValue];

export function descriptionList(list: readonly DescriptionEntry[]): Html {
  const shown = list.filter(([, value]) => value != null && value !== false && value !== '');
  if (shown.length === 0) return html`<p class="quiet">Nothing is known.</p>`;
  return html`<dl class="facts">${shown.map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`;
}
