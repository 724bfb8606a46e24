/** What waits for the person who looks as the second of two: refunds, words about money, and what capabilities know of. */
import type { WaitingApproval } from '../../../alerts/guard/approval.store.ts';
import { approvalsFor } from '../../../alerts/guard/approval.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { moneyText } from '../../../surface/view/money.ts';
import { moment } from '../../../surface/view/time.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { forSecondPerson } from '../page-parts.ts';

/** Of each kind; the others come forth as these are answered. */
const SHOWN = 5;

/** Nothing where no one waits for this person. */
export async function secondPersonBanner(visit: Visit): Promise<Html | false> {
  const { options, who, now } = visit;
  const { db, organisationId } = options;
  if (!isAtLeast(who.role, 'reviewer')) return false;
  const [approvals, further] = await Promise.all([
    approvalsFor(db, { organisationId, operator: who.name, now, limit: SHOWN }),
    forSecondPerson(visit, SHOWN),
  ]);
  if (approvals.length + further.length === 0) return false;
  return html`<section class="banner info" aria-label="Waits for a second person"><p><strong>Waits for you as the second person:</strong></p><ul class="plain-list">${approvals.map(approvalLine)}${further}</ul></section>`;
}

const WORDS: Readonly<Record<WaitingApproval['kind'], (sum: string) => string>> = {
  REFUND: (sum) => `refund ${sum}`,
  REFUNDED_OUTSIDE: (sum) => `${sum} went back outside the processor`,
  DID_EXECUTE: (sum) => `the refund was carried out with ${sum}`,
  ACCEPT_DISPUTE: (sum) => `the dispute is accepted although ${sum} went back`,
};

function approvalLine({ alertId, kind, approvers, askedAt, ...sum }: WaitingApproval): Html {
  const by = approvers.length === 0 ? 'asked by the policy' : `said by ${approvers.join(', ')}`;
  return html`<li><a href="${alertPath(alertId)}">${WORDS[kind](moneyText(sum))}</a>, ${by} <span class="quiet">${moment(askedAt)}</span></li>`;
}
