/** Today: what is due, what needs a person, whether everything works, and what came of it lately. */
import type { Router } from 'express';
import type { AlertListItem } from '../../../alerts/list/alert-list.store.ts';
import { listAlerts } from '../../../alerts/list/alert-list.store.ts';
import { readRowFacts } from '../../../alerts/list/alert-order.store.ts';
import { readCustomerNames } from '../../../alerts/review/review-customers.store.ts';
import { listReviews } from '../../../alerts/review/review-queue.store.ts';
import type { FindingRow } from '../../../base/findings/finding.store.ts';
import { listFindings } from '../../../base/findings/finding.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Money } from '../../../base/kernel/money.ts';
import type { ActivityFigure } from '../../../books/figures/activity.store.ts';
import { readActivity } from '../../../books/figures/activity.store.ts';
import type { ActivityMeasure } from '../../../books/figures/figures.table.ts';
import type { LookupSummary } from '../../../books/figures/lookup-figures.store.ts';
import { readLookupPeriod } from '../../../books/figures/lookup-figures.store.ts';
import type { OpenFigures } from '../../../books/figures/today.store.ts';
import { AWAITS_DECISION, readOpenFigures } from '../../../books/figures/today.store.ts';
import type { Operations } from '../../../books/health/operations.store.ts';
import { readOperations } from '../../../books/health/operations.store.ts';
import type { WindowName } from '../../../surface/view/chart.ts';
import {
  chart,
  stretchesOf,
  valuesFor,
  WINDOWS,
  windowOf,
  windowTabs,
} from '../../../surface/view/chart.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { healthBadge, healthBanners } from '../../../surface/view/health-lines.ts';
import { sums } from '../../../surface/view/money.ts';
import { BACKGROUND } from '../../../surface/view/shell.ts';
import { moment, timeLeft } from '../../../surface/view/time.ts';
import { statesOf } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, send } from '../../../surface/web/visit.ts';
import { forPerson } from '../page-parts.ts';
import { caseList } from './case-list.ts';
import { findingList } from './finding-list.ts';
import { secondPersonBanner } from './second-person.ts';
import { trafficCards } from './traffic-cards.ts';

/** Cards of each list on this page; the pages behind hold them all. */
const CASES_SHOWN = 5;
const FINDINGS_SHOWN = 3;

/** Open cases that need nobody: Forestall is at work on them. */
const ON_THEIR_WAY = statesOf('open').filter(
  (state) => !AWAITS_DECISION.some((waiting) => waiting === state),
);

const NOT_HELD_YET = AWAITS_DECISION.filter((state) => state !== 'HUMAN');

const REFRESH = 'every 15s, refresh';

export function registerToday(router: Router, context: PageContext): void {
  route(router, '/', { get: page(context, 'viewer', show) });
}

async function show(visit: Visit): Promise<void> {
  const { options, request, now } = visit;
  const { db, organisationId } = options;
  const window = windowOf(request.query['window']);
  const list = { organisationId, order: 'soonest', limit: CASES_SHOWN } as const;
  const [figures, waiting, soonest, operations, findings, outcomes, backlog] = await Promise.all([
    readOpenFigures(db, organisationId),
    listWaiting(visit),
    listAlerts(db, { ...list, states: ON_THEIR_WAY }),
    readOperations(db, { organisationId, now }),
    listFindings(db, { organisationId, state: 'open', limit: FINDINGS_SHOWN, worstFirst: true }),
    readOutcomes(visit, window),
    options.feedBacklog?.(),
  ]);
  const received = options.receiveCounts?.();
  const customers = await customersOf(visit, [...waiting, ...soonest]);
  const isErrorOpen = findings[0]?.severity === 'error';
  const body = html`<h1>Today</h1>${await forPerson(visit)}${await secondPersonBanner(visit)}
<div id="live" hx-get="/?window=${window}" hx-trigger="${REFRESH}" hx-select="#live" hx-swap="outerHTML" hx-headers="${BACKGROUND}">
${healthBanners(visit.health, 'warning')}
${topFigures(figures, operations, now)}
${isErrorOpen && findingSection(findings, operations)}
${peopleFirst(waiting, figures, { now, customers })}
${!isErrorOpen && findingSection(findings, operations)}
${dueSection(soonest, figures, { now, customers })}
${outcomeSection(window, outcomes, figures)}
<h2>How it runs</h2><p>${healthBadge(visit.health)} <a href="/system">Each part</a></p>${trafficCards({ operations, received, backlog, now })}
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

async function readOutcomes({ options, now }: Visit, window: WindowName): Promise<Outcomes> {
  const { db, organisationId } = options;
  const stretches = stretchesOf(window, now);
  const from = stretches[0] ?? now;
  const { stretchHours } = WINDOWS[window];
  const query = { organisationId, from, stretchHours };
  const [activity, period] = await Promise.all([
    readActivity(db, query),
    readLookupPeriod(db, query),
  ]);
  const { summary: lookups, stretches: lookupActivity } = period;
  return { stretches, activity, lookups, lookupActivity };
}

function topFigures(figures: OpenFigures, operations: Operations, now: Date): Html {
  const waiting = countWaiting(figures);
  const errors = operations.findingsOpen.get('error') ?? 0;
  return html`<dl class="figures">
<div><dt><a href="/alerts?state=open">Open</a></dt><dd>${figures.open}</dd></div>
<div${waiting > 0 && html` class="attention"`}><dt><a href="/reviews">Need a decision</a></dt><dd>${waiting}</dd>${figures.nextActAt !== null && html`<dd class="note">the first: ${timeLeft(figures.nextActAt, now)}</dd>`}</div>
<div><dt><a href="/alerts?state=open">Next deadline</a></dt><dd class="small">${figures.nearestDeadlineAt === null ? html`<span class="quiet">none</span>` : timeLeft(figures.nearestDeadlineAt, now)}</dd></div>
<div${figures.missed > 0 && html` class="alarm"`}><dt>Missed, ever</dt><dd>${figures.missed}</dd><dd class="note">${figures.missed === 0 ? 'must stay 0' : html`<a href="/alerts?state=all&amp;missed=yes">see which</a>`}</dd></div>
<div${errors > 0 && html` class="alarm"`}><dt><a href="/findings">Findings</a></dt><dd>${[...operations.findingsOpen.values()].reduce((sum, count) => sum + count, 0)}</dd></div>
</dl>`;
}

function countWaiting({ byState }: OpenFigures): number {
  return AWAITS_DECISION.reduce((sum, state) => sum + (byState.get(state) ?? 0), 0);
}

function peopleFirst(items: readonly AlertListItem[], figures: OpenFigures, of: Shown): Html {
  const more = countWaiting(figures) - items.length;
  return html`<h2>Needs a person first</h2>
${items.length === 0 ? emptyState('Nobody is needed right now.', 'What the policy cannot decide alone appears here, nearest deadline first.') : caseList(items, of)}
${items.length > 0 && html`<p><a class="button" href="/reviews">Work through ${more > 0 ? `all ${countWaiting(figures)}` : 'them'}</a></p>`}`;
}

function dueSection(items: readonly AlertListItem[], figures: OpenFigures, of: Shown): Html {
  const all = figures.open - countWaiting(figures);
  return html`<h2>On their way, by time left</h2>
${
  items.length === 0
    ? emptyState(
        figures.open === 0 ? 'No alert is open.' : 'Every open alert waits for a person.',
        html`New ones appear here by themselves. <a href="/alerts?state=closed">See what came of the last ones</a>.`,
      )
    : caseList(items, of)
}
${all > items.length && html`<p><a href="/alerts?state=open">All ${figures.open} open alerts</a></p>`}`;
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

interface Outcomes {
  readonly stretches: readonly Date[];
  readonly activity: readonly ActivityFigure[];
  readonly lookups: LookupSummary;
  readonly lookupActivity: readonly { at: Date; lookups: number; deflected: number }[];
}

/** Endings that count as resolved by us or by the network. */
const REFUNDED: readonly ActivityMeasure[] = ['closed:DECLARED_REFUND', 'closed:RECONCILED_RDR'];
const ACCEPTED: readonly ActivityMeasure[] = ['closed:DECLARED_ACCEPT'];
const OTHERWISE: readonly ActivityMeasure[] = [
  'closed:CLOSED_REMOTE',
  'closed:CLOSED_INVALID',
  'closed:CONFLICT',
];

function outcomeSection(window: WindowName, outcomes: Outcomes, figures: OpenFigures): Html {
  const { activity, stretches, lookups, lookupActivity } = outcomes;
  const count = (measures: readonly ActivityMeasure[]): number =>
    activity
      .filter(({ measure }) => measures.includes(measure))
      .reduce((sum, row) => sum + row.count, 0);
  const line = (measures: readonly ActivityMeasure[]): number[] =>
    valuesFor(
      stretches,
      activity.filter(({ measure }) => measures.includes(measure)),
      (row) => row.count,
    );
  return html`<div class="bar"><h2>What came of it: ${WINDOWS[window].label}</h2>${windowTabs('/', window)}</div>
<dl class="figures">
<div><dt>Received</dt><dd>${count(['received'])}</dd></div>
<div><dt>Refunded</dt><dd>${count(REFUNDED)}</dd><dd class="note">${count(['closed:RECONCILED_RDR'])} of them by the network</dd></div>
<div><dt>Accepted</dt><dd>${count(ACCEPTED)}</dd></div>
<div><dt>Ended otherwise</dt><dd>${count(OTHERWISE)}</dd><dd class="note">resolved elsewhere, withdrawn, conflict</dd></div>
<div${count(['missed']) > 0 && html` class="alarm"`}><dt>Missed</dt><dd>${count(['missed'])}</dd></div>
<div><dt>Money refunded by us</dt><dd class="small">${sums(moneyOf(activity))}</dd>${figures.reversed > 0 && html`<dd class="note">${figures.reversed} failed later, ever</dd>`}</div>
<div><dt>Sales protected</dt><dd class="small">${sums(lookups.protectedMoney)}</dd><dd class="note">disputes deflected by our answers</dd></div>
<div><dt>Lookups</dt><dd>${lookups.all.lookups}</dd><dd class="note">${lookups.all.answered} answered</dd></div>
<div><dt>Deflection rate</dt><dd>${lookups.deflectionPercent === null ? html`<span class="quiet">–</span>` : `${lookups.deflectionPercent} %`}</dd><dd class="note">${lookups.all.deflected} of ${lookups.all.deflected + lookups.all.notDeflected} decided</dd></div>
</dl>
<div class="columns">${chart({
    title: 'Alerts',
    stretches,
    series: [
      { label: 'received', values: line(['received']) },
      { label: 'refunded', values: line(REFUNDED) },
      { label: 'accepted', values: line(ACCEPTED) },
    ],
  })}${chart({
    title: 'Lookups',
    stretches,
    series: [
      { label: 'lookups', values: valuesFor(stretches, lookupActivity, (row) => row.lookups) },
      { label: 'deflected', values: valuesFor(stretches, lookupActivity, (row) => row.deflected) },
    ],
  })}</div>`;
}

/** Our confirmed refunds, by currency. */
function moneyOf(activity: readonly ActivityFigure[]): Money[] {
  const byCurrency = new Map<string, number>();
  for (const { measure, currency, amountMinor } of activity) {
    if (measure !== 'refund') continue;
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + amountMinor);
  }
  return [...byCurrency]
    .map(([currency, amountMinor]) => ({ currency, amountMinor }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
