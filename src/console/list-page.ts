/** The first page: what is open, in order of the time left, and whether anything is amiss. */

import { isTerminal } from '../cases/case-state.ts';
import type { AlertListItem } from '../insights/alert-list.store.ts';
import type { Operations } from '../insights/operations.store.ts';
import type { Overview } from '../insights/overview.store.ts';
import { formatMoney } from '../kernel/money.ts';
import type { FindingRow } from '../reconcile/finding.store.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import { renderPage } from './page-shell.ts';
import { amountWords, duration, moment, nextWords, stateBadge, timeLeft } from './words.ts';

/** A worker reports itself every few seconds; one silent for longer than this is gone. */
const WORKER_SILENT_SECONDS = 90;

/** Polling runs every two minutes; longer than this it has stopped. */
const POLL_LATE_MS = 10 * 60_000;

/** Filters of the list, as the query names them. */
const FILTERS = {
  open: 'Open',
  HUMAN: 'Needs a decision',
  closed: 'Over',
  all: 'All',
} as const;

/** What the page shows. */
export interface ListPage {
  readonly items: readonly AlertListItem[];
  readonly state: string;
  /** The cursor of the next page, or null. */
  readonly next: string | null;
  readonly overview: Overview;
  readonly operations: Operations;
  readonly findings: readonly FindingRow[];
  readonly now: Date;
  readonly csrfToken: string;
}

export function listPage(page: ListPage): string {
  const { overview, items, state, now, csrfToken } = page;
  const body = html`<h1>Alerts</h1>
${workerBanner(page.operations)}${pollBanner(page.operations, now)}
<dl class="figures">
<div><dt>Open</dt><dd>${overview.open}</dd></div>
<div><dt>Need a decision</dt><dd>${overview.casesByState.get('HUMAN') ?? 0}</dd></div>
<div><dt>Missed</dt><dd>${overview.missed}</dd></div>
${refundedFigures(overview)}
</dl>
${findingsSection(page.findings)}
<nav aria-label="Filter"><ul>${Object.entries(FILTERS).map(
    ([word, label]) =>
      html`<li><a href="/?state=${word}"${word === state && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
${
  items.length === 0
    ? html`<p>No alert is ${state === 'open' ? 'open' : 'in this list'}.</p>`
    : html`<ol class="cases">${items.map((item) => caseItem(item, now))}</ol>`
}
${page.next !== null && html`<p><a href="/?state=${state}&amp;cursor=${encodeURIComponent(page.next)}">Next page</a></p>`}
<p class="quiet">As of ${moment(now)}. <a href="/?state=${state}">Load again</a></p>`;
  return renderPage({ title: 'Alerts', body, csrfToken });
}

function caseItem(item: AlertListItem, now: Date): Html {
  const { alertId, state, deadlineAt } = item;
  const path = `/alerts/${encodeURIComponent(alertId)}`;
  return html`<li>
<div>${isTerminal(state) ? stateBadge(state) : html`${timeLeft(deadlineAt, now)} ${stateBadge(state)}`}</div>
<div class="amount">${amountWords(item.amountMinor, item.currency)}</div>
<div class="about"><a href="${path}">${alertId}</a> <span class="quiet">${aboutWords(item)}</span></div>
<div class="next">${nextWords(item)}</div>
</li>`;
}

function aboutWords(item: AlertListItem): string {
  const parts = [
    item.descriptor,
    item.cardLast4 === null ? null : `card ···· ${item.cardLast4}`,
    item.reasonCode === null ? null : `reason ${item.reasonCode}`,
    item.enrolmentType,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function refundedFigures(overview: Overview): Html[] {
  return overview.refunded.map(
    (money) =>
      html`<div><dt>Refunded, ${money.count} ${money.count === 1 ? 'time' : 'times'}</dt><dd>${formatMoney(money)}</dd></div>`,
  );
}

function workerBanner({ workers }: Operations): Html | false {
  if (workers.some((worker) => worker.ageSeconds <= WORKER_SILENT_SECONDS)) return false;
  const ages = workers.map((worker) => worker.ageSeconds);
  const since =
    ages.length === 0
      ? 'No worker has reported itself'
      : `No worker has reported itself for ${duration(Math.min(...ages) * 1_000)}`;
  return html`<p class="banner error" role="alert">${since}: nothing is being decided or declared. Start one with <code>forestall work</code>.</p>`;
}

function pollBanner({ lastPollAt }: Operations, now: Date): Html | false {
  if (lastPollAt === null) {
    return html`<p class="banner">The service has not been polled yet: this list holds only what webhooks brought.</p>`;
  }
  const lateMs = now.getTime() - lastPollAt.getTime();
  if (lateMs < POLL_LATE_MS) return false;
  return html`<p class="banner" role="alert">Polling last read the whole list ${duration(lateMs)} ago: what webhooks missed since then is not here.</p>`;
}

function findingsSection(findings: readonly FindingRow[]): Html | false {
  if (findings.length === 0) return false;
  return html`<section aria-labelledby="findings"><h2 id="findings">What does not agree</h2>
${findings.map(
  (finding) =>
    html`<p class="banner ${finding.severity}"><strong>${finding.kind.replaceAll('_', ' ')}</strong>
${finding.subject_id.startsWith('netalrt_') ? html`<a href="/alerts/${encodeURIComponent(finding.subject_id)}">${finding.subject_id}</a>` : finding.subject_id}:
${finding.next_step} <span class="quiet">Since ${moment(finding.opened_at)}.</span></p>`,
)}</section>`;
}
