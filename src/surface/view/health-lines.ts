/** What is not well, as a banner, and every part of Forestall with how it is. */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { LineStatus, StatusLine } from '../../base/kernel/status-line.ts';
import type { PartHealth } from '../../health/health.ts';
import { troublesOf, troubleWords } from '../../health/health.ts';
import { stackedTable } from './table.ts';

/** A banner for each cause of this status. */
export function healthBanners(
  parts: readonly PartHealth[],
  status: Exclude<LineStatus, 'ok'>,
): Html {
  const troubles = troublesOf(parts).filter((trouble) => trouble.status === status);
  return html`${troubles.map(
    (trouble) =>
      html`<p class="banner${status === 'failed' && ' error'}"><strong>${troubleWords(trouble)}:</strong> ${trouble.detail}. <span>${trouble.nextStep}</span></p>`,
  )}`;
}

const TONES = { ok: 'good', warning: 'warn', failed: 'bad' } as const;

/** A table of lines: health, and the doctor's report. */
export function statusTable(label: string, lines: readonly StatusLine[]): Html {
  return stackedTable({
    label,
    columns: ['What', 'State', 'Found', 'Next step'],
    rows: lines.map(({ name, status, detail, nextStep }) => [
      name,
      html`<span class="state ${TONES[status]}">${status}</span>`,
      html`<span class="long">${detail}</span>`,
      nextStep === null ? '' : html`<span class="long">${nextStep}</span>`,
    ]),
  });
}

export function healthBadge(parts: readonly PartHealth[]): Html {
  const failed = parts.filter(({ status }) => status === 'failed').length;
  const warnings = parts.filter(({ status }) => status === 'warning').length;
  const all = parts.length;
  if (failed > 0) {
    const words = failed === 1 ? 'part does not work' : 'parts do not work';
    return html`<span class="state bad">${failed} ${words}, of ${all}</span>`;
  }
  if (warnings > 0) {
    const words = warnings === 1 ? 'part needs attention' : 'parts need attention';
    return html`<span class="state warn">${warnings} ${words}, of ${all}</span>`;
  }
  return html`<span class="state good">everything works</span>`;
}
