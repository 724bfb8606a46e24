/** Today: what is due, what needs a person, whether everything works, and the outcome lately. */

import type { Router } from 'express';
import { z } from 'zod';
import type { OpenCases } from '../../../alerts/cases/open-cases.store.ts';
import { AWAITS_DECISION, readOpenCases } from '../../../alerts/cases/open-cases.store.ts';
import type { AlertListItem } from '../../../alerts/list/alert-list.store.ts';
import { listAlerts } from '../../../alerts/list/alert-list.store.ts';
import { readRowFacts } from '../../../alerts/list/alert-order.store.ts';
import { countRefused } from '../../../alerts/receive/delivery-minute.store.ts';
import { readCustomerNames } from '../../../alerts/review/review-customers.store.ts';
import { listReviews } from '../../../alerts/review/review-queue.store.ts';
import type { FindingRow } from '../../../base/findings/finding.store.ts';
import { listFindings } from '../../../base/findings/finding.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { saidCount } from '../../../base/kernel/said-count.ts';
import type { Operations } from '../../../health/operations.store.ts';
import { readOperations } from '../../../health/operations.store.ts';
import type { OnToday, RecentTime } from '../../../surface/on-today.ts';
import type { WindowName } from '../../../surface/view/chart.ts';
import { stretchesOf, WINDOWS, windowField, windowTabs } from '../../../surface/view/chart.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { healthBadge, healthBanners } from '../../../surface/view/health-lines.ts';
import { BACKGROUND } from '../../../surface/view/shell.ts';
import { moment, timeLeft } from '../../../surface/view/time.ts';
import { statesOf } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import { soonOf } from '../../../surface/web/review-query.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../../surface/web/visit.ts';
import { forPerson, onToday } from '../page-parts.ts';
import { caseList } from './case-list.ts';
import { findingList } from './finding-list.ts';
import { secondPersonBanner } from './second-person.ts';
import { trafficCards } from './traffic-cards.ts';

/** Cards of each list on this page; the pages behind hold them all. */
const CASES_SHOWN = 5;
const FINDINGS_SHOWN = 3;

/** Open cases that need no person: Forestall is at work on them. */
const ON_THEIR_WAY = statesOf('open').filter(
  (state) => !AWAITS_DECISION.some((waiting) => waiting === state),
);

const NOT_HELD_YET = AWAITS_DECISION.filter((state) => state !== 'HUMAN');

const DAY_MS = 24 * 60 * 60_000;

const REFRESH = 'every 15s, refresh';

export function registerToday(router: Router, context: PageContext): void {
  route(router, '/', { get: page(context, 'viewer', show) });
}

const todayQuery = z.object({ window: windowField.default('24h') });

async function show(visit: Visit): Promise<void> {
  const { options, now } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, todayQuery);
  if (query === undefined) return;
  const { window } = query;
  const list = { organisationId, order: 'soonest', limit: CASES_SHOWN } as const;
  const [cases, waiting, soonest, operations, refused, findings, parts, backlog] =
    await Promise.all([
      readOpenCases(db, organisationId),
      listWaiting(visit),
      listAlerts(db, { ...list, states: ON_THEIR_WAY }),
      readOperations(db, { organisationId, now }),
      countRefused(db, organisationId, new Date(now.getTime() - DAY_MS)),
      listFindings(db, { organisationId, state: 'open', limit: FINDINGS_SHOWN, worstFirst: true }),
      onToday(visit, recentTime(window, now)),
      options.feedBacklog?.(),
    ]);
  const received = options.receiveCounts?.();
  const customers = await customersOf(visit, [...waiting, ...soonest]);
  const isErrorOpen = findings[0]?.severity === 'error';
  const body = html`<h1>Today</h1>${await forPerson(visit)}${await secondPersonBanner(visit)}
<div id="live" hx-get="/?window=${window}" hx-trigger="${REFRESH}" hx-select="#live" hx-swap="outerHTML" hx-headers="${BACKGROUND}">
${healthBanners(visit.health, 'warning')}
${topFigures(cases, operations, now)}
${isErrorOpen && findingSection(findings, operations)}
${peopleFirst(waiting, cases, { now, customers })}
${!isErrorOpen && findingSection(findings, operations)}
${dueSection(soonest, cases, { now, customers })}
${recentSection(window, parts)}
<h2>How it runs</h2><p>${healthBadge(visit.health)} <a href="/system">Each part</a></p>${trafficCards({ operations, refused, received, backlog, now })}
<p class="quiet">As of ${moment(now)}. Refreshes itself.</p></div>`;
  send(visit, { title: 'Today', active: '/', body });
}

interface Shown {
  readonly now: Date;
  /** By alert. */
  readonly customers: ReadonlyMap<string, string>;
}

/** Who bought what these alerts are about. */
async function customersOf(
  { options }: Visit,
  items: readonly AlertListItem[],
): Promise<Shown['customers']> {
  const { db, organisationId } = options;
  const ids = items.map(({ alertId }) => alertId);
  const facts = await readRowFacts(db, organisationId, ids);
  const orders = [...facts.values()].map(({ orderReference }) => orderReference);
  const names = await readCustomerNames(db, organisationId, orders);
  return new Map(
    [...facts].flatMap(([alertId, { orderReference }]) => {
      const name = names.get(orderReference ?? '');
      return name === undefined ? [] : [[alertId, name] as const];
    }),
  );
}

/** What waits for a person, in the order of the review queue; what is not held yet comes last. */
async function listWaiting({ options, now }: Visit): Promise<AlertListItem[]> {
  const { db, organisationId } = options;
  const list = { organisationId, order: 'soonest', limit: CASES_SHOWN } as const;
  const reviews = await listReviews(db, { organisationId, now, limit: CASES_SHOWN });
  const ids = reviews.map(({ alertId }) => alertId);
  const [held, others] = await Promise.all([
    listAlerts(db, { ...list, states: ['HUMAN'], ids }),
    listAlerts(db, { ...list, states: NOT_HELD_YET }),
  ]);
  const place = (item: AlertListItem): number => ids.indexOf(item.alertId);
  return [...held.toSorted((a, b) => place(a) - place(b)), ...others].slice(0, CASES_SHOWN);
}

function recentTime(window: WindowName, now: Date): RecentTime {
  const stretches = stretchesOf(window, now);
  return { stretches, from: stretches[0] ?? now, stretchHours: WINDOWS[window].stretchHours };
}

function topFigures(cases: OpenCases, operations: Operations, now: Date): Html {
  const waiting = countWaiting(cases);
  const errors = operations.findingsOpen.get('error') ?? 0;
  return html`<dl class="figures">
<div><dt><a href="/alerts?state=open">Open</a></dt><dd>${cases.open}</dd></div>
<div${waiting > 0 && html` class="attention"`}><dt><a href="/reviews">Need a decision</a></dt><dd>${waiting}</dd>${cases.nextActAt !== null && html`<dd class="note">${cases.nextActAt < soonOf(now) && html`<a href="/reviews?due=hour">due within an hour</a>, `}the first: ${timeLeft(cases.nextActAt, now)}</dd>`}</div>
<div><dt><a href="/alerts?state=open">Next deadline</a></dt><dd class="small">${cases.nearestDeadlineAt === null ? html`<span class="quiet">none</span>` : timeLeft(cases.nearestDeadlineAt, now)}</dd></div>
<div${cases.missed > 0 && html` class="alarm"`}><dt>Missed, ever</dt><dd>${cases.missed}</dd><dd class="note">${cases.missed === 0 ? 'must stay 0' : html`<a href="/alerts?state=all&amp;missed=yes">see which</a>`}</dd></div>
<div${errors > 0 && html` class="alarm"`}><dt><a href="/findings">Findings</a></dt><dd>${[...operations.findingsOpen.values()].reduce((sum, count) => sum + count, 0)}</dd></div>
</dl>`;
}

function countWaiting({ byState }: OpenCases): number {
  return AWAITS_DECISION.reduce((sum, state) => sum + (byState.get(state) ?? 0), 0);
}

function peopleFirst(items: readonly AlertListItem[], cases: OpenCases, shown: Shown): Html {
  const more = countWaiting(cases) - items.length;
  return html`<h2>Needs a person first</h2>
${items.length === 0 ? emptyState('Nobody is needed right now.', 'What the policy cannot decide alone appears here, nearest deadline first.') : caseList(items, shown)}
${items.length > 0 && html`<p><a class="button" href="/reviews">Work through ${more > 0 ? `all ${saidCount(countWaiting(cases))}` : 'them'}</a></p>`}`;
}

function dueSection(items: readonly AlertListItem[], cases: OpenCases, shown: Shown): Html {
  const all = cases.open - countWaiting(cases);
  return html`<h2>On their way, by time left</h2>
${
  items.length === 0
    ? emptyState(
        cases.open === 0 ? 'No alert is open.' : 'Every open alert waits for a person.',
        html`New ones appear here by themselves. <a href="/alerts?state=closed">See what came of the last ones</a>.`,
      )
    : caseList(items, shown)
}
${all > items.length && html`<p><a href="/alerts?state=open">All ${cases.open} open alerts</a></p>`}`;
}

function findingSection(
  findings: readonly FindingRow[],
  { findingsOpen }: Operations,
): Html | false {
  if (findings.length === 0) return false;
  const all = [...findingsOpen.values()].reduce((sum, count) => sum + count, 0);
  return html`<section aria-labelledby="findings"><h2 id="findings">What does not agree</h2>
${findingList(findings)}
${all > findings.length && html`<p><a href="/findings">All ${all} findings</a></p>`}</section>`;
}

/** The outcome of alerts, as far as anything here tells it. */
function recentSection(window: WindowName, parts: readonly OnToday[]): Html | false {
  if (parts.length === 0) return false;
  return html`<div class="bar"><h2>What came of it: ${WINDOWS[window].label}</h2>${windowTabs('/', window)}</div>
<dl class="figures">
${parts.map(({ figures }) => figures)}</dl>
<div class="columns">${parts.map((part) => part.chart)}</div>`;
}
