/** Findings: where the books disagree, with the step a person takes. */
import type { FindingRow } from '../../../base/findings/finding.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { withIds } from '../../../surface/view/codes.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { moment } from '../../../surface/view/time.ts';

/** The findings as banners, each with its next step. */
export function findingList(findings: readonly FindingRow[]): Html {
  return html`${findings.map(
    (
      finding,
    ) => html`<div class="banner ${finding.severity}"><p><strong>${kindWords(finding.kind)}</strong>: ${subject(finding)}</p>
<p>${withIds(finding.next_step)}</p><p class="quiet">Since ${moment(finding.opened_at)}${finding.closed_at !== null && html`, gone since ${moment(finding.closed_at)}`}.</p></div>`,
  )}`;
}

/** `double_money` is read as `double money`. */
export function kindWords(kind: string): string {
  return kind.replaceAll('_', ' ');
}

/** What it is about, as a link where there is a page. */
export function subject({ subject: kind, subject_id: id }: FindingRow): Html {
  if (id.startsWith('netalrt_')) return html`<a href="${alertPath(id)}">${id}</a>`;
  if (kind === 'order') return html`<a href="/orders/${encodeURIComponent(id)}">${id}</a>`;
  return html`${kind} <code>${id}</code>`;
}
