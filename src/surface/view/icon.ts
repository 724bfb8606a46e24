/** Icons: drawn by the style sheet (`assets/icons.css`), in the colour of the text next to them. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';

/** An icon by its name in `assets/icons.css`. It says nothing by itself: words are next to it. */
export function icon(name: string): Html {
  return html`<span class="icon icon-${name}" aria-hidden="true"></span>`;
}
