/**
 * Deciding about an alert: the confirmation, which says what the click does, and the click.
 *
 * A form carries the mark of the case its page showed; if the case moved on meanwhile the decision is
 * refused and the page shows why. A second click meets a case that is decided. Before money moves, or a word
 * counts as money, the person has proved within a quarter of an hour who they are.
 */
import type { RequestHandler, Router } from 'express';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import type { OperatorAction } from '../../../alerts/review/operator-decision.ts';
import { html } from '../../../base/kernel/html.ts';
import { isMovableAmount, minorUnitDigits } from '../../../base/kernel/money.ts';
import { asAsked } from '../../../surface/access/needs.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { isFresh } from '../../../surface/web/auth.ts';
import {
  decimal,
  decisionBody,
  decisionOf,
  NEEDS_PROOF,
  read,
} from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  filledField,
  goTo,
  goToConfirm,
  localPath,
  page,
  send,
  sendError,
} from '../../../surface/web/visit.ts';
import { minorOf } from '../alert-search.ts';
import { currencyOf, missingOf, needsReason } from './decide-form.ts';
import type { FormRequest } from './decision-form.ts';
import { decisionForm } from './decision-form.ts';
import { ledgerOf, readDetail } from './read-detail.ts';

export function registerDecide(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/alerts/:id/decide', { get: page(context, 'reviewer', confirm) });
  route(router, '/alerts/:id/decision', {
    post: [form, page(context, asAsked('reviewer'), decide)],
  });
}

async function confirm(visit: Visit): Promise<void> {
  const reading = read(decisionBody, { action: visit.request.query['action'] });
  if (!reading.ok) {
    const message = 'Choose an action on the page of the alert.';
    return sendError(visit, 400, { title: 'No such action', message });
  }
  const { action } = reading.value;
  if (mustProve(visit, action)) return;
  await sendConfirmation(visit, { status: 200, action, back: undefined });
}

/** Sends a person to prove who they are, when money would move; they come back to this page. */
function mustProve(visit: Visit, action: OperatorAction): boolean {
  const { caller, now, request } = visit;
  if (!NEEDS_PROOF.has(action) || isFresh(caller, now)) return false;
  const id = encodeURIComponent(String(request.params['id']));
  const back = `/alerts/${id}/decide?action=${action}`;
  goToConfirm(visit, back);
  return true;
}

async function sendConfirmation(
  visit: Visit,
  how: FormRequest & { status: number },
): Promise<void> {
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { alertId, detail } = found;
  const { title: heading, form } = await decisionForm(visit, { alertId, detail }, how);
  const body = html`<p class="crumbs"><a href="${alertPath(alertId)}">Back to alert ${alertId}</a></p>
<h1>${heading}</h1>
${form}`;
  const title = `${heading} ${alertId}`;
  send(visit, { status: how.status, title, active: '/alerts', body });
}

const OUTCOME_STATUS = { not_found: 404, conflict: 409, refused: 422 } as const;

async function decide(visit: Visit): Promise<void> {
  const { options, request, who } = visit;
  const reading = read(decisionBody, {
    action: fieldOf(request, 'action'),
    note: filledField(request, 'note')?.replaceAll('\r\n', '\n'),
    charge_reference: filledField(request, 'charge_reference'),
    other_card: filledField(request, 'other_card') === undefined ? undefined : true,
    despite_in_cents: numberField(request, 'despite_in_cents'),
    reference: filledField(request, 'reference'),
    dispute_id: filledField(request, 'dispute_id'),
    seen: filledField(request, 'seen'),
  });
  if (!reading.ok) {
    const message = reading.faults.map((fault) => fault.message).join(' ');
    return sendError(visit, 400, { title: 'Not accepted', message });
  }
  const { action, note } = reading.value;
  if (mustProve(visit, action)) return;
  const back = backOf(request);
  const refuse = (status: number, fault: string): Promise<void> =>
    sendConfirmation(visit, { status, action, fault, back });
  if (needsReason(action) && note === undefined) return await refuse(400, 'Write down the reason.');
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { alertId, detail } = found;
  const amount = await amountOf(visit, detail);
  if (amount === null) return await refuse(400, NO_AMOUNT);
  const by = { organisationId: options.organisationId, alertId, operator: who.name };
  const said = { ...reading.value, ...(amount === undefined ? {} : { amount_in_cents: amount }) };
  const outcome = await options.decide(decisionOf(said, by));
  if (outcome.ok) return goTo(visit, back ?? `${alertPath(alertId)}?decided=1`);
  await refuse(OUTCOME_STATUS[outcome.reason], outcome.message);
}

const NO_AMOUNT =
  'The amount must be a number above zero like 129.90, with no more digits after the point than the currency has.';

/** The amount as the person wrote it, in minor units. Undefined: left empty. Null: it is none. */
async function amountOf(visit: Visit, detail: AlertDetail): Promise<number | null | undefined> {
  const text = filledField(visit.request, 'amount');
  if (text === undefined) return undefined;
  const ledger = await ledgerOf(visit, detail.case);
  const currency = currencyOf({ detail, ledger });
  const digits = minorUnitDigits(currency ?? '');
  const [, fraction = ''] = text.split('.');
  if (currency === null || !decimal.safeParse(text).success || fraction.length > digits)
    return null;
  const amountMinor = minorOf(text, digits);
  // The amount that the form was filled in with says no more than "what is missing".
  const isRefund = fieldOf(visit.request, 'action') === 'REFUND';
  if (isRefund && amountMinor === missingOf(ledger, detail.case?.dispute_id)?.amountMinor)
    return undefined;
  return isMovableAmount(amountMinor) ? amountMinor : null;
}

/** Where the person continues after the decision: the next review, when the form was beside the queue. */
function backOf(request: Visit['request']): string | undefined {
  const path = localPath(fieldOf(request, 'back'));
  return path.startsWith('/reviews?') ? path : undefined;
}

function numberField(request: Visit['request'], name: string): number | undefined {
  const text = filledField(request, name);
  return text === undefined ? undefined : Number(text);
}
