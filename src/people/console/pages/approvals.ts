/**
 * What two people are asked to agree to, each thing by its name: a refund, with the button that agrees to it and to nothing
 * else, or what one of them says of money, which another must say as well.
 */
import type { Approval } from '../../../alerts/guard/guard-status.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { moneyText } from '../../../surface/view/money.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { moment } from '../../../surface/view/time.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import type { CaseView } from './case-view.ts';

/** All that wait for a second person. */
export function approvalForms(
  visit: Visit,
  { alertId, approvals, detail }: Pick<CaseView, 'alertId' | 'approvals' | 'detail'>,
): Html {
  const row = detail.case;
  const waits = row?.state === 'HUMAN' && row.hold_reason === 'approval_needed';
  const pending = approvals.filter(({ state }) => state === 'PENDING');
  return html`${pending.map((approval) =>
    approval.kind === 'REFUND'
      ? waits && refundForm(visit, { alertId, approval })
      : wordForm(visit, { alertId, approval }),
  )}`;
}

interface Asked {
  readonly alertId: string;
  readonly approval: Approval;
}

function refundForm(visit: Visit, { alertId, approval }: Asked): Html {
  const { csrfToken } = visit;
  const agreed = approval.approvers.includes(visit.who.name);
  return html`<div class="banner info"><p><strong>Two people are needed</strong> to refund ${moneyText(approval)} on charge <code>${approval.chargeReference}</code>. Agreed so far: ${namesOf(approval)}.</p>
<div class="actions">${
    agreed
      ? html`<p class="quiet">You agreed. Another person must too.</p>`
      : html`<form method="post" action="${alertPath(alertId)}/approve">${csrfField(csrfToken)}${idField(approval)}<button class="small">Agree to refund ${moneyText(approval)}</button></form>`
  }${declineForm(visit, { alertId, approval })}</div></div>`;
}

/** It is not agreed to with a click: the second person looks where the money is, and says the same. */
function wordForm(visit: Visit, { alertId, approval }: Asked): Html {
  const { kind, chargeReference, reference } = approval;
  if (kind === null || kind === 'REFUND') return html``;
  const said = approval.approvers.includes(visit.who.name);
  return html`<div class="banner info"><p><strong>Two people must say it:</strong> ${WORDS[kind](moneyText(approval))} on charge <code>${chargeReference}</code>${reference !== null && html`, reference <code>${reference}</code>`}. Said so far by ${namesOf(approval)}. It moves no money and has no effect before.</p>
<div class="actions">${
    said
      ? html`<p class="quiet">You said so. Another person must too.</p>`
      : html`<a class="button small" href="${alertPath(alertId)}/decide?action=${kind}">Say the same…</a>`
  }${declineForm(visit, { alertId, approval })}</div></div>`;
}

const WORDS = {
  REFUNDED_OUTSIDE: (sum: string) => `${sum} went back outside the processor`,
  DID_EXECUTE: (sum: string) => `the refund was carried out with ${sum}`,
  ACCEPT_DISPUTE: (sum: string) => `the dispute is accepted although ${sum} went back`,
} as const;

function declineForm({ csrfToken }: Visit, { alertId, approval }: Asked): Html {
  return html`<form method="post" action="${alertPath(alertId)}/decline">${csrfField(csrfToken)}${idField(approval)}<button class="plain small">Decline</button></form>`;
}

/** What the form answers: what is beside its button. */
function idField({ id }: Approval): Html {
  return html`<input type="hidden" name="approval_id" value="${id}">`;
}

function namesOf({ approvers }: Approval): string {
  return approvers.length === 0 ? 'nobody' : approvers.join(', ');
}

/** How an approval ended that is asked for no longer. */
export function approvalNote(approval: Approval): Html | false {
  if (approval.state === 'PENDING') return false;
  const { kind, state, settledAt, settledBecause, approvers } = approval;
  const agreed = approvers.length === 0 ? 'nobody had agreed' : `agreed: ${approvers.join(', ')}`;
  const what =
    kind === null || kind === 'REFUND'
      ? `agree to refund ${moneyText(approval)}`
      : `say that ${WORDS[kind](moneyText(approval))}`;
  return html`<p class="quiet">Two people were asked to ${what}: ${APPROVAL_ENDS[state]}${settledAt !== null && html` at ${moment(settledAt)}`} (${agreed}).${settledBecause !== null && ` ${settledBecause}`}</p>`;
}

const APPROVAL_ENDS = {
  APPROVED: 'they did',
  DECLINED: 'declined',
  REPLACED: 'asked for again, because something else was wanted',
  OVERTAKEN: 'no longer asked for',
} as const satisfies Record<Exclude<Approval['state'], 'PENDING'>, string>;
