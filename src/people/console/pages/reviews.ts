/**
 * Reviews: what waits for a person, by the time left until Forestall acts by itself. The list is on the left, the case
 * on the right; after a decision the next case opens. Everything is in the address, so it works without scripts, can
 * be shared and goes back; with scripts the keyboard suffices (`assets/keys.js`).
 */
import type { RequestHandler, Router } from 'express';
import { holdSentence } from '../../../alerts/cases/hold-reason.ts';
import { readCustomerNames } from '../../../alerts/review/review-customers.store.ts';
import type { ReviewSort } from '../../../alerts/review/review-order.store.ts';
import { REVIEW_SORTS } from '../../../alerts/review/review-order.store.ts';
import type { Review, ReviewCounts } from '../../../alerts/review/review-queue.store.ts';
import {
  countReviews,
  listReviews,
  REVIEWS_COUNTED_MAX,
} from '../../../alerts/review/review-queue.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { saidCount } from '../../../base/kernel/said-count.ts';
import { isAtLeast } from '../../../surface/access/role.ts';
import { shortReason } from '../../../surface/view/codes.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { icon } from '../../../surface/view/icon.ts';
import { amount } from '../../../surface/view/money.ts';
import { BACKGROUND } from '../../../surface/view/shell.ts';
import { nextPage } from '../../../surface/view/table.ts';
import { shortAge, shortTimeLeft } from '../../../surface/view/time.ts';
import { spokenName } from '../../../surface/view/words.ts';
import { LIMIT_DEFAULT, nextCursor } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { ReviewQuery } from '../../../surface/web/review-query.ts';
import {
  filterOf,
  filterText,
  fromTheFirst,
  intoPane,
  reviewQuery,
  reviewsPath,
  soonOf,
} from '../../../surface/web/review-query.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { page, readListQuery, send } from '../../../surface/web/visit.ts';
import { aboveSearch, forPerson } from '../page-parts.ts';
import { registerReviewActs } from './review-acts.ts';
import { isFree, reviewPane } from './review-pane.ts';
import { registerSeveral, severalBar } from './review-several.ts';
import { secondPersonBanner } from './second-person.ts';

export function registerReviews(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/reviews', { get: page(context, 'viewer', show) });
  registerSeveral(router, context, form);
  registerReviewActs(router, context, form);
}

async function show(visit: Visit): Promise<void> {
  const { options, now, who } = visit;
  const { db, organisationId } = options;
  const query = readListQuery(visit, reviewQuery, 'Begin without a filter.');
  if (query === undefined) return;
  const { cursor, sort } = query;
  const after = cursor === undefined ? undefined : { place: cursor[0], alertId: cursor[1] };
  const filter = filterOf(query, visit);
  const limit = LIMIT_DEFAULT;
  const [reviews, counts] = await Promise.all([
    listReviews(db, { organisationId, now, limit, after, filter, sort }),
    countReviews(db, { organisationId, operator: who.name, now, actsBefore: soonOf(now) }),
  ]);
  const orders = reviews.map(({ orderReference }) => orderReference);
  const open = openOf(visit, query, reviews);
  const current = filterText(query);
  const [customers, views, pane, second] = await Promise.all([
    readCustomerNames(db, organisationId, orders),
    aboveSearch(visit, { path: '/reviews', query: current, isFiltered: current !== '' }),
    reviewPane(visit, { query, reviews, open }),
    secondPersonBanner(visit),
  ]);
  // Only now: what the pane has shown is no longer new to this person.
  const personal = await forPerson(visit);
  const body = html`<a class="skip" href="#pane">Skip to the decision</a><p class="hidden" aria-live="polite" data-announce></p><div class="bench">
<section class="queue" aria-label="Reviews that wait"><div class="bar"><h1>Reviews</h1>${shareHint(visit, query)}</div>
${personal}${second}${filters(query, counts)}${views}
${queue(visit, { query, reviews, customers, open, counts })}</section>
${pane}</div>`;
  send(visit, { title: 'Reviews', active: '/reviews', body, isWide: true });
}

/** The one that is named; else, or once that is decided, the first that no other person has claimed. */
function openOf(
  { who }: Visit,
  { open, decided }: ReviewQuery,
  reviews: readonly Review[],
): string | undefined {
  const isListed = reviews.some(({ alertId }) => alertId === open);
  if (open !== undefined && (isListed || decided === undefined)) return open;
  return (reviews.find((review) => isFree(review, who.name)) ?? reviews[0])?.alertId;
}

interface QueueContent {
  readonly query: ReviewQuery;
  readonly reviews: readonly Review[];
  /** By the reference of their order. */
  readonly customers: ReadonlyMap<string, string>;
  readonly open: string | undefined;
  readonly counts: ReviewCounts;
}

/** The list; it keeps itself up to date, and leaves the open case alone. */
function queue(visit: Visit, content: QueueContent): Html {
  const { query, reviews, open, counts } = content;
  const isCutShort = !query.sort.endsWith('acts') && counts.all >= REVIEWS_COUNTED_MAX;
  const cursor = nextCursor(reviews, LIMIT_DEFAULT, (last) => [last.place, last.alertId]);
  const mayDecide = isAtLeast(visit.who.role, 'reviewer');
  return html`<div id="queue" hx-get="${reviewsPath(query, { open })}" hx-trigger="every 10s, refresh" hx-select="#queue" hx-swap="outerHTML" hx-headers="${BACKGROUND}">
${
  reviews.length === 0
    ? nothing(query)
    : html`${mayDecide && severalBar(reviewsPath(query).slice('/reviews?'.length))}${queueTable(visit, { ...content, mayDecide })}`
}
${isCutShort && html`<p class="banner info">Sorted are the ${REVIEWS_COUNTED_MAX} reviews that Forestall acts on first; more of them wait. <a href="${reviewsPath(fromTheFirst({ ...query, sort: 'acts' }))}">Show all by the time left</a></p>`}
${nextPage('/reviews', { ...Object.fromEntries(new URLSearchParams(filterText(query))), cursor })}</div>`;
}

function nothing(query: ReviewQuery): Html {
  if (query.cursor !== undefined) {
    return emptyState(
      'Nothing waits any more on this page.',
      html`<a href="${reviewsPath(fromTheFirst(query))}">Show the first page</a>.`,
    );
  }
  if (isFiltered(query)) {
    return emptyState(
      `Nothing waits that fits these filters${chosenWords(query)}.`,
      html`<a href="/reviews">Show all that waits</a>.`,
    );
  }
  return emptyState(
    'Nothing waits for a person.',
    html`What the policy or a guard leaves to people appears here by itself, the nearest moment first. <a href="/alerts?state=closed">See what came of the last alerts</a>, or <a href="/policies">which rules send alerts here</a>.`,
  );
}

/** Words that an address may name and no filter above shows. */
function chosenWords({ held, reason }: ReviewQuery): string {
  const parts = [held && `held for ${held}`, reason && `reason code ${reason}`].filter(Boolean);
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

/** Whether some of what waits may be left out: an order leaves out nothing. */
function isFiltered(query: ReviewQuery): boolean {
  return filterText({ ...query, sort: 'acts' }) !== '';
}

function shareHint({ who }: Visit, query: ReviewQuery): Html {
  const decide =
    isAtLeast(who.role, 'reviewer') && html` · <kbd>r</kbd> refund · <kbd>a</kbd> accept`;
  return html`<p class="quiet small-text keys-hint"><kbd>j</kbd> <kbd>k</kbd> move${decide} · <kbd>?</kbd> all keys${isFiltered(query) && html` · <a href="/reviews">clear filters</a>`}</p>`;
}

/** The filters, each an address of its own. */
function filters(query: ReviewQuery, counts: ReviewCounts): Html {
  const { show: shown, due, held } = query;
  const base = { ...query, show: 'all', due: undefined, held: undefined } as const;
  const entry = (text: string, isOn: boolean, to: ReviewQuery): Html =>
    html`<li><a href="${reviewsPath(fromTheFirst(to))}"${isOn && html` aria-current="true"`}>${text}</a></li>`;
  const isAll = shown === 'all' && due === undefined && held === undefined;
  return html`<nav aria-label="Which reviews" class="which"><ul class="tabs">
${entry(`All ${many(counts.all)}`, isAll, base)}
${entry(`Mine ${many(counts.mine)}`, shown === 'mine', { ...query, show: shown === 'mine' ? 'all' : 'mine' })}
${entry(`Unclaimed ${many(counts.unclaimed)}`, shown === 'unclaimed', { ...query, show: shown === 'unclaimed' ? 'all' : 'unclaimed' })}
${entry(`Due within an hour ${many(counts.dueSoon)}`, due === 'hour', { ...query, due: due === 'hour' ? undefined : 'hour' })}
</ul>
<details class="pick"><summary>${icon('filter')}${held === undefined ? 'Why held' : held.replaceAll('_', ' ')}</summary><ul class="plain-list">${counts.held.map(
    ([reason, count]) =>
      entry(`${reason.replaceAll('_', ' ')} ${many(count)}`, reason === held, {
        ...query,
        held: reason === held ? undefined : reason,
      }),
  )}</ul></details>
<details class="pick"><summary>Sorted by ${SORT_WORDS[query.sort]}</summary><ul class="plain-list">${REVIEW_SORTS.map(
    (sort) => entry(SORT_WORDS[sort], sort === query.sort, { ...query, sort }),
  )}</ul></details></nav>`;
}

const SORT_WORDS: Readonly<Record<ReviewSort, string>> = {
  acts: 'time left',
  '-acts': 'time left, most first',
  '-amount': 'amount, largest first',
  amount: 'amount, smallest first',
  '-age': 'age, oldest first',
  age: 'age, newest first',
  who: 'who, unclaimed first',
  '-who': 'who, Z to A',
};

/** A count, or that there are more than are counted. */
function many(count: number): string {
  return count >= REVIEWS_COUNTED_MAX ? `${saidCount(REVIEWS_COUNTED_MAX)}+` : saidCount(count);
}

interface QueueRows extends Omit<QueueContent, 'counts'> {
  readonly mayDecide: boolean;
}

/** Dense: one line for each review, and two where there is no room for columns. */
function queueTable(visit: Visit, queue: QueueRows): Html {
  return html`<div class="table scroll" tabindex="0" role="region" aria-label="Reviews"><table class="rows" data-queue>
<thead><tr>${queue.mayDecide && html`<th scope="col" class="col-pick"><input type="checkbox" data-pick-all aria-label="Tick all that are shown" hidden></th>`}${sortHead(queue, 'acts', 'Acts in')}${sortHead(queue, 'amount', 'Amount')}<th scope="col" class="col-card">Card</th><th scope="col" class="col-reason">Reason</th><th scope="col" class="col-customer">Customer</th><th scope="col" class="col-why">Why held</th>${sortHead(queue, 'age', 'Age')}${sortHead(queue, 'who', 'Who')}</tr></thead>
<tbody>${queue.reviews.map((review) => row(visit, queue, review))}</tbody></table></div>`;
}

/** What a column is sorted by first: the soonest, the largest, the oldest, what is not claimed. */
const FIRST_SORTS = { acts: 'acts', amount: '-amount', age: '-age', who: 'who' } as const;
type SortedColumn = keyof typeof FIRST_SORTS;

/** A heading that leads to the same queue in another order, and to the reverse of that. */
function sortHead({ query, open }: QueueRows, column: SortedColumn, words: string): Html {
  const isSorted = query.sort === column || query.sort === `-${column}`;
  const reverse = query.sort === column ? (`-${column}` as const) : column;
  const sort = isSorted ? reverse : FIRST_SORTS[column];
  const direction = query.sort === column ? 'ascending' : 'descending';
  return html`<th scope="col" class="col-${column}${column === 'amount' && ' number'}"${isSorted && html` aria-sort="${direction}"`}><a class="sort" href="${reviewsPath(fromTheFirst({ ...query, sort }), { open })}">${words}</a></th>`;
}

/** What Forestall does by itself, in a word. */
const THEN = { REFUND: 'refund', ACCEPT_DISPUTE: 'accept' } as const;

function row(visit: Visit, queue: QueueRows, review: Review): Html {
  const { alertId, fallbackAction, holdReason, orderReference } = review;
  const customer = orderReference === null ? undefined : queue.customers.get(orderReference);
  const path = reviewsPath(queue.query, { open: alertId });
  // Where no charge is chosen this is only whom the likeliest one names.
  const isGuess = review.chargeReference === null;
  const then = fallbackAction === null ? 'nobody' : THEN[fallbackAction];
  const named = spokenName(review, customer);
  return html`<tr data-alert="${alertId}"${alertId === queue.open && html` aria-current="true"`}>
${queue.mayDecide && html`<td class="pick"><input type="checkbox" form="several" name="id" value="${alertId}" aria-label="Tick ${named}"></td>`}
<td class="acts">${shortTimeLeft(review.actsAt, visit.now)} <span class="quiet" title="${thenWords(then)}">${then === 'nobody' ? 'deadline' : `→ ${then}`}</span></td>
<th scope="row" class="number"><a href="${path}"${intoPane(path)} title="${alertId}" aria-label="${named}">${amount(review.amountMinor, review.currency)}</a></th>
<td class="card-number">${review.cardLast4 === null ? html`<span class="quiet">none</span>` : `···· ${review.cardLast4}`}</td>
<td class="reason">${review.reasonCode === null ? html`<span class="quiet">none</span>` : shortReason(review.reasonCode)}</td>
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
