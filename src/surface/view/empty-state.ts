/** What a list shows that has nothing in it. */
import type { Html, HtmlValue } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { icon } from './icon.ts';

/** What is shown where there is nothing, with what to do next. */
export function emptyState(title: string, next: HtmlValue): Html {
  return html`<div class="empty">${icon('inbox')}<p><strong>${title}</strong></p><p class="quiet">${next}</p></div>`;
}
