/** The page of one alert: its state, why, what was done, and what a person can do. */
import type { RequestHandler, Router } from 'express';
import type { CaseRow } from '../../../alerts/cases/case.store.ts';
import type { CaseState } from '../../../alerts/cases/case-state.ts';
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import { listComments } from '../../../alerts/review/review-queue.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { readOfAlert } from '../../../capabilities/of-alert.ts';
import type { HealthPart } from '../../../health/health.ts';
import { stopOf } from '../../../health/health.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { amount } from '../../../surface/view/money.ts';
import { BACKGROUND } from '../../../surface/view/shell.ts';
import { caseTime, nextWords, stateBadge } from '../../../surface/view/words.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { namesOfMerchants, page, send } from '../../../surface/web/visit.ts';
import { belowCase, onAlert } from '../page-parts.ts';
import { approvalNote } from './approvals.ts';
import { matchSection } from './candidates.ts';
import { caseActions } from './case-actions.ts';
import {
  alertDescription,
  chargeDescription,
  decisionList,
  nextFactsOf,
} from './case-description.ts';
import { story } from './case-story.ts';
import { timeline } from './case-timeline.ts';
import type { CaseView } from './case-view.ts';
import { readCaseView } from './case-view.ts';
import { accountFacts, purchaseFacts } from './case-who.ts';
import { registerDecide } from './decide.ts';
import { readDetail } from './read-detail.ts';
import { colleaguesOf } from './review-acts.ts';

export function registerCase(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/alerts/:id', { get: page(context, 'viewer', show) });
  registerDecide(router, context, form);
}

async function show(visit: Visit): Promise<void> {
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { db, organisationId } = visit.options;
  const [view, colleagues, ofAlert] = await Promise.all([
    readCaseView(visit, found),
    colleaguesOf(visit),
    readOfAlert(db, organisationId, found.alertId),
  ]);
  const body = await caseBody(visit, { ...view, colleagues, ofCapabilities: ofAlert.lines });
  send(visit, { title: view.alertId, active: '/alerts', body });
}

/** What this page shows besides what the pane of a review shows as well. */
interface WholeCase extends CaseView {
  /** Who else may decide. */
  readonly colleagues: readonly string[];
  /** What capabilities know of it, a line each. */
  readonly ofCapabilities: Awaited<ReturnType<typeof readOfAlert>>['lines'];
}

async function caseBody(visit: Visit, view: WholeCase): Promise<Html> {
  const { alertId, detail, notes } = view;
  const { request, now } = visit;
  const row = detail.case;
  const isOpen = row !== undefined && !isTerminal(row.state);
  const isFullLog = request.query['log'] === 'yes';
  const isOfMerchant = detail.movements.some(({ sent_through: through }) => through !== null);
  const names = isOfMerchant ? await namesOfMerchants(visit) : new Map<string, string>();
  return html`<p class="crumbs"><a href="/alerts">All alerts</a></p>
<h1>${amount(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null)} <span class="quiet">${alertId}</span></h1>
${request.query['decided'] === '1' && decidedBanner(visit, row)}
<div id="live"${isOpen && refreshed(alertId, isFullLog)}>
${
  row !== undefined &&
  html`<p>${isOpen && caseTime(row, now)} ${stateBadge(row.state)}</p>
<p>${nextWords(nextFactsOf(row))}</p>`
}
${row !== undefined && caseActions(visit, { ...view, row })}
${view.approvals.map(approvalNote)}
<div class="case"><div>
<section class="card"><h2>The purchase</h2>${purchaseFacts(view)}</section>
<section class="card"><h2>What happened</h2>${story(view)}${isFullLog ? await fullLog(visit, view) : html`<p><a href="${alertPath(alertId)}?log=yes#log">Full log, to the second</a></p>`}</section>
<section class="card"><h2>Why</h2>${decisionList(detail)}</section>
<section class="card"><h2>The match</h2>${matchSection(detail, view.lineUp)}</section>
${await onAlert(visit, alertId)}
</div><div>
<section class="card"><h2>The alert</h2>${alertDescription(detail)}</section>
<section class="card"><h2>The charge</h2>${chargeDescription(detail, { orderReference: notes.orderReference, ofCapabilities: view.ofCapabilities, names })}${accountFacts(view.account)}</section>
</div></div></div>
${(await belowCase(visit, { alertId, back: 'case' })).map(
  ({ title, body }) => html`<section class="card"><h2>${title}</h2>${body}</section>`,
)}`;
}

/** Every step with seconds, all in one zone. */
async function fullLog(
  { options: { db, organisationId } }: Visit,
  { alertId, detail, notes }: CaseView,
): Promise<Html> {
  const comments = await listComments(db, organisationId, alertId);
  const remarks = comments.map(({ at, operator, text }) => ({ at, by: operator, text }));
  return html`<h3 id="log">Full log, UTC</h3>${timeline(detail, notes, remarks)}<p><a href="${alertPath(alertId)}">Only what happened, in short</a></p>`;
}

/** Decided is not done: what a person decided may still wait. */
function decidedBanner({ health }: Visit, row: CaseRow | undefined): Html {
  const part = row === undefined ? undefined : WAITING_PARTS[row.state];
  const stop = part === undefined ? undefined : stopOf(health, part);
  if (stop !== undefined) {
    return html`<p class="banner" role="status"><strong>Your decision is kept, and nothing is sent yet:</strong> ${stop.detail}. It is carried out once that is over, if the deadline has not passed by then.</p>`;
  }
  return html`<p class="banner done" role="status">The decision is taken. Below is what happens next.</p>`;
}

/** Which part of Forestall a case in this state waits for; one that was held again waits for refunds. */
const WAITING_PARTS: Readonly<Partial<Record<CaseState, HealthPart>>> = {
  DECIDED_REFUND: 'refunding',
  REFUNDING: 'refunding',
  HUMAN: 'refunding',
  DECLARE_REFUND: 'declaring',
  DECIDED_ACCEPT: 'declaring',
  DECLARE_ACCEPT: 'declaring',
};

/** While the case is open its page shows each step as it happens. */
function refreshed(alertId: string, isFullLog: boolean): Html {
  return html` hx-get="${alertPath(alertId)}${isFullLog && '?log=yes'}" hx-trigger="every 5s, refresh" hx-select="#live" hx-swap="outerHTML" hx-headers="${BACKGROUND}"`;
}
