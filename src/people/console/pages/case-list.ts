/** Alerts as a list of cards: the time left, what it is about, what happens next. */
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import type { AlertListItem } from '../../../alerts/list/alert-list.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { programmeWords, reasonWords } from '../../../service/wire/code-words.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { amount } from '../../../surface/view/money.ts';
import { timeLeft } from '../../../surface/view/time.ts';
import {
  nextText,
  nextWords,
  spokenName,
  stateBadge,
  timeToDecide,
} from '../../../surface/view/words.ts';

/** @param customers who bought it, by alert */
export function caseList(
  items: readonly AlertListItem[],
  { now, customers }: { readonly now: Date; readonly customers: ReadonlyMap<string, string> },
): Html {
  return html`<ol class="cases">${items.map((item) => html`<li>${caseSummary(item, now, customers.get(item.alertId))}</li>`)}</ol>`;
}

/** One case, without its frame. */
function caseSummary(item: AlertListItem, now: Date, customer: string | undefined): Html {
  const { alertId, state, deadlineAt } = item;
  return html`<div>${!isTerminal(state) && html`${state === 'HUMAN' ? timeToDecide(item, now) : timeLeft(deadlineAt, now)} `}${stateBadge(state)}</div>
<div class="amount">${amount(item.amountMinor, item.currency)}</div>
<div class="about"><a href="${alertPath(alertId)}" title="${alertId}" aria-label="${spokenName(item, customer)}">${customer ?? 'customer not known'}</a> <span class="quiet">${aboutWords(item)}</span></div>
<div class="next">${saysItsFate(item) ? nextText(item) : nextWords(item)}</div>`;
}

/** What happens without a decision is beside the time left already. */
function saysItsFate({ state, fallbackAction, fallbackAt, deadlineAt }: AlertListItem): boolean {
  const isAhead = fallbackAction !== null && fallbackAt !== null && fallbackAt < deadlineAt;
  return state === 'HUMAN' && isAhead;
}

function aboutWords(item: AlertListItem): string {
  const parts = [
    item.cardLast4 === null ? null : `card ···· ${item.cardLast4}`,
    item.reasonCode === null ? null : reasonWords(item.reasonCode),
    item.descriptor,
    item.enrolmentType === null ? null : programmeWords(item.enrolmentType),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
