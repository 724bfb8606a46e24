/** Activity: who did what, by person, day and kind, from the audit log. */
import { z } from 'zod';
import { counted } from '../../base/kernel/counted.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { CapabilityPages } from '../../surface/capability.ts';
import { emptyState } from '../../surface/view/empty-state.ts';
import { choiceField, inputField } from '../../surface/view/fields.ts';
import { icon } from '../../surface/view/icon.ts';
import { alertPath } from '../../surface/view/links.ts';
import { currentFormats } from '../../surface/view/locale.ts';
import { amount, amountText } from '../../surface/view/money.ts';
import { pageLink } from '../../surface/view/page-link.ts';
import { nextPage, numeric, stackedTable, tabLinks, table } from '../../surface/view/table.ts';
import { moment } from '../../surface/view/time.ts';
import { cursorOf, makeCursor, microsecondMoment, plainText } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../surface/web/visit.ts';
import type {
  ActivityKind,
  ActivityQuery,
  ActivityStep,
  ActivitySummary,
} from './activity.store.ts';
import {
  ACTIVITY_KINDS,
  ACTIVITY_SCAN_MAX,
  countActivity,
  listActivity,
} from './activity.store.ts';

/** Steps of a page. */
const SHOWN_MAX = 100;

/** Days that are shown without a choice, and at most: today among them. */
const DAYS_DEFAULT = 7;
const DAY_MS = 24 * 60 * 60_000;

const KIND_WORDS: Readonly<Record<ActivityKind, string>> = {
  decision: 'decisions',
  review: 'claims and comments',
  credit: 'credits',
  evidence: 'evidence',
  policy: 'policies',
  money: 'switches of money',
  people: 'people and rights',
  export: 'exports',
  'sign-in': 'sign-ins',
  other: 'other',
  step: 'what followed',
};

/** Words of the audit log that hold a code, as a person says them. */
const WHAT_WORDS: Readonly<Record<string, string>> = {
  REFUND: 'to refund',
  ACCEPT_DISPUTE: 'to accept the dispute',
  RETRY: 'to try again',
  REFUNDED_OUTSIDE: 'that it was refunded elsewhere',
  DID_EXECUTE: 'that the refund happened',
  DID_NOT_EXECUTE: 'that the refund did not happen',
  JOIN_DISPUTE: 'that it is the same dispute',
  SEPARATE_DISPUTE: 'that it is a dispute of its own',
  NOT_OURS: 'that it is not ours',
};

const day = z.iso.date().regex(/^[12]/);
const activityQuery = z.strictObject({
  person: plainText.max(100).optional(),
  kind: z.enum(ACTIVITY_KINDS).optional(),
  from: day.optional(),
  to: day.optional(),
  cursor: cursorOf(z.tuple([microsecondMoment, z.int().min(1)])).optional(),
});
type Query = z.infer<typeof activityQuery>;
type Filter = Omit<Query, 'cursor'>;

export const activityPages: CapabilityPages = {
  menu: { path: '/activity', label: 'Activity', group: 'Control', icon: 'history' },
  register(router, context): void {
    route(router, '/activity', { get: page(context, 'viewer', show) });
  },
};

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, activityQuery);
  if (query === undefined) return;
  const { cursor, ...filter } = query;
  const to = filter.to ?? dayOf(now);
  const from = filter.from ?? dayOf(new Date(Date.parse(to) - (DAYS_DEFAULT - 1) * DAY_MS));
  const asked: ActivityQuery = {
    ...{ organisationId, person: filter.person, kind: filter.kind },
    from: new Date(`${from}T00:00:00Z`),
    before: new Date(Date.parse(to) + DAY_MS),
  };
  const after = cursor === undefined ? undefined : { atText: cursor[0], id: cursor[1] };
  const [steps, summary] = await Promise.all([
    listActivity(db, { ...asked, after, limit: SHOWN_MAX }),
    countActivity(db, asked),
  ]);
  const last = steps.length === SHOWN_MAX ? steps.at(-1) : undefined;
  const all = summary.counts.reduce((sum, { count }) => sum + count, 0);
  const { day: dayWords } = currentFormats();
  const body = html`<div class="list-page"><div class="bar"><h1>Activity</h1><p class="list-sum"><span class="quiet">${dayWords(asked.from)} to ${dayWords(new Date(to))} (UTC):</span> ${counted(all, 'step').replace(/^\d+/, currentFormats().count(all))}</p></div>
${periodTabs(filter, now)}${filterForm(filter, { from, to })}
${summary.isCut && html`<p class="banner info">Counted and listed are the newest ${currentFormats().count(ACTIVITY_SCAN_MAX)} steps of these days; there are more. Choose fewer days.</p>`}
${
  all === 0
    ? emptyState(
        summary.isCut
          ? `Nothing like this is among the newest ${currentFormats().count(ACTIVITY_SCAN_MAX)} steps of these days.`
          : 'Nobody did anything like this on these days.',
        html`<a href="/activity">The last ${DAYS_DEFAULT} days</a>`,
      )
    : html`<div class="columns wide"><section><h2>By person</h2>${byPerson(summary, filter)}</section><section><h2>By day</h2>${byDay(summary, filter)}</section></div>
<h2>Step by step</h2>${stepTable(steps)}
${nextPage('/activity', { ...Object.fromEntries(new URLSearchParams(textOf(filter))), cursor: last === undefined ? null : makeCursor([last.atText, last.id]) })}`
}</div>`;
  send(visit, { title: 'Activity', active: '/activity', body });
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function textOf(filter: Filter, change: Partial<Filter> = {}): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filter, ...change })) {
    if (value !== undefined) text.set(name, value);
  }
  return text.toString();
}

/** The days that people ask for. */
function periodTabs(filter: Filter, now: Date): Html {
  const today = dayOf(now);
  const before = (days: number): string => dayOf(new Date(Date.parse(today) - days * DAY_MS));
  // A week is one of the calendar, from Monday.
  const sinceMonday = (now.getUTCDay() + 6) % 7;
  const periods = [
    ['Today', today, today],
    ['Yesterday', before(1), before(1)],
    ['7 days', before(6), today],
    ['Last week', before(sinceMonday + 7), before(sinceMonday + 1)],
    ['30 days', before(29), today],
    ['90 days', before(89), today],
  ] as const;
  const { from = before(DAYS_DEFAULT - 1), to = today } = filter;
  const current = periods.find(([, begin, end]) => begin === from && end === to)?.[0] ?? '';
  return tabLinks(
    'Days',
    current,
    periods.map(([name, begin, end]) => [
      name,
      name,
      `/activity?${textOf(filter, { from: begin, to: end })}`,
    ]),
  );
}

function filterForm(
  filter: Filter,
  { from, to }: { readonly from: string; readonly to: string },
): Html {
  const isOpen = filter.person !== undefined || filter.kind !== undefined;
  return html`<details class="fold"${isOpen && html` open`}><summary>${icon('filter')}Filter</summary><form action="/activity" method="get" class="card"><div class="filters">
${inputField({ name: 'person', label: 'Person', value: filter.person })}
${choiceField('kind', 'Kind', { value: filter.kind, entries: Object.entries(KIND_WORDS) })}
${inputField({ name: 'from', label: 'From (UTC)', value: from, type: 'date' })}
${inputField({ name: 'to', label: 'To (UTC)', value: to, type: 'date' })}
</div><p class="actions"><button class="small">Apply</button><a class="button plain small" href="/activity">Clear</a></p></form></details>`;
}

/** Persons by kinds, each number a way to its steps. */
function byPerson({ counts }: ActivitySummary, filter: Filter): Html {
  const kinds = ACTIVITY_KINDS.filter((kind) => counts.some((each) => each.kind === kind));
  const people = [...Map.groupBy(counts, ({ person }) => person)];
  return table({
    label: 'Steps by person',
    columns: ['Person', ...kinds.map((kind) => numeric(headingOf(kind))), numeric('All')],
    rows: people.map(([person, own]) => [
      html`<a href="/activity?${textOf(filter, { person })}">${person}</a>`,
      ...kinds.map((kind) =>
        linked(sumOf(own.filter((each) => each.kind === kind)), textOf(filter, { person, kind })),
      ),
      linked(sumOf(own), textOf(filter, { person })),
    ]),
  });
}

function headingOf(kind: ActivityKind): string {
  const words = KIND_WORDS[kind];
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function byDay({ counts }: ActivitySummary, filter: Filter): Html {
  const days = [...Map.groupBy(counts, (each) => each.day)].toSorted(([one], [other]) =>
    other.localeCompare(one),
  );
  const decisions = (counts: ActivitySummary['counts']): ActivitySummary['counts'] =>
    counts.filter(({ kind }) => kind === 'decision');
  return table({
    label: 'Steps by day',
    columns: ['Day', numeric('People'), numeric('Decisions'), numeric('All')],
    rows: days.map(([on, own]) => [
      html`<a href="/activity?${textOf(filter, { from: on, to: on })}">${currentFormats().day(new Date(on))}</a>`,
      new Set(own.map(({ person }) => person)).size,
      linked(sumOf(decisions(own)), textOf(filter, { from: on, to: on, kind: 'decision' })),
      linked(sumOf(own), textOf(filter, { from: on, to: on })),
    ]),
  });
}

function sumOf(counts: ActivitySummary['counts']): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function linked(count: number, query: string): Html {
  const text = currentFormats().count(count);
  return count === 0
    ? html`<span class="quiet">–</span>`
    : html`<a href="/activity?${query}">${text}</a>`;
}

function stepTable(steps: readonly ActivityStep[]): Html {
  return stackedTable({
    label: 'Steps',
    columns: ['When', 'Who', 'What', 'About', numeric('Amount'), 'Card', 'Kind'],
    rows: steps.map((step) => [
      moment(step.at),
      html`<strong>${step.person}</strong>`,
      whatWords(step.what),
      aboutLink(step),
      step.alertId === null ? '' : amount(step.amountMinor, step.currency),
      step.cardLast4 === null ? '' : `····\u00a0${step.cardLast4}`,
      html`<span class="quiet">${KIND_WORDS[step.kind]}</span>`,
    ]),
  });
}

/** `decided to refund` for `asked for REFUND`. */
export function whatWords(what: string): string {
  const [, action = '', refused] = /^(?:asked for |)([A-Z_]{4,})( refused)?$/.exec(what) ?? [];
  const words = WHAT_WORDS[action];
  if (words === undefined) return what;
  const verb = words.startsWith('that') ? 'said' : 'decided';
  return refused === undefined ? `${verb} ${words}` : `${verb} ${words}: refused`;
}

/** A draft, or a version by its hash, with the page where it is read. */
function policyLink(id: string): Html | undefined {
  if (id.startsWith('pdr_')) return pageLink('/policies/drafts/:id', 'policy draft', { id });
  if (!/^[0-9a-f]{16}$/.test(id)) return undefined;
  return pageLink('/policies/:version', 'policy', { version: id });
}

function aboutLink(step: ActivityStep): Html {
  const { alertId, subject, subjectId, person } = step;
  if (alertId !== null) {
    const spoken = `alert of ${amountText(step.amountMinor, step.currency)}`;
    return html`<a href="${alertPath(alertId)}" title="${alertId}">${spoken}</a>`;
  }
  if (subjectId === person) return html``;
  const policy = subject === 'policy' ? policyLink(subjectId) : undefined;
  if (policy !== undefined) return html`${policy} <span class="quiet long">${subjectId}</span>`;
  return html`${subject === 'operator' || subject === 'system' ? '' : `${subject} `}<span class="long">${subjectId}</span>`;
}
