/** What changed between two texts, line by line. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { nearChanges } from '../../base/kernel/line-diff.ts';

const SIGNS = { same: '  ', out: '- ', in: '+ ' } as const;

/** The lines that changed with three around them, and how many they are. */
export function difference(before: string, after: string): Html {
  const lines = nearChanges(before, after);
  if (lines.length === 0) return html`<p class="card quiet">Only ends of lines differ.</p>`;
  return html`<p>${changeCounts(before, after)}.</p><pre tabindex="0" class="diff">${lines.map(
    (line) =>
      line.kind === 'gap'
        ? html`<span class="quiet">  … ${line.count} unchanged ${line.count === 1 ? 'line' : 'lines'}\n</span>`
        : html`<span class="${line.kind}">${SIGNS[line.kind]}${line.text}\n</span>`,
  )}</pre>`;
}

/** For example `2 lines in, 1 line out`. */
export function changeCounts(before: string, after: string): string {
  const lines = nearChanges(before, after);
  const count = (kind: 'in' | 'out'): string => {
    const found = lines.filter((line) => line.kind === kind).length;
    return `${found} ${found === 1 ? 'line' : 'lines'} ${kind}`;
  };
  return `${count('in')}, ${count('out')}`;
}
