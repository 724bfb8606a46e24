/** The estate of the file: merchants, enrolments on their way, rulesets in words, and the plan beside them. */
import type { Router } from 'express';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { inWords, plainCode } from '../../service/wire/code-words.ts';
import { coded, withIds } from '../../surface/view/codes.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { table } from '../../surface/view/table.ts';
import { ago, moment } from '../../surface/view/time.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { page, send } from '../../surface/web/visit.ts';
import type { StatusMoment } from './estate-look.store.ts';
import { findLook, listStatusMoments } from './estate-look.store.ts';
import type { EstatePicture } from './estate-picture.ts';
import { forecastText } from './plan/step.ts';

export function registerEstatePage(router: Router, context: PageContext): void {
  route(router, '/estate', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const look = await findLook(db, organisationId);
  const picture = look?.picture ?? null;
  const ids = picture?.enrolments.map(({ id }) => id) ?? [];
  const moments = await listStatusMoments(db, organisationId, ids);
  const body = html`<h1>Estate</h1>
<p class="quiet">Merchants, enrolments and RDR rulesets at the service, and what the file wants. This page only shows; the file changes them: <code>forestall estate plan</code>, then <code>apply</code>.</p>
${look === undefined && UNMANAGED}
${look !== undefined && look.problem !== null && html`<div class="banner"><p><strong>The last look failed</strong>, ${ago(look.tried_at, now)}.</p><p>${look.problem}</p></div>`}
${look !== undefined && look.problem === null && picture === null && emptyState('The first look is under way.', 'It takes a minute, and longer with thousands of merchants.')}
${picture !== null && look?.looked_at != null && html`<p>File <code>${look.file}</code>, looked at <strong>${ago(look.looked_at, now)}</strong> (${moment(look.looked_at)}).</p>${whole(picture, moments)}`}`;
  send(visit, { title: 'Estate', active: '/estate', body });
}

const UNMANAGED = emptyState(
  'No estate file is named.',
  html`Write one with <code>forestall estate import -o estate.yaml</code>, review it, and name it to the worker: <code>FORESTALL_ESTATE=estate.yaml</code> with <code>FORESTALL_PARTNER_API_KEY</code>. From then on this page shows it, and a finding tells when somebody changes something elsewhere.`,
);

function whole(picture: EstatePicture, moments: readonly StatusMoment[]): Html {
  const { counts, enrolments, rulesets, merchants } = picture;
  return html`${alarms(picture)}
${figures(picture)}
<div class="beside"><div>
<h2>Enrolments</h2>
${enrolments.length === 0 ? emptyState('No enrolment.', 'The file makes them.') : enrolments.map((enrolment) => enrolmentCard(enrolment, moments))}
${more(counts.enrolments, enrolments.length)}
<h2>Rulesets</h2>
${
  rulesets.length === 0
    ? emptyState('No ruleset.', 'Without one RDR refunds every eligible dispute.')
    : html`<ul class="plain-list">${rulesets.map(({ key, id, text }) => html`<li class="card spaced"><p><strong>${key ?? id}</strong> ${key === null && UNLISTED}</p><p>${sentence(text)}</p>${key !== null && html`<p class="quiet"><code>${id}</code></p>`}</li>`)}</ul>`
}
${more(counts.rulesets, rulesets.length)}
<h2>Merchants</h2>
${
  merchants.length === 0
    ? emptyState('No merchant.', 'The file makes them.')
    : table({
        label: 'Merchants',
        columns: ['Merchant', 'Name', 'Type', 'At the service'],
        rows: merchants.map(({ id, key, name, type }) => [
          key ?? UNLISTED,
          name,
          type,
          html`<code>${id}</code>`,
        ]),
      })
}
${more(counts.merchants, merchants.length)}
</div>${planCard(picture)}</div>`;
}

const UNLISTED = html`<span class="state">no file names it</span>`;

/** "…" and a capital: the words of a plan begin in the middle of a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function more(all: number, shown: number): Html | false {
  return (
    all > shown &&
    html`<p class="quiet">${shown} of ${all} are shown. <code>forestall estate import</code> writes all.</p>`
  );
}

function alarms({ wider, drift, isNoted }: EstatePicture): Html {
  return html`${wider.map(
    ({ enrolment, example }) =>
      html`<div class="banner error"><p><strong>RDR may refund more on ${enrolment}</strong> than after the last apply, for example a dispute ${example}. Somebody changed rulesets elsewhere.</p></div>`,
  )}
${
  drift.length > 0 &&
  html`<section class="banner" aria-label="Changed elsewhere"><p><strong>Changed elsewhere</strong> since the last apply. Nothing is overwritten without <code>--overwrite</code>.</p><ul>${drift.map((change) => html`<li>${withIds(sentence(change.sentence.replace(/\.$/, '')))} ${change.isConflict && html`<span class="state bad">conflict</span>`}</li>`)}</ul></section>`
}
${!isNoted && html`<div class="banner info"><p>No apply was noted beside the file yet, so it is unknown who changed what. <code>estate apply</code> writes the note; put it beside the file.</p></div>`}`;
}

function figures(picture: EstatePicture): Html {
  const { counts, enrolments, plan } = picture;
  const waiting = enrolments.filter(({ stage }) => stage !== 'enabled').length;
  const open = enrolments.filter((enrolment) => enrolment.refundsEverything).length;
  const planned = plannedChanges(picture);
  const { problems, conflicts } = obstacles(picture);
  const isFree = problems + conflicts === 0;
  return html`<dl class="figures">
<div><dt>Merchants</dt><dd>${counts.merchants}</dd></div>
<div class="${waiting > 0 ? 'attention' : ''}"><dt>Enrolments</dt><dd>${counts.enrolments}</dd><dd class="note">${waiting === 0 ? 'all enabled' : `${waiting} not enabled`}</dd></div>
<div class="${open > 0 ? 'alarm' : ''}"><dt>Rulesets</dt><dd>${counts.rulesets}</dd><dd class="note">${open === 0 ? 'every RDR enrolment has one' : `${open} RDR without: all is refunded`}</dd></div>
<div class="${planned > 0 || !isFree ? 'attention' : ''}"><dt>Planned changes</dt><dd>${planned}</dd><dd class="note">${isFree ? `${plan.marks['widens RDR'] ?? 0} widen RDR` : firstOf(problems, conflicts)}</dd></div>
</dl>`;
}

function firstOf(problems: number, conflicts: number): string {
  const counts = [
    [conflicts, 'conflict'],
    [problems, 'problem'],
  ] as const;
  const words = counts.flatMap(([count, word]) =>
    count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`],
  );
  return `${words.join(', ')} first`;
}

type Enrolment = EstatePicture['enrolments'][number];

function enrolmentCard(enrolment: Enrolment, moments: readonly StatusMoment[]): Html {
  const { id, key, programme, merchants, note, descriptors, refundsEverything } = enrolment;
  return html`<section class="card spaced" aria-label="${key ?? id}"><h3>${key ?? id} ${key === null && UNLISTED}</h3>
<p>${merchants.join(', ')} ${inWords(programme)}.</p>
${way(enrolment, moments)}
${descriptors !== null && html`<p class="quiet">${descriptors.active} of ${descriptors.all} descriptors are live.</p>`}
${refundsEverything && html`<p><span class="state bad">no ruleset</span> RDR refunds every eligible dispute here.</p>`}
${note !== null && note !== '' && html`<p>The service says: ${note}</p>`}
${key !== null && html`<p class="quiet"><code>${id}</code></p>`}</section>`;
}

const STAGES = ['PENDING', 'IN_PROGRESS', 'ENABLED'] as const;
const TONES: Readonly<Record<string, string>> = {
  enabled: 'good',
  'in progress': 'warn',
  'needs a person': 'bad',
};

/** The way to `ENABLED`: what is behind, where it is now, what is ahead. */
function way({ id, status, stage, since }: Enrolment, moments: readonly StatusMoment[]): Html {
  const known = moments.filter(({ enrolmentId }) => enrolmentId === id);
  const isOnWay = STAGES.some((each) => each === status);
  const stages: readonly string[] = isOnWay ? STAGES : [...STAGES.slice(0, -1), status, 'ENABLED'];
  const at = stages.indexOf(status);
  return html`<ol class="way" aria-label="The way until it is enabled">${stages.map(
    (name, index) => {
      const reachedAt = known.find((each) => each.status === name)?.at;
      const when = reachedAt ?? (index === 0 ? new Date(since) : undefined);
      const tone = index === at ? (TONES[stage] ?? '') : '';
      return html`<li class="${index < at ? 'behind' : ''}"${index === at && html` aria-current="step"`}><span class="state ${tone}">${coded(name, plainCode)}</span>${index <= at && when !== undefined && html` <span class="quiet">${moment(when)}</span>`}</li>`;
    },
  )}</ol>`;
}

const MARK_TONES: Readonly<Record<string, string>> = { 'widens RDR': 'bad', irreversible: 'warn' };

/** What keeps the file from being applied: problems of the file, and conflicts. */
function obstacles({ plan, drift }: EstatePicture): { problems: number; conflicts: number } {
  return {
    problems: plan.problems.length,
    conflicts: drift.filter(({ isConflict }) => isConflict).length,
  };
}

function plannedChanges({ plan }: EstatePicture): number {
  return Object.values(plan.marks).reduce((sum, count) => sum + count, 0);
}

/** What the file wants, beside what there is. */
function planCard(picture: EstatePicture): Html {
  const { plan } = picture;
  const { steps, notes } = plan;
  const all = plannedChanges(picture);
  return html`<aside class="card plan" aria-label="Plan"><h2>Plan</h2>
${inTheWay(picture)}
<p>${all === 0 ? nothing(picture) : `The file wants ${all} change${all === 1 ? '' : 's'}; ${forecastText(plan)}.`}</p>
${
  steps.length > 0 &&
  html`<ol>${steps.map(({ sentence, mark }) => html`<li>${sentence} ${mark !== 'safe' && html`<span class="state ${MARK_TONES[mark] ?? ''}">${mark}</span>`}</li>`)}</ol>`
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
