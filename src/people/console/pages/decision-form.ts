/**
 * The form in front of a decision: what the click does, what it asks for, and the mark of the case that was shown. It
 * is on a page of its own and beside the queue.
 */
import { caseEtag } from '../../../alerts/cases/case-etag.ts';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import type { OperatorAction } from '../../../alerts/review/operator-decision.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { caseTime, stateBadge } from '../../../surface/view/words.ts';
import { NOTE_LENGTH_MAX } from '../../../surface/web/query.ts';
import { intoPane } from '../../../surface/web/review-query.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { readLineUp } from './candidates.ts';
import { fieldsOf, needsReason, stopOfAction, wordsOf } from './decide-form.ts';
import { ledgerOf } from './read-detail.ts';

export interface FormRequest {
  readonly action: OperatorAction;
  /** Why the last attempt was not accepted. */
  readonly fault?: string | undefined;
  /** A path to continue to after the decision; undefined: the page of the alert. */
  readonly back: string | undefined;
  /** Whether the page shows the state of the case already. @default false */
  readonly isInPane?: boolean;
  /** Where "Cancel" leads. @default the page of the alert */
  readonly cancel?: string | undefined;
}

export async function decisionForm(
  visit: Visit,
  { alertId, detail }: { readonly alertId: string; readonly detail: AlertDetail },
  { action, fault, back, isInPane = false, cancel = alertPath(alertId) }: FormRequest,
): Promise<{ readonly title: string; readonly form: Html }> {
  const ledger = await ledgerOf(visit, detail.case);
  const stop = stopOfAction(action, visit.health);
  const lineUp = await readLineUp(visit, detail.match);
  const subject = { action, detail, ledger, stop, lineUp };
  const words = wordsOf(subject);
  const row = detail.case;
  const isReason = needsReason(action);
  const form = html`${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${stop !== undefined && html`<p class="banner error" role="alert"><strong>Nothing is sent now:</strong> ${stop.detail}. Your decision is kept, and carried out once that is over, if the deadline has not passed by then.</p>`}
<div class="card decision">
${row !== undefined && !isInPane && html`<p>${caseTime(row, visit.now)} ${stateBadge(row.state)}</p>`}
<p>${words.effect}</p>
<form method="post" action="${alertPath(alertId)}/decision" data-decision>${csrfField(visit.csrfToken)}
<input type="hidden" name="action" value="${action}">
${row !== undefined && html`<input type="hidden" name="seen" value="${caseEtag(row)}">`}
${back !== undefined && html`<input type="hidden" name="back" value="${back}">`}
${fieldsOf(subject)}
<label for="note">${isReason ? 'Reason' : 'Note (optional)'}</label>
<textarea id="note" name="note" rows="2" maxlength="${NOTE_LENGTH_MAX}" autofocus${isReason && html` required`} aria-describedby="note-hint"></textarea>
<p class="quiet small-text" id="note-hint">Kept, and shown on the alert’s page; the service is not told. No card numbers.</p>
<p class="actions"><button${words.follows !== undefined && html` data-before="${words.follows.before}" data-after="${words.follows.after}" data-currency="${words.follows.currency}"`}>${words.button}</button>
<a class="button plain" href="${cancel}" data-key="Escape"${isInPane && intoPane(cancel)}>Cancel</a></p>
</form></div>`;
  return { title: words.title, form };
}
