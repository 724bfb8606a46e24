/** What a person can do about an alert, as forms on its page: each is there only when it may be done. */
import type { CaseRow } from '../../../alerts/cases/case.store.ts';
import { isOver } from '../../../alerts/cases/claim.ts';
import { waitsForCharge } from '../../../alerts/review/choose-charge.ts';
import { offeredActions } from '../../../alerts/review/offered-actions.ts';
import type { OperatorAction } from '../../../alerts/review/operator-decision.ts';
import { DECIDABLE } from '../../../alerts/review/operator-decision.ts';
import { isTimeToRefund } from '../../../alerts/review/persons-verdict.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { NOTE_LENGTH_MAX } from '../../../surface/web/query.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { approvalForms } from './approvals.ts';
import { candidateChoice, chargeByName } from './candidates.ts';
import type { CaseView } from './case-view.ts';
import { claimForm } from './review-acts.ts';

/** What the button says of each action; the order of the rest is that of the offer. */
const BUTTONS: Readonly<Record<OperatorAction, string>> = {
  REFUND: 'Refund…',
  ACCEPT_DISPUTE: 'Accept the dispute…',
  REFUNDED_OUTSIDE: 'It was refunded outside…',
  DID_EXECUTE: 'It did execute…',
  DID_NOT_EXECUTE: 'It did not execute…',
  JOIN_DISPUTE: 'It is the same complaint…',
  SEPARATE_DISPUTE: 'It is another complaint…',
  NOT_OURS: 'It is not ours…',
  RETRY: 'Try again…',
};

export interface ActionFacts
  extends Pick<CaseView, 'alertId' | 'detail' | 'ledger' | 'approvals' | 'claimedBy' | 'lineUp'> {
  readonly row: CaseRow;
  /** Who else may decide. */
  readonly colleagues: readonly string[];
}

/** The actions of a case; those of one that is over are seldom any. */
export function caseActions(visit: Visit, facts: ActionFacts): Html {
  const { who } = visit;
  const { alertId, row, ledger, claimedBy } = facts;
  const isBeforeDeadline = !isOver(row, visit.now);
  const isTimeLeft = isTimeToRefund(row, visit.now);
  const offered = offeredActions({
    state: row.state,
    alertId,
    ledger,
    isBeforeDeadline,
    isTimeLeft,
  });
  if (offered.length === 0 && !waitsForCharge(row)) return html``;
  if (!isAtLeast(who.role, 'reviewer')) {
    return html`<p class="quiet">You see this alert as a viewer; deciding takes the role reviewer.</p>`;
  }
  const path = `${alertPath(alertId)}/decide`;
  const isMine = claimedBy === who.name;
  return html`${claimedBy !== null && html`<p><span class="state ${isMine ? 'good' : 'warn'}">${isMine ? 'claimed by you' : `with ${claimedBy}`}</span></p>`}
${approvalForms(visit, facts)}
<div class="actions">${offered.map(
    (action, index) =>
      html`<a class="${index === 0 && action !== 'RETRY' ? 'button' : 'button plain'}" href="${path}?action=${action}">${BUTTONS[action]}</a>
`,
  )}${row.state === 'HUMAN' && claimForm(visit, alertId, { isMine, back: 'case' })}</div>
${handOverForm(visit, facts)}
${chooseForm(visit, facts)}`;
}

/** To one colleague; a review that somebody else holds is theirs to give away. */
function handOverForm({ csrfToken, who }: Visit, facts: ActionFacts): Html | false {
  const { alertId, row, claimedBy, colleagues } = facts;
  const isFree = claimedBy === null || claimedBy === who.name;
  if (row.state !== 'HUMAN' || !isFree || colleagues.length === 0) return false;
  return html`<details class="fold"><summary>Hand over to a colleague</summary><form method="post" action="${alertPath(alertId)}/hand-over" class="card">${csrfField(csrfToken)}
<label for="to">Colleague</label><select id="to" name="to">${colleagues.map((name) => html`<option>${name}</option>`)}</select>
<p class="quiet">The review is then theirs for half an hour; the deadline stays. Write a comment if they need to know more.</p>
<p class="actions"><button class="small">Hand over</button></p></form></details>`;
}

/** Naming the charge without deciding: the policy then decides again. What is over keeps its answer, and counts on that charge. */
function chooseForm({ csrfToken }: Visit, { alertId, lineUp, row }: ActionFacts): Html | false {
  const isOver = waitsForCharge(row);
  const isOpenQuestion = row.charge_reference === null && DECIDABLE.includes(row.state);
  if (!isOver && (!isOpenQuestion || lineUp.placed.length === 0)) return false;
  const summary = isOver
    ? 'Name the charge that this alert was about'
    : 'Choose the charge and let the policy decide';
  return html`<details class="fold"><summary>${summary}</summary><form method="post" action="${alertPath(alertId)}/choose" class="card">${csrfField(csrfToken)}
${isOver && html`<p class="quiet">The answer stays. What was said, or refunded, for this alert counts on that charge from then on.</p>`}
${lineUp.placed.length > 0 ? candidateChoice(lineUp) : chargeByName('choose-charge')}
<label for="choose-note">Why (optional)</label><input id="choose-note" name="note" maxlength="${NOTE_LENGTH_MAX}">
<p class="actions"><button class="small">Choose this charge</button></p></form></details>`;
}
