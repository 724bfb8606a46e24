/** Alerts as a list of cards: the time left, what it is about, what happens next. */
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { AlertListItem } from '../../../books/insights/alert-list.store.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { amount } from '../../../surface/view/money.ts';
import { timeLeft } from '../../../surface/view/time.ts';
import { nextWords, stateBadge, timeToDecide } from '../../../surface/view/words.ts';

export function caseList(items: readonly AlertListItem[], now: Date): Html {
  return html`<ol class="cases">${items.map((item) => html`<li>${caseSummary(item, now)}</li>`)}</ol>`;
}

/** One case, without its frame. */
function caseSummary(item: AlertListItem, now: Date): Html {
  const { alertId, state, deadlineAt } = item;
  return html`<div>${!isTerminal(state) && html`${state === 'HUMAN' ? timeToDecide(item, now) : timeLeft(deadlineAt, now)} `}${stateBadge(state)}</div>
<div class="amount">${amount(item.amountMinor, item.currency)}</div>
<div class="about"><a href="${alertPath(alertId)}">${alertId}</a> <span class="quiet">${aboutWords(item)}</span></div>
<div class="next">${nextWords(item)}</div>`;
}

function aboutWords(item: AlertListItem): string {
  const parts = [
    item.descriptor,
    item.cardLast4 === null ? null : `card ···· ${item.cardLast4}`,
    item.reasonCode === null ? null : `reason ${item.reasonCode}`,
    item.enrolmentType,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
