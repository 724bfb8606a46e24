/** The page of all organisations of an installation, those that need a person first. */
import type { Router } from 'express';
import { z } from 'zod';
import { organisationPath } from '../../../base/http/organisation-path.ts';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { troubleWords } from '../../../health/health.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { BACKGROUND } from '../../../surface/view/shell.ts';
import { numeric, tabLinks, table } from '../../../surface/view/table.ts';
import { moment, timeLeft } from '../../../surface/view/time.ts';
import type { InstallationOptions } from '../../../surface/web/ports.ts';
import { read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { goTo, page, send } from '../../../surface/web/visit.ts';
import type {
  OrganisationColumns,
  OrganisationSummary,
} from '../installation/organisation-summary.ts';
import { byNeed, readColumns, readSummaries } from '../installation/organisation-summary.ts';
import type { TheirOrganisation } from '../installation/their-organisations.ts';
import { theirOrganisations } from '../installation/their-organisations.ts';

/** Rows of a page. */
const ROWS_MAX = 100;

const REFRESH = 'every 15s, refresh';

type Front = Visit<InstallationOptions>;

const query = z.object({
  q: z.string().trim().max(100).default(''),
  show: z.enum(['all', 'person']).default('all'),
  from: z.coerce.number().int().min(0).max(100_000).default(0),
  go: z.literal('yes').optional(),
});
type Query = z.infer<typeof query>;

export function registerOrganisations(
  router: Router,
  context: PageContext<InstallationOptions>,
): void {
  route(router, '/', { get: page(context, 'viewer', begin) });
  route(router, '/organisations', { get: page(context, 'viewer', show) });
}

/** A person with one organisation has nothing to choose. */
async function begin(visit: Front): Promise<void> {
  const theirs = await theirOrganisations(visit.options, visit.who);
  const [only, ...others] = theirs;
  if (only !== undefined && others.length === 0) goTo(visit, organisationPath(only.path));
  else await showAll(visit, theirs, query.parse({}));
}

async function show(visit: Front): Promise<void> {
  const asked = read(query, visit.request.query);
  const given = asked.ok ? asked.value : query.parse({});
  await showAll(visit, await theirOrganisations(visit.options, visit.who), given);
}

async function showAll(
  visit: Front,
  theirs: readonly TheirOrganisation[],
  given: Query,
): Promise<void> {
  const found = theirs.filter(isFound(given.q));
  const [only, ...others] = found;
  if (given.go === 'yes' && only !== undefined && others.length === 0) {
    return goTo(visit, organisationPath(only.path));
  }
  const summaries = (await readSummaries(visit.options, found, visit.now)).toSorted(byNeed);
  const rows =
    given.show === 'person' ? summaries.filter(({ needsPerson }) => needsPerson) : summaries;
  const shown = rows.slice(given.from, given.from + ROWS_MAX);
  const known = await readColumns(
    visit.options,
    shown.map(({ id }) => id),
  );
  const { fileProblem } = visit.options;
  const problem = fileProblem();
  const body = html`<h1>Organisations</h1>
<div id="live" hx-get="${pathOf(given)}" hx-trigger="${REFRESH}" hx-select="#live" hx-swap="outerHTML" hx-headers="${BACKGROUND}">
${problem !== null && html`<p class="banner error"><strong>The installation file cannot be used; the one before stays in force.</strong> <span>${problem}</span></p>`}
${topFigures(summaries)}
<div class="bar">${tabLinks('Which organisations', given.show, [
    ['all', `All (${summaries.length})`, pathOf({ ...given, show: 'all', from: 0 })],
    [
      'person',
      `Need a person (${summaries.filter(({ needsPerson }) => needsPerson).length})`,
      pathOf({ ...given, show: 'person', from: 0 }),
    ],
  ])}${given.q !== '' && html`<p>Found with “${given.q}” · <a href="/organisations">Show all</a></p>`}</div>
${list(visit.now, shown, { all: theirs.length, known })}
${pages(given, rows.length)}
<p class="quiet">As of ${moment(visit.now)}. Refreshes itself.</p></div>`;
  send(visit, { title: 'Organisations', active: '/organisations', body });
}

function isFound(text: string): (organisation: TheirOrganisation) => boolean {
  const sought = text.toLowerCase();
  return ({ id, name, path }) =>
    [id, name, path].some((word) => word.toLowerCase().includes(sought));
}

function pathOf({ q, show: which, from }: Query): string {
  const text = new URLSearchParams();
  if (q !== '') text.set('q', q);
  if (which !== 'all') text.set('show', which);
  if (from > 0) text.set('from', String(from));
  return text.size === 0 ? '/organisations' : `/organisations?${text.toString()}`;
}

function topFigures(summaries: readonly OrganisationSummary[]): Html {
  const sum = (figure: (summary: OrganisationSummary) => number): number =>
    summaries.reduce((total, summary) => total + figure(summary), 0);
  const broken = summaries.filter(({ troubles }) => troubles[0]?.status === 'failed').length;
  const reviews = sum(({ figures }) => figures.reviews);
  const missed = sum(({ figures }) => figures.missed);
  const stopped = summaries.filter(({ facts }) => facts.pause !== undefined).length;
  return html`<dl class="figures">
<div><dt>Open alerts</dt><dd>${sum(({ figures }) => figures.open)}</dd></div>
<div${reviews > 0 && html` class="attention"`}><dt>Need a decision</dt><dd>${reviews}</dd></div>
<div${missed > 0 && html` class="alarm"`}><dt>Missed, ever</dt><dd>${missed}</dd><dd class="note">${missed === 0 && 'must stay 0'}</dd></div>
<div${stopped > 0 && html` class="alarm"`}><dt>Refunds stopped</dt><dd>${stopped}</dd></div>
<div${broken > 0 && html` class="alarm"`}><dt>Not working</dt><dd>${broken}</dd><dd class="note">of ${summaries.length}</dd></div>
</dl>`;
}

function list(
  now: Date,
  rows: readonly OrganisationSummary[],
  { all, known }: { readonly all: number; readonly known: OrganisationColumns },
): Html {
  if (rows.length === 0) {
    return all === 0
      ? emptyState(
          'You have no organisation yet.',
          'An administrator of the installation gives you a right for one on the page Operators.',
        )
      : emptyState('None of these.', html`<a href="/organisations">Show all organisations</a>`);
  }
  const shown = table({
    label: 'Organisations, what needs a person first',
    columns: [
      'Organisation',
      numeric('Need a decision'),
      'Due soonest',
      numeric('Open'),
      numeric('Missed'),
      ...known.headings,
      'Refunds',
      'Health',
    ],
    rows: rows.map((summary) => cells(summary, { now, known })),
  });
  return html`<div class="stacked organisations">${shown}</div>`;
}

function cells(
  summary: OrganisationSummary,
  { now, known }: { readonly now: Date; readonly known: OrganisationColumns },
): HtmlValue[] {
  const { id, name, path, mode, figures, facts } = summary;
  const addressOf = (to: string): string => organisationPath(path, to);
  const { reviews, nextActAt, nearestDeadlineAt, open, missed } = figures;
  return [
    html`<a href="${organisationPath(path)}">${name}</a>${mode === 'shadow' && html` <span class="state">shadow</span>`}`,
    reviews === 0
      ? ''
      : html`${phone('Need a decision')}<a href="${organisationPath(path, '/reviews')}"><strong>${reviews}</strong></a>`,
    due(nextActAt ?? nearestDeadlineAt, now),
    html`${phone('Open')}${open}`,
    missed === 0
      ? html`${phone('Missed')}0`
      : html`${phone('Missed')}<a class="worse-words" href="${organisationPath(path, '/alerts?state=all&missed=yes')}">${missed}</a>`,
    ...known.of(id).map(({ cell }, place) => {
      const shown = cell({ now, addressOf });
      return shown === '' ? '' : html`${phone(known.headings[place] ?? '')}${shown}`;
    }),
    facts.pause === undefined
      ? html`${phone('Refunds')}${mode === 'shadow' ? html`<span class="quiet">none sent</span>` : 'go'}`
      : html`${phone('Refunds')}<span class="state bad">stopped</span>`,
    worst(summary),
  ];
}

/** What a column says, where there is no head. */
function phone(heading: string): Html {
  return html`<span class="phone-label">${heading}</span>`;
}

function due(at: Date | null, now: Date): HtmlValue {
  return at === null ? '' : html`${phone('Due soonest')}${timeLeft(at, now)}`;
}

const TONES = { warning: 'warn', failed: 'bad' } as const;

function worst({ troubles, path }: OrganisationSummary): Html {
  const [first, ...others] = troubles;
  if (first === undefined) return html`${phone('Health')}<span class="state good">works</span>`;
  return html`${phone('Health')}<span class="state ${TONES[first.status]}">${first.parts.join(', ')}</span> <span class="long">${first.detail}${others.length > 0 && html` <a href="${organisationPath(path, '/system')}">+${others.length}<span class="hidden"> more: ${others.map(troubleWords).join('; ')}</span></a>`}</span>`;
}

function pages(given: Query, count: number): Html | false {
  if (count <= ROWS_MAX) return false;
  const last = Math.min(given.from + ROWS_MAX, count);
  const before = Math.max(0, given.from - ROWS_MAX);
  return html`<p class="actions"><span>${given.from + 1} to ${last} of ${count}</span>
${given.from > 0 && html`<a class="button plain" rel="prev" href="${pathOf({ ...given, from: before })}">Before</a>`}
${last < count && html`<a class="button plain" rel="next" href="${pathOf({ ...given, from: given.from + ROWS_MAX })}">Next ${Math.min(ROWS_MAX, count - last)}</a>`}</p>`;
}
