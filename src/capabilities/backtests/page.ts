/**
 * Backtests: a policy tried on past alerts. Asked for here by an administrator, run by a worker, and kept
 * for everybody to read. Nothing is put in force.
 */
import type { Router } from 'express';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { listPolicyVersions } from '../../policy/policy-list.store.ts';
import { plainly } from '../../surface/access/needs.ts';
import { isAtLeast } from '../../surface/access/role.ts';
import { descriptionList } from '../../surface/view/description-list.ts';
import { BACKGROUND, csrfField } from '../../surface/view/shell.ts';
import { table } from '../../surface/view/table.ts';
import { moment } from '../../surface/view/time.ts';
import { plainText, read } from '../../surface/web/query.ts';
import { route } from '../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../surface/web/visit.ts';
import { goTo, page, send, sendError } from '../../surface/web/visit.ts';
import type { BacktestItem, BacktestRow, BacktestVerdict } from './backtest.store.ts';
import {
  endBacktest,
  findBacktest,
  listBacktests,
  requestBacktest,
  UNFINISHED_MAX,
} from './backtest.store.ts';
import type { BacktestState } from './backtest.table.ts';
import type { Filled } from './form.ts';
import { backtestBody, backtestForm, readBacktest } from './form.ts';
import { backtestResult } from './result.ts';

/** Characters of a version that name it to people. */
const SHORT = 12;

/** Backtests on the page of policies. */
const LISTED = 10;

export function registerBacktests(router: Router, context: PageContext): void {
  const body = backtestBody(context);
  route(router, '/policies/backtests', {
    get: page(context, 'viewer', (visit) => showAll(visit, { status: 200, filled: {} })),
    post: [body, page(context, plainly('administrator'), begin)],
  });
  route(router, '/policies/backtests/:id', { get: page(context, 'viewer', showOne) });
  route(router, '/policies/backtests/:id/stop', {
    post: [body, page(context, plainly('administrator'), stop)],
  });
}

interface Asked {
  readonly status: number;
  readonly filled: Filled;
  readonly fault?: string;
}

async function showAll(visit: Visit, { status, filled, fault }: Asked): Promise<void> {
  const { db, organisationId } = visit.options;
  const [versions, items] = await Promise.all([
    listPolicyVersions(db, organisationId),
    listBacktests(db, organisationId, LISTED),
  ]);
  const body = html`<p class="crumbs"><a href="/policies">Policies</a></p><h1>Backtests</h1>
<p class="quiet">A policy is tried on alerts of the past, as they were known when they were decided. A worker does it beside its other work.</p>
${fault !== undefined && html`<div class="banner error" role="alert"><p>Not begun:</p><pre tabindex="0">${fault}</pre></div>`}
<h2>Try a policy</h2>${backtestForm(visit, versions, filled)}
<h2>Results</h2>${backtestTable(items)}`;
  send(visit, { status, title: 'Backtests', active: '/policies', body });
}

/** The newest ones, each with its state. */
export function backtestTable(items: readonly BacktestItem[]): Html {
  if (items.length === 0) return html`<p class="card quiet">None was asked for yet.</p>`;
  return table({
    label: 'Backtests',
    columns: ['Asked for', 'Policy', 'Compared with', 'Alerts decided', 'Result', 'By'],
    rows: items.map((item) => [
      html`<a href="${backtestPath(item.id)}">${moment(item.requested_at)}</a>`,
      html`${item.policy_name} <code>${item.policy_version.slice(0, SHORT)}</code>`,
      againstWords(item),
      html`${moment(item.decided_from)} to ${moment(item.decided_before)}`,
      item.verdict === null ? stateBadge(item.state) : verdictWords(item.verdict),
      item.requested_by,
    ]),
  });
}

const STATES = {
  WAITING: ['waits for a worker', 'plain'],
  RUNNING: ['runs', 'plain'],
  DONE: ['done', 'good'],
  FAILED: ['failed', 'bad'],
  STOPPED: ['stopped', 'plain'],
} as const satisfies Record<BacktestState, readonly [string, string]>;

function stateBadge(state: BacktestState): Html {
  const [word, tone] = STATES[state];
  return html`<span class="state ${tone}">${word}</span>`;
}

/** What came out of it, in a sentence. */
export function verdictWords(verdict: BacktestVerdict): Html {
  const { alerts, changes } = verdict;
  if (alerts === 0) return html`${verdictText(verdict)}`;
  return html`<strong>${changes} of ${alerts}</strong> decided otherwise: ${movesText(verdict)}`;
}

/** The same in plain text. */
export function verdictText(verdict: BacktestVerdict): string {
  const { alerts, changes } = verdict;
  if (alerts === 0) return 'no alert was decided in these days';
  return `${changes} of ${alerts} decided otherwise: ${movesText(verdict)}`;
}

function movesText({ was, is }: BacktestVerdict): string {
  const parts = [
    ['refunds', was.refunds, is.refunds],
    ['accepted', was.accepted, is.accepted],
    ['left to a person', was.reviews, is.reviews],
  ] as const;
  return parts.map(([name, before, after]) => `${name} ${before} → ${after}`).join(', ');
}

export function backtestPath(id: string): string {
  return `/policies/backtests/${encodeURIComponent(id)}`;
}

function againstWords({ against_version: against }: Pick<BacktestItem, 'against_version'>): string {
  return against === null ? 'what was decided then' : `version ${against.slice(0, SHORT)}`;
}

async function begin(visit: Visit): Promise<void> {
  const { options, who, now } = visit;
  const { db, organisationId } = options;
  const asked = await readBacktest(visit);
  if (!asked.ok) {
    await showAll(visit, { status: 400, fault: asked.fault, filled: asked.filled });
    return;
  }
  const { policy, against, from } = asked;
  const request = { organisationId, by: who.name, policy, against, from, before: now, now };
  const id = await requestBacktest(db, request);
  if (id === undefined) {
    const fault = `${UNFINISHED_MAX} are not finished yet. Wait for one, or stop it.`;
    await showAll(visit, { status: 409, fault, filled: {} });
    return;
  }
  goTo(visit, backtestPath(id));
}

async function rowOf(visit: Visit): Promise<BacktestRow | undefined> {
  const { db, organisationId } = visit.options;
  const id = read(plainText, visit.request.params['id']);
  const row = id.ok ? await findBacktest(db, organisationId, id.value) : undefined;
  if (row === undefined) {
    const message = 'It may have given way to newer ones.';
    sendError(visit, 404, { title: 'No such backtest', message });
  }
  return row;
}

async function showOne(visit: Visit): Promise<void> {
  const row = await rowOf(visit);
  if (row === undefined) return;
  const isUnfinished = row.state === 'WAITING' || row.state === 'RUNNING';
  const refresh =
    isUnfinished &&
    html` hx-get="${backtestPath(row.id)}" hx-trigger="every 2s, refresh" hx-select="#live" hx-swap="outerHTML" hx-headers="${BACKGROUND}"`;
  const body = html`<p class="crumbs"><a href="/policies">Policies</a> · <a href="/policies/backtests">Backtests</a></p>
<h1>${row.policy_name} on the past</h1>
<div id="live"${refresh}>
<div class="card">${descriptionList([
    ['State', stateBadge(row.state)],
    ['Policy', html`<code>${row.policy_version}</code>`],
    ['Compared with', againstWords(row)],
    ['Alerts decided', html`${moment(row.decided_from)} to ${moment(row.decided_before)}`],
    ['Asked for', html`${moment(row.requested_at)} by ${row.requested_by}`],
  ])}${isUnfinished && progress(visit, row)}</div>
${row.fault !== null && html`<p class="banner error" role="alert">${row.fault}</p>`}
${row.result !== null && backtestResult(row.result, row.against_version === null ? 'Then' : 'The other')}
</div>
<details class="fold"><summary>Text of this policy</summary><pre tabindex="0">${row.source}</pre></details>`;
  send(visit, { title: 'Backtest', active: '/policies', body });
}

function progress({ who, csrfToken }: Visit, { id, replayed, total }: BacktestRow): Html {
  return html`<p><label for="progress">${total === null ? 'Nothing replayed yet' : `${replayed} of ${total} decisions replayed`}</label> <progress id="progress" max="${total ?? 1}" value="${replayed}"></progress></p>
${isAtLeast(who.role, 'administrator') && html`<form method="post" action="${backtestPath(id)}/stop" class="actions">${csrfField(csrfToken)}<button class="plain small">Stop it</button></form>`}
<p class="quiet">This page refreshes itself. A worker must run: see <a href="/system">System</a>.</p>`;
}

async function stop(visit: Visit): Promise<void> {
  const row = await rowOf(visit);
  if (row === undefined) return;
  const { db, organisationId } = visit.options;
  const end = 'STOPPED';
  await endBacktest(db, { organisationId, id: row.id }, { end, now: visit.now });
  goTo(visit, backtestPath(row.id));
}
