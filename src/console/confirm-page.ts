/** The page in front of a decision: what the click does, and what it needs to know. */
import type { OperatorAction } from '../cases/operator-decision.ts';
import type { AlertDetail } from '../insights/alert-detail.store.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import { csrfField, renderPage } from './page-shell.ts';
import { NOTE_LENGTH_MAX } from './query.ts';
import { amountWords, stateBadge, timeLeft } from './words.ts';

/** What the confirmation asks about. */
export interface ConfirmPage {
  readonly alertId: string;
  readonly action: OperatorAction;
  readonly detail: AlertDetail;
  readonly now: Date;
  readonly csrfToken: string;
  /** Why the last attempt was not accepted. */
  readonly fault?: string | undefined;
}

interface ActionWords {
  readonly title: string;
  readonly button: string;
  readonly effect: string;
}

function wordsOf(action: OperatorAction, amount: string): ActionWords {
  const about = `The alert is about ${amount}.`;
  switch (action) {
    case 'REFUND':
      return {
        title: 'Refund?',
        button: `Refund ${amount}`,
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

/** Asks once more, and says what the click does. */
export function confirmPage(page: ConfirmPage): string {
  const { alertId, action, detail, now, csrfToken, fault } = page;
  const amount = amountWords(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null);
  const words = wordsOf(action, amount);
  const path = `/alerts/${encodeURIComponent(alertId)}`;
  const body = html`<p><a href="${path}">Back to alert ${alertId}</a></p>
<h1>${words.title}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${detail.case !== undefined && html`<p>${timeLeft(detail.case.deadline_at, now)} ${stateBadge(detail.case.state)}</p>`}
<p>${words.effect}</p>
<form method="post" action="${path}/decision">${csrfField(csrfToken)}
<input type="hidden" name="action" value="${action}">
${action === 'REFUND' && chargeField(detail)}
<label for="note">Note for the record (optional)</label>
<textarea id="note" name="note" rows="3" maxlength="${NOTE_LENGTH_MAX}"></textarea>
<p class="actions"><button>${words.button}</button>
<a class="button plain" href="${path}">Cancel</a></p>
</form>`;
  return renderPage({ title: `${words.title} ${alertId}`, body, csrfToken });
}

/** Which charge: the one on record, or the one the person names. */
function chargeField({ case: row, match }: AlertDetail): Html {
  if (row?.charge_reference != null) {
    return html`<p>Charge <code>${row.charge_reference}</code>.</p>`;
  }
  const candidates = referencesOf(match?.candidates);
  return html`<label for="charge">Charge to refund (the processor's reference)</label>
<input id="charge" name="charge_reference" required autocomplete="off">
${
  candidates.length > 0 &&
  html`<p class="quiet">Candidates: ${candidates.map((reference) => html`<code>${reference}</code> `)}</p>`
}`;
}

/** The references among a match's candidates, as far as they can be read. */
function referencesOf(candidates: unknown): string[] {
  if (!Array.isArray(candidates)) return [];
  return candidates.flatMap((candidate: unknown) =>
    typeof candidate === 'object' &&
    candidate !== null &&
    'reference' in candidate &&
    typeof candidate.reference === 'string'
      ? [candidate.reference]
      : [],
  );
}
