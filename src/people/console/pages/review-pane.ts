/** The case that is open beside the queue: what is needed to decide it, and the decision itself. */
import { isOver } from '../../../alerts/cases/claim.ts';
import { readLedger } from '../../../alerts/ledger/ledger.store.ts';
import { readAlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import { offeredActions } from '../../../alerts/review/offered-actions.ts';
import { isTimeToRefund } from '../../../alerts/review/persons-verdict.ts';
import type { Review } from '../../../alerts/review/review-queue.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import type { BelowCase } from '../../../surface/on-reviews.ts';
import { icon } from '../../../surface/view/icon.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { amount } from '../../../surface/view/money.ts';
import { caseTime, holdWords, nextWords, stateBadge } from '../../../surface/view/words.ts';
import { isFresh } from '../../../surface/web/auth.ts';
import { NEEDS_PROOF } from '../../../surface/web/query.ts';
import type { ReviewQuery } from '../../../surface/web/review-query.ts';
import { filterText, intoPane, reviewsPath } from '../../../surface/web/review-query.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { belowCase } from '../page-parts.ts';
import { approvalForms } from './approvals.ts';
import { candidateCards } from './candidates.ts';
import { nextFactsOf } from './case-description.ts';
import { story } from './case-story.ts';
import type { CaseView } from './case-view.ts';
import { readCaseView } from './case-view.ts';
import { accountFacts, alertLine, purchaseFacts } from './case-who.ts';
import { decisionForm } from './decision-form.ts';
import { claimForm } from './review-acts.ts';
import { handOverPath } from './review-several.ts';

/** Where the pane is. */
export interface PaneOf {
  readonly query: ReviewQuery;
  readonly reviews: readonly Review[];
  readonly open: string | undefined;
}

/** The pane, or what is in its place. */
export async function reviewPane(visit: Visit, pane: PaneOf): Promise<Html> {
  const { db, organisationId } = visit.options;
  const { open: alertId, reviews } = pane;
  const away = html`<section id="pane" class="pane" aria-label="The open review">${doneBanner(pane.query)}</section>`;
  if (alertId === undefined) return away;
  // The list names the charge of most: what takes longest begins first.
  const listed = reviews.find((review) => review.alertId === alertId)?.chargeReference ?? null;
  const [detail, ledger] = await Promise.all([
    readAlertDetail(db, organisationId, alertId),
    listed === null ? undefined : readLedger(db, { organisationId, chargeReference: listed }),
  ]);
  if (detail === undefined) return away;
  const isListed = listed === (detail.case?.charge_reference ?? null);
  // What is below is noted as seen: only of an alert that is shown.
  const [view, below] = await Promise.all([
    readCaseView(visit, { alertId, detail, ...(isListed && { ledger }) }),
    belowCase(visit, { alertId, back: reviewsPath(pane.query, { open: alertId }) }),
  ]);
  return html`<section id="pane" class="pane${pane.query.open !== undefined && ' chosen'}" aria-label="The open review" data-alert="${alertId}">
<p class="crumbs only-narrow"><a href="${reviewsPath(pane.query)}">${icon('arrow-left')} All that waits</a></p>
${doneBanner(pane.query)}
${head(visit, view)}
${await decide(visit, view, pane)}
${caseBody(view, below)}</section>`;
}

function doneBanner({ decided, count }: ReviewQuery): Html | false {
  if (decided !== undefined) {
    return html`<p class="banner done" role="status">Decided: <a href="${alertPath(decided)}">${decided}</a>.</p>`;
  }
  return (
    count !== undefined &&
    html`<p class="banner done" role="status">Done: ${count} ${count === '1' ? 'review' : 'reviews'}.</p>`
  );
}

function head(visit: Visit, { alertId, detail, claimedBy }: CaseView): Html {
  const row = detail.case;
  const isMine = claimedBy === visit.who.name;
  return html`<div class="bar"><h2>${amount(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null)}${row !== undefined && html` ${stateBadge(row.state)}`}${claimedBy !== null && html` <span class="state ${isMine ? 'good' : 'warn'}">${isMine ? 'yours' : `with ${claimedBy}`}</span>`}</h2>
<a class="small-text" href="${alertPath(alertId)}" data-key="o" data-command="Open the whole page">${alertId}</a></div>
<p>${alertLine(detail)}</p>
${row !== undefined && (row.state === 'HUMAN' ? html`<p>${caseTime(row, visit.now)}. ${holdWords(row.hold_reason)}</p>` : html`<p>${nextWords(nextFactsOf(row))}</p>`)}`;
}

/** The form of the action that was chosen; else the choice. */
async function decide(visit: Visit, view: CaseView, pane: PaneOf): Promise<Html | false> {
  const { alertId, detail, ledger } = view;
  const { query } = pane;
  const row = detail.case;
  if (row === undefined || !isAtLeast(visit.who.role, 'reviewer')) return false;
  const isBeforeDeadline = !isOver(row, visit.now);
  const isTimeLeft = isTimeToRefund(row, visit.now);
  const offered = offeredActions({
    state: row.state,
    alertId,
    ledger,
    isBeforeDeadline,
    isTimeLeft,
  });
  const chosen = offered.find((action) => action === query.action);
  if (chosen === undefined) return html`${buttons(visit, view, { pane, offered })}`;
  const here = reviewsPath(query, { open: alertId, action: chosen });
  if (NEEDS_PROOF.has(chosen) && !isFresh(visit.caller, visit.now)) {
    return html`<div class="card decision"><p>Money moves, so say first that it is you. You come back to this review.</p><p class="actions"><a class="button" autofocus href="/confirm?next=${encodeURIComponent(here)}">Prove who you are</a></p></div>`;
  }
  const back = reviewsPath(query, {
    open: nextAfter(visit, pane),
    action: chosen,
    decided: alertId,
  });
  const cancel = reviewsPath(query, { open: alertId });
  const { form } = await decisionForm(visit, view, {
    action: chosen,
    back,
    cancel,
    isInPane: true,
  });
  return form;
}

/** The review that opens after this one is decided: what somebody else has claimed is theirs, and passed over. */
function nextAfter({ who }: Visit, { reviews, open }: PaneOf): string | undefined {
  const place = reviews.findIndex(({ alertId }) => alertId === open);
  const inTurn = [...reviews.slice(place + 1), ...reviews.slice(0, Math.max(place, 0))];
  return inTurn.find((review) => isFree(review, who.name))?.alertId;
}

/** Whether this person may decide it as far as claims go. */
export function isFree({ claimedBy }: Review, name: string): boolean {
  return claimedBy === null || claimedBy === name;
}

const CHOICES = {
  REFUND: { key: 'r', text: 'Refund…' },
  ACCEPT_DISPUTE: { key: 'a', text: 'Accept the dispute…' },
} as const;

function buttons(
  visit: Visit,
  view: CaseView,
  { pane, offered }: { readonly pane: PaneOf; readonly offered: readonly string[] },
): Html | false {
  const { alertId, detail, claimedBy } = view;
  if (offered.length === 0) return false;
  const link = (action: keyof typeof CHOICES, kind: string): Html | false => {
    const path = reviewsPath(pane.query, { open: alertId, action });
    const { key, text } = CHOICES[action];
    return (
      offered.includes(action) &&
      html`<a class="${kind}" data-key="${key}" data-command="${text}" href="${path}"${intoPane(path)}>${text} <kbd aria-hidden="true">${key}</kbd></a>`
    );
  };
  const others = offered.filter((action) => !(action in CHOICES)).length;
  const isMine = claimedBy === visit.who.name;
  const back = reviewsPath(pane.query, { open: alertId });
  return html`${approvalForms(visit, view)}<div class="actions">${link('REFUND', 'button')}${link('ACCEPT_DISPUTE', 'button plain')}${detail.case?.state === 'HUMAN' && html`${claimForm(visit, alertId, { isMine, back })}<a class="button plain" data-key="h" data-command="Hand over…" href="${handOverPath(alertId, filterText(pane.query))}">Hand over… <kbd aria-hidden="true">h</kbd></a>`}${others > 0 && html`<a class="small-text" href="${alertPath(alertId)}">${others} more ${others === 1 ? 'way' : 'ways'} to decide</a>`}</div>`;
}

function caseBody(view: CaseView, below: readonly BelowCase[]): Html {
  const several = view.lineUp.placed.length > 1 && candidateCards(view.lineUp);
  return html`<h3>The purchase</h3>${purchaseFacts(view)}${accountFacts(view.account)}
${several}
<h3>What happened</h3>${story(view)}
${below.map(({ title, body }) => html`<h3>${title}</h3>${body}`)}`;
}
