/** The page of one alert: where it stands, why, what was done, and what a person can do. */
import type { RequestHandler, Router } from 'express';
import type { CaseRow } from '../../../alerts/cases/case.store.ts';
import type { CaseState } from '../../../alerts/cases/case-state.ts';
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import type { Approval } from '../../../alerts/guard/guard-status.store.ts';
import { readApproval } from '../../../alerts/guard/guard-status.store.ts';
import type { Ledger } from '../../../alerts/ledger/ledger.ts';
import { findClaim } from '../../../alerts/review/claim.store.ts';
import { listComments } from '../../../alerts/review/review-queue.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { AlertDetail } from '../../../books/insights/alert-detail.store.ts';
import type { CaseNotes } from '../../../books/insights/case-notes.store.ts';
import { readCaseNotes } from '../../../books/insights/case-notes.store.ts';
import type { HealthPart } from '../../../books/insights/health.ts';
import { stopOf } from '../../../books/insights/health.ts';
import { route } from '../reply.ts';
import { amount } from '../view/money.ts';
import { BACKGROUND } from '../view/shell.ts';
import { caseTime, nextWords, stateBadge } from '../view/words.ts';
import type { PageContext, Visit } from '../visit.ts';
import { page, send } from '../visit.ts';
import type { LineUp } from './candidates.ts';
import { readLineUp } from './candidates.ts';
import { approvalNote, caseActions, commentForm } from './case-actions.ts';
import { alertFacts, chargeFacts, decisionList } from './case-facts.ts';
import { alertPath } from './case-list.ts';
import { matchSection } from './case-match.ts';
import type { Remark } from './case-timeline.ts';
import { timeline } from './case-timeline.ts';
import { registerDecide } from './decide.ts';
import { evidenceSection } from './evidence.ts';
import { ledgerOf, readDetail } from './read-detail.ts';
import { colleaguesOf } from './reviews.ts';

export function registerCase(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/alerts/:id', { get: page(context, 'viewer', show) });
  registerDecide(router, context, form);
}

async function show(visit: Visit): Promise<void> {
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { alertId, detail } = found;
  const { db, organisationId } = visit.options;
  const chargeReference = detail.case?.charge_reference ?? null;
  const notes = await readCaseNotes(db, organisationId, { alertId, chargeReference });
  const [comments, approval, claim, colleagues, ledger, lineUp, evidence] = await Promise.all([
    listComments(db, organisationId, alertId),
    readApproval(db, organisationId, alertId),
    findClaim(db, { organisationId, alertId, now: visit.now }),
    colleaguesOf(visit),
    ledgerOf(visit, detail.case),
    readLineUp(visit, detail.match),
    evidenceSection(visit, alertId),
  ]);
  const remarks = comments.map(({ at, operator, text }) => ({ at, by: operator, text }));
  const claimedBy = claim?.operator ?? null;
  const facts = { approval, claimedBy, colleagues, ledger, lineUp, evidence };
  const body = caseBody(visit, { alertId, detail, notes, remarks, ...facts });
  send(visit, { title: alertId, active: '/alerts', body });
}

interface CaseContent {
  readonly alertId: string;
  readonly detail: AlertDetail;
  readonly notes: CaseNotes;
  readonly remarks: readonly Remark[];
  readonly approval: Approval | undefined;
  readonly claimedBy: string | null;
  readonly colleagues: readonly string[];
  readonly ledger: Ledger | undefined;
  readonly lineUp: LineUp;
  readonly evidence: Html;
}

function caseBody(visit: Visit, content: CaseContent): Html {
  const { alertId, detail, notes, remarks, ...rest } = content;
  const { request, now } = visit;
  const row = detail.case;
  const isOpen = row !== undefined && !isTerminal(row.state);
  return html`<p class="crumbs"><a href="/alerts">All alerts</a></p>
<h1>${amount(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null)} <span class="quiet">${alertId}</span></h1>
${request.query['decided'] === '1' && decidedBanner(visit, row)}
<div id="live"${isOpen && refreshed(alertId)}>
${
  row !== undefined &&
  html`<p>${isOpen && caseTime(row, now)} ${stateBadge(row.state)}</p>
<p>${nextWords(nextFactsOf(row))}</p>`
}
${row !== undefined && caseActions(visit, { alertId, detail, row, ...rest })}
${approvalNote(rest.approval)}
<div class="columns"><section class="card"><h2>The alert</h2>${alertFacts(detail)}</section>
<section class="card"><h2>The charge</h2>${chargeFacts(detail, notes.orderReference)}</section></div>
<h2>Why</h2><div class="card">${decisionList(detail)}</div>
<h2>The match</h2><div class="card">${matchSection(detail, rest.lineUp)}</div>
${rest.evidence}
<h2>Timeline</h2><div class="card">${timeline(detail, notes, remarks)}</div></div>
${commentForm(visit, alertId)}`;
}

/** Decided is not done: what a person decided may still wait. */
function decidedBanner({ health }: Visit, row: CaseRow | undefined): Html {
  const part = row === undefined ? undefined : WAITING_PARTS[row.state];
  const stop = part === undefined ? undefined : stopOf(health, part);
  if (stop !== undefined) {
    return html`<p class="banner" role="status"><strong>Your decision is kept, and nothing is sent yet:</strong> ${stop.detail}. It is carried out once that is over, if the deadline has not passed by then.</p>`;
  }
  return html`<p class="banner done" role="status">The decision is taken. The timeline below shows each step.</p>`;
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
function refreshed(alertId: string): Html {
  return html` hx-get="${alertPath(alertId)}" hx-trigger="every 5s, refresh" hx-select="#live" hx-swap="outerHTML" hx-headers="${BACKGROUND}"`;
}

function nextFactsOf(row: NonNullable<AlertDetail['case']>): Parameters<typeof nextWords>[0] {
  return {
    state: row.state,
    holdReason: row.hold_reason,
    fallbackAction: row.fallback_action,
    fallbackAt: row.fallback_at,
    missedAt: row.missed_at,
    lastError: row.last_error,
    nextActionAt: row.next_action_at,
  };
}
