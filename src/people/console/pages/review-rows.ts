/** The rows of the queue: dense, one line each, and two lines each where there is no room for columns. */
import { holdSentence } from '../../../alerts/cases/hold-reason.ts';
import type { Review } from '../../../alerts/review/review-queue.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { amount } from '../view/money.ts';
import { shortAge, shortTimeLeft } from '../view/time.ts';
import type { Visit } from '../visit.ts';
import type { ReviewQuery } from './review-query.ts';
import { intoPane, reviewsPath } from './review-query.ts';

export interface QueueRows {
  readonly query: ReviewQuery;
  readonly reviews: readonly Review[];
  /** By the reference of their order. */
  readonly customers: ReadonlyMap<string, string>;
  readonly open: string | undefined;
  readonly mayDecide: boolean;
}

export function queueTable(visit: Visit, of: QueueRows): Html {
  return html`<div class="table scroll" tabindex="0" role="region" aria-label="Reviews"><table class="rows" data-queue>
<thead><tr>${of.mayDecide && html`<th scope="col" class="col-pick"><input type="checkbox" data-pick-all aria-label="Tick all that are shown" hidden></th>`}${sortHead(of, 'acts', 'Acts in')}${sortHead(of, 'amount', 'Amount')}<th scope="col" class="col-card">Card</th><th scope="col" class="col-reason">Reason</th><th scope="col" class="col-customer">Customer</th><th scope="col">Why held</th>${sortHead(of, 'age', 'Age')}${sortHead(of, 'who', 'Who')}</tr></thead>
<tbody>${of.reviews.map((review) => row(visit, of, review))}</tbody></table></div>`;
}

/** What a column is sorted by first: the soonest, the largest, the oldest, what nobody has. */
const FIRST_SORTS = { acts: 'acts', amount: '-amount', age: '-age', who: 'who' } as const;
type SortedColumn = keyof typeof FIRST_SORTS;

/** A heading that leads to the same queue in another order, and to the reverse of that. */
function sortHead({ query, open }: QueueRows, column: SortedColumn, words: string): Html {
  const isSorted = query.sort === column || query.sort === `-${column}`;
  const reverse = query.sort === column ? (`-${column}` as const) : column;
  const sort = isSorted ? reverse : FIRST_SORTS[column];
  const direction = query.sort === column ? 'ascending' : 'descending';
  return html`<th scope="col" class="col-${column}${column === 'amount' && ' number'}"${isSorted && html` aria-sort="${direction}"`}><a class="sort" href="${reviewsPath({ ...query, sort }, { open })}">${words}</a></th>`;
}

/** What Forestall does by itself, in a word. */
const THEN = { REFUND: 'refund', ACCEPT_DISPUTE: 'accept' } as const;

function row(visit: Visit, of: QueueRows, review: Review): Html {
  const { alertId, fallbackAction, holdReason, orderReference } = review;
  const customer = orderReference === null ? undefined : of.customers.get(orderReference);
  const path = reviewsPath(of.query, { open: alertId });
  // Where no charge is chosen this is only whom the likeliest one names.
  const isGuess = review.chargeReference === null;
  const then = fallbackAction === null ? 'nobody' : THEN[fallbackAction];
  return html`<tr data-alert="${alertId}"${alertId === of.open && html` aria-current="true"`}>
${of.mayDecide && html`<td class="pick"><input type="checkbox" form="several" name="id" value="${alertId}" aria-label="Tick ${alertId}"></td>`}
<td class="acts">${shortTimeLeft(review.actsAt, visit.now)} <span class="quiet" title="${thenWords(then)}">${then === 'nobody' ? 'deadline' : `→ ${then}`}</span></td>
<th scope="row" class="number"><a href="${path}"${intoPane(path)} title="${alertId}">${amount(review.amountMinor, review.currency)}</a></th>
<td class="card-number">${review.cardLast4 === null ? html`<span class="quiet">none</span>` : `···· ${review.cardLast4}`}</td>
<td class="reason">${review.reasonCode ?? html`<span class="quiet">none</span>`}</td>
<td class="customer"${customer !== undefined && html` title="${isGuess ? `${customer}, of the likeliest charge` : customer}"`}>${customer === undefined ? html`<span class="quiet">not known</span>` : html`${customer}${isGuess && html` <span class="quiet">?</span>`}`}</td>
<td class="why"${holdReason !== null && html` title="${holdSentence(holdReason)}"`}>${(holdReason ?? 'held').replaceAll('_', ' ')}${review.comments > 0 && html` <span class="quiet" title="comments">${review.comments}\u00a0✎</span>`}</td>
<td class="age">${shortAge(review.openedAt, visit.now)}</td>
<td class="${review.claimedBy === null ? 'free' : 'taken'}">${holder(visit, review)}</td></tr>`;
}

function thenWords(then: 'refund' | 'accept' | 'nobody'): string {
  if (then === 'nobody') return 'Nothing happens by itself: decide before the deadline';
  return then === 'refund' ? 'then it is refunded' : 'then the dispute is accepted';
}

function holder({ who }: Visit, { claimedBy }: Review): Html {
  if (claimedBy === null) return html`<span class="quiet">nobody</span>`;
  if (claimedBy === who.name) return html`<span class="state good">you</span>`;
  return html`<span class="state warn" title="${claimedBy}">${claimedBy}</span>`;
}
