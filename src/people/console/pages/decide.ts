/**
 * Deciding about an alert: the confirmation, which says what the click does, and the click.
 *
 * A form carries the mark of the case its page showed; if the case moved on meanwhile the decision is
 * refused and the page shows why. A second click meets a case that is decided. Before money moves, or a word
 * stands for money, the person has proved within a quarter of an hour who they are.
 */
import type { RequestHandler, Router } from 'express';
import { caseEtag } from '../../../alerts/cases/case-etag.ts';
import type { OperatorAction } from '../../../alerts/review/operator-decision.ts';
import { isMovableAmount, minorUnitDigits } from '../../../base/kernel/money.ts';
import type { AlertDetail } from '../../../books/insights/alert-detail.store.ts';
import { minorOf } from '../alert-search.ts';
import { isFresh } from '../auth.ts';
import { decimal, decisionBody, decisionOf, NEEDS_PROOF, NOTE_LENGTH_MAX, read } from '../query.ts';
import { route } from '../reply.ts';
import { html } from '../view/html.ts';
import { csrfField } from '../view/shell.ts';
import { timeLeft } from '../view/time.ts';
import { stateBadge } from '../view/words.ts';
import type { PageContext, Visit } from '../visit.ts';
import { fieldOf, filledField, page, send, sendError } from '../visit.ts';
import { alertPath } from './case-list.ts';
import { currencyOf, fieldsOf, needsReason, stopOfAction, wordsOf } from './decide-form.ts';
import { ledgerOf, readDetail } from './read-detail.ts';

export function registerDecide(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/alerts/:id/decide', { get: page(context, 'reviewer', confirm) });
  route(router, '/alerts/:id/decision', { post: [form, page(context, 'reviewer', decide)] });
}

async function confirm(visit: Visit): Promise<void> {
  const reading = read(decisionBody, { action: visit.request.query['action'] });
  if (!reading.ok) {
    const message = 'Choose an action on the page of the alert.';
    sendError(visit, 400, { title: 'No such action', message });
    return;
  }
  const { action } = reading.value;
  if (mustProve(visit, action)) return;
  await sendConfirmation(visit, { status: 200, action });
}

/** Sends a person to prove who they are, when money would move; they come back to this page. */
function mustProve({ caller, now, request, response }: Visit, action: OperatorAction): boolean {
  if (!NEEDS_PROOF.has(action) || isFresh(caller, now)) return false;
  const id = encodeURIComponent(String(request.params['id']));
  const back = `/alerts/${id}/decide?action=${action}`;
  response.redirect(303, `/confirm?next=${encodeURIComponent(back)}`);
  return true;
}

interface Confirmation {
  readonly status: number;
  readonly action: OperatorAction;
  /** Why the last attempt was not accepted. */
  readonly fault?: string;
}

async function sendConfirmation(visit: Visit, how: Confirmation): Promise<void> {
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { alertId, detail } = found;
  const { action, fault } = how;
  const ledger = await ledgerOf(visit, detail.case);
  const stop = stopOfAction(action, visit.health);
  const subject = { action, detail, ledger, stop };
  const words = wordsOf(subject);
  const path = alertPath(alertId);
  const row = detail.case;
  const isReason = needsReason(action);
  const body = html`<p class="crumbs"><a href="${path}">Back to alert ${alertId}</a></p>
<h1>${words.title}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${stop !== undefined && html`<p class="banner error" role="alert"><strong>Nothing is sent now:</strong> ${stop.detail}. What you decide is kept, and carried out once that is over, if the deadline has not passed by then.</p>`}
<div class="card">
${row !== undefined && html`<p>${timeLeft(row.deadline_at, visit.now)} ${stateBadge(row.state)}</p>`}
<p>${words.effect}</p>
<form method="post" action="${path}/decision">${csrfField(visit.csrfToken)}
<input type="hidden" name="action" value="${action}">
${row !== undefined && html`<input type="hidden" name="seen" value="${caseEtag(row)}">`}
${fieldsOf(subject)}
<label for="note">${isReason ? 'Reason' : 'Note (optional)'}</label>
<textarea id="note" name="note" rows="3" maxlength="${NOTE_LENGTH_MAX}"${isReason && html` required`} aria-describedby="note-hint"></textarea>
<p class="quiet" id="note-hint">Kept in the audit log; the service is not told. No card numbers.</p>
<p class="actions"><button>${words.button}</button>
<a class="button plain" href="${path}">Cancel</a></p>
</form></div>`;
  const title = `${words.title} ${alertId}`;
  send(visit, { status: how.status, title, active: '/alerts', body });
}

const OUTCOME_STATUS = { not_found: 404, conflict: 409, refused: 422 } as const;

async function decide(visit: Visit): Promise<void> {
  const { options, request, response, who } = visit;
  const reading = read(decisionBody, {
    action: fieldOf(request, 'action'),
    note: filledField(request, 'note')?.replaceAll('\r\n', '\n'),
    charge_reference: filledField(request, 'charge_reference'),
    despite_in_cents: numberField(request, 'despite_in_cents'),
    reference: filledField(request, 'reference'),
    dispute_id: filledField(request, 'dispute_id'),
    seen: filledField(request, 'seen'),
  });
  if (!reading.ok) {
    const message = reading.faults.map((fault) => fault.message).join(' ');
    sendError(visit, 400, { title: 'Not accepted', message });
    return;
  }
  const { action, note } = reading.value;
  if (mustProve(visit, action)) return;
  const refuse = (status: number, fault: string): Promise<void> =>
    sendConfirmation(visit, { status, action, fault });
  if (needsReason(action) && note === undefined) return await refuse(400, 'Write down the reason.');
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { alertId, detail } = found;
  const amount = await amountOf(visit, detail);
  if (amount === null) return await refuse(400, NO_AMOUNT);
  const by = { organisationId: options.organisationId, alertId, operator: who.name };
  const said = { ...reading.value, ...(amount === undefined ? {} : { amount_in_cents: amount }) };
  const outcome = await options.decide(decisionOf(said, by));
  if (outcome.ok) {
    response.redirect(303, `${alertPath(alertId)}?decided=1`);
    return;
  }
  await refuse(OUTCOME_STATUS[outcome.reason], outcome.message);
}

const NO_AMOUNT =
  'The amount must be a number above zero like 129.90, with no more digits after the point than the currency has.';

/** The amount as the person wrote it, in minor units. Undefined: left empty. Null: it is none. */
async function amountOf(visit: Visit, detail: AlertDetail): Promise<number | null | undefined> {
  const text = filledField(visit.request, 'amount');
  if (text === undefined) return undefined;
  const currency = currencyOf({ detail, ledger: await ledgerOf(visit, detail.case) });
  const digits = minorUnitDigits(currency ?? '');
  const [, fraction = ''] = text.split('.');
  if (currency === null || !decimal.safeParse(text).success || fraction.length > digits)
    return null;
  const amountMinor = minorOf(text, digits);
  return isMovableAmount(amountMinor) ? amountMinor : null;
}

function numberField(request: Visit['request'], name: string): number | undefined {
  const text = filledField(request, name);
  return text === undefined ? undefined : Number(text);
}
