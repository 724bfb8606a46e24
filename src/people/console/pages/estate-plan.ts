/** The plan of the estate's file, as the page of the estate shows it. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { EstatePicture } from '../../../books/estate/estate-picture.ts';
import { forecastText } from '../../../service/estate/forecast.ts';

const TONES: Readonly<Record<string, string>> = { 'widens RDR': 'bad', irreversible: 'warn' };

/** What keeps the file from being applied: problems of the file, and conflicts. */
export function obstacles({ plan, drift }: EstatePicture): { problems: number; conflicts: number } {
  return {
    problems: plan.problems.length,
    conflicts: drift.filter(({ isConflict }) => isConflict).length,
  };
}

/** How many changes the file wants. */
export function plannedChanges({ plan }: EstatePicture): number {
  return Object.values(plan.marks).reduce((sum, count) => sum + count, 0);
}

/** What the file wants, beside what there is. */
export function planCard(picture: EstatePicture): Html {
  const { plan } = picture;
  const { steps, notes } = plan;
  const all = plannedChanges(picture);
  return html`<aside class="card plan" aria-label="Plan"><h2>Plan</h2>
${inTheWay(picture)}
<p>${all === 0 ? nothing(picture) : `The file wants ${all} change${all === 1 ? '' : 's'}; ${forecastText(plan)}.`}</p>
${
  steps.length > 0 &&
  html`<ol>${steps.map(({ sentence, mark }) => html`<li>${sentence} ${mark !== 'safe' && html`<span class="state ${TONES[mark] ?? ''}">${mark}</span>`}</li>`)}</ol>`
}
${all > steps.length && html`<p class="quiet">${steps.length} of ${all} are shown.</p>`}
${notes.length > 0 && html`<h3>Notes</h3><ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
<p class="quiet">As of the last look. <code>forestall estate plan -o plan.json</code> makes the one that is applied.</p></aside>`;
}

function inTheWay(picture: EstatePicture): Html {
  const { problems, conflicts } = obstacles(picture);
  return html`${
    conflicts > 0 &&
    html`<p><span class="state bad">${conflicts} conflict${conflicts === 1 ? '' : 's'}</span> to settle before anything is applied: see above.</p>`
  }${
    problems > 0 &&
    html`<p><span class="state bad">${problems} problem${problems === 1 ? '' : 's'}</span> of the file to mend before anything is applied:</p><ul>${picture.plan.problems.map((text) => html`<li>${text}</li>`)}</ul>`
  }`;
}

function nothing(picture: EstatePicture): string {
  const { problems, conflicts } = obstacles(picture);
  return problems + conflicts > 0
    ? 'Apart from that the file wants nothing new.'
    : 'Nothing to do: the service holds what the file says.';
}
