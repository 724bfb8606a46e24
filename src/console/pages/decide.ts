/**
 * Deciding about an alert: the confirmation, which says what the click does, and the click.
 *
 * A form carries the mark of the case its page showed; if the case moved on meanwhile the decision is
 * refused and the page shows why. A second click meets a case that is decided. Before a refund the person
 * has proved within a quarter of an hour who they are.
 */
import type { RequestHandler, Router } from 'express';
import type { OperatorAction } from '../../cases/operator-decision.ts';
import { caseEtag } from '../../cases/case-etag.ts';
import type { AlertDetail } from '../../insights/alert-detail.store.ts';
import { isFresh } from '../auth.ts';
import { decisionBody, decisionOf, NOTE_LENGTH_MAX, read } from '../query.ts';
import { route } from '../reply.ts';
import type { Html } from '../view/html.ts';
import { html } from '../view/html.ts';
import { amountText } from '../view/money.ts';
import { csrfField } from '../view/shell.ts';
import { timeLeft } from '../view/time.ts';
import { stateBadge } from '../view/words.ts';
import type { PageContext, Visit } from '../visit.ts';
import { fieldOf, filledField, page, send, sendError } from '../visit.ts';
import { alertPath } from './case-list.ts';
import { candidatesOf } from './case-match.ts';
import { readDetail } from './read-detail.ts';

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
  if (action !== 'REFUND' || isFresh(caller, now)) return false;
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
  const sum = amountText(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null);
  const words = wordsOf(action, sum);
  const path = alertPath(alertId);
  const row = detail.case;
  const body = html`<p class="crumbs"><a href="${path}">Back to alert ${alertId}</a></p>
<h1>${words.title}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
<div class="card">
${row !== undefined && html`<p>${timeLeft(row.deadline_at, visit.now)} ${stateBadge(row.state)}</p>`}
<p>${words.effect}</p>
<form method="post" action="${path}/decision">${csrfField(visit.csrfToken)}
<input type="hidden" name="action" value="${action}">
${row !== undefined && html`<input type="hidden" name="seen" value="${caseEtag(row)}">`}
${action === 'REFUND' && chargeField(detail)}
<label for="note">${action === 'REFUND' ? 'Reason' : 'Note (optional)'}</label>
<textarea id="note" name="note" rows="3" maxlength="${NOTE_LENGTH_MAX}"${action === 'REFUND' && html` required`} aria-describedby="note-hint"></textarea>
<p class="quiet" id="note-hint">Kept in the audit log and sent to the service with the answer. No card numbers.</p>
<p class="actions"><button>${words.button}</button>
<a class="button plain" href="${path}">Cancel</a></p>
</form></div>`;
  const title = `${words.title} ${alertId}`;
  send(visit, { status: how.status, title, active: '/alerts', body });
}

interface ActionWords {
  readonly title: string;
  readonly button: string;
  readonly effect: string;
}

function wordsOf(action: OperatorAction, sum: string): ActionWords {
  const about = `The alert is about ${sum}.`;
  switch (action) {
    case 'REFUND':
      return {
        title: 'Refund?',
        button: `Refund ${sum}`,
        effect: `${about} Forestall refunds the charge at the processor, after its usual checks, and then tells the service. Money moves and the answer is final.`,
      };
    case 'ACCEPT_DISPUTE':
      return {
        title: 'Accept the dispute?',
        button: 'Accept the dispute',
        effect: `${about} No money moves; the service is told that the dispute may go on. The answer is final.`,
      };
    case 'RETRY':
      return {
        title: 'Try again?',
        button: 'Try again',
        effect:
          'Forestall goes on where it got stuck: it asks the processor and the service again and, where a refund stands, declares it. Nothing is refunded twice.',
      };
  }
}

/** Which charge: the one on record, or the one the person chooses or names. */
function chargeField({ case: row, match }: AlertDetail): Html {
  if (row?.charge_reference != null) {
    return html`<p>Charge <code>${row.charge_reference}</code>.</p>`;
  }
  const candidates = candidatesOf(match);
  if (candidates.length === 0) {
    return html`<label for="charge">Charge to refund (the processor's reference)</label>
<input id="charge" name="charge_reference" required autocomplete="off">`;
  }
  return html`<fieldset><legend>Which charge is meant?</legend>${candidates.map(
    (
      one,
    ) => html`<label class="inline"><input type="radio" name="charge_reference" value="${one.reference}" required>
<span><code>${one.reference}</code>${one.orderReference !== null && html`, order ${one.orderReference}`}${one.for.length > 0 && html`<br><span class="for">${one.for.join(', ')}</span>`}${one.against.length > 0 && html`<br><span class="against">${one.against.join(', ')}</span>`}</span></label>`,
  )}</fieldset>`;
}

const OUTCOME_STATUS = { not_found: 404, conflict: 409, refused: 422 } as const;

async function decide(visit: Visit): Promise<void> {
  const { options, request, response, who } = visit;
  const reading = read(decisionBody, {
    action: fieldOf(request, 'action'),
    note: filledField(request, 'note')?.replaceAll('\r\n', '\n'),
    charge_reference: filledField(request, 'charge_reference'),
    seen: filledField(request, 'seen'),
  });
  if (!reading.ok) {
    const message = reading.faults.map((fault) => fault.message).join(' ');
    sendError(visit, 400, { title: 'Not accepted', message });
    return;
  }
  const { action, note } = reading.value;
  if (mustProve(visit, action)) return;
  if (action === 'REFUND' && note === undefined) {
    await sendConfirmation(visit, { status: 400, action, fault: 'Write down the reason.' });
    return;
  }
  const found = await readDetail(visit);
  if (found === undefined) return;
  const { alertId } = found;
  const by = { organisationId: options.organisationId, alertId, operator: who.name };
  const outcome = await options.decide(decisionOf(reading.value, by));
  if (outcome.ok) {
    response.redirect(303, `${alertPath(alertId)}?decided=1`);
    return;
  }
  const { reason, message } = outcome;
  await sendConfirmation(visit, { status: OUTCOME_STATUS[reason], action, fault: message });
}
