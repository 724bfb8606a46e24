/**
 * Several reviews at once: accept them, hand them over, or comment on them. One confirmation names how many there are and
 * how much money they are about, by currency; each is then done by itself, and what could not be done is named.
 */
import type { RequestHandler, Router } from 'express';
import { findCase } from '../../../alerts/cases/case.store.ts';
import { caseEtag } from '../../../alerts/cases/case-etag.ts';
import type { ReviewAct } from '../../../alerts/review/review.ts';
import { commentOnReview, handOverReview } from '../../../alerts/review/review.ts';
import type { Review } from '../../../alerts/review/review-queue.store.ts';
import { listReviews } from '../../../alerts/review/review-queue.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Money } from '../../../base/kernel/money.ts';
import { plainly } from '../../../surface/access/needs.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { amount, moneyText } from '../../../surface/view/money.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { numeric, table } from '../../../surface/view/table.ts';
import { shortTimeLeft } from '../../../surface/view/time.ts';
import { LIMIT_DEFAULT, NOTE_LENGTH_MAX, note, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  fieldsOf,
  filledField,
  goTo,
  page,
  send,
  sendError,
} from '../../../surface/web/visit.ts';
import { colleaguesOf, refusalOf } from './review-acts.ts';

/** What can be done with several. A refund is decided one by one. */
const ACTS = ['accept', 'hand-over', 'comment'] as const;
type SeveralAct = (typeof ACTS)[number];

export function registerSeveral(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/reviews/several', {
    get: page(context, 'reviewer', confirm),
    post: [form, page(context, plainly('reviewer'), carryOut)],
  });
}

interface Picked {
  readonly act: SeveralAct;
  readonly ids: readonly string[];
  /** The filters to go back to. */
  readonly from: string;
}

function pickedOf(params: URLSearchParams): Picked | undefined {
  const act = ACTS.find((one) => one === params.get('act'));
  const ids = [...new Set(params.getAll('id'))];
  if (act === undefined || ids.length === 0 || ids.length > LIMIT_DEFAULT) return undefined;
  return { act, ids, from: new URLSearchParams(params.get('from') ?? '').toString() };
}

function backTo(from: string, extra = ''): string {
  const query = [from, extra].filter((part) => part !== '').join('&');
  return query === '' ? '/reviews' : `/reviews?${query}`;
}

async function confirm(visit: Visit): Promise<void> {
  const { originalUrl } = visit.request;
  const picked = pickedOf(new URL(originalUrl, 'http://console').searchParams);
  if (picked === undefined) {
    return sendError(visit, 400, {
      title: 'Nothing is ticked',
      message: `Tick one to ${LIMIT_DEFAULT} reviews, then choose what to do with them.`,
    });
  }
  await sendConfirmation(visit, picked);
}

async function sendConfirmation(visit: Visit, picked: Picked, fault?: string): Promise<void> {
  const { act, ids, from } = picked;
  const { db, organisationId } = visit.options;
  const reviews = await readPicked(visit, ids);
  if (reviews.length === 0) {
    return sendError(visit, 409, {
      title: 'None of them waits any more',
      message: 'Somebody decided them, you perhaps in another tab, or Forestall did.',
      next: { path: backTo(from), words: 'Back to the reviews' },
    });
  }
  const cases = await Promise.all(
    reviews.map(({ alertId }) => findCase(db, organisationId, alertId)),
  );
  const seen = cases.flatMap((row) =>
    row === undefined ? [] : [`${row.alert_id} ${caseEtag(row)}`],
  );
  const gone = ids.length - reviews.length;
  const title = titleOf(act, reviews);
  const body = html`<p class="crumbs"><a href="${backTo(from)}">Back to the reviews</a></p><h1>${title}</h1>
${fault !== undefined && html`<p class="banner error" role="alert">${fault}</p>`}
${gone > 0 && html`<p class="banner">${gone} of those ticked ${gone === 1 ? 'does' : 'do'} not wait any more and ${gone === 1 ? 'is' : 'are'} left out.</p>`}
<form method="post" action="/reviews/several" class="card">${csrfField(visit.csrfToken)}
<input type="hidden" name="act" value="${act}"><input type="hidden" name="from" value="${from}">
${reviews.map(({ alertId }) => html`<input type="hidden" name="id" value="${alertId}">`)}
${seen.map((mark) => html`<input type="hidden" name="seen" value="${mark}">`)}
<p>${EFFECTS[act]}</p>
${await actFields(visit, act)}
<p class="actions"><button>${title.replace(/\?$/, '')}</button><a class="button plain" href="${backTo(from)}" data-key="Escape">Cancel</a></p></form>
<h2>Which</h2>${pickedTable(visit, reviews)}`;
  send(visit, { status: fault === undefined ? 200 : 400, title, active: '/reviews', body });
}

const EFFECTS: Readonly<Record<SeveralAct, string>> = {
  accept:
    'No money moves; the service is told for each of them that the dispute may continue. The answers are final. One for which money went back already is left out: decide it on its own page.',
  'hand-over':
    'Each is then your colleague’s for half an hour; the deadlines stay. A review that a colleague holds stays with them.',
  comment: 'The same comment is written on each of them.',
};

function titleOf(act: SeveralAct, reviews: readonly Review[]): string {
  const count = reviews.length;
  const reviewWords = `${count} ${count === 1 ? 'review' : 'reviews'}`;
  const sum = sumText(reviews);
  if (act === 'accept') return `Accept ${count} ${count === 1 ? 'dispute' : 'disputes'}: ${sum}?`;
  return act === 'comment'
    ? `Comment on ${reviewWords}: ${sum}?`
    : `Hand over ${reviewWords}: ${sum}?`;
}

export function sumText(reviews: readonly Pick<Review, 'amountMinor' | 'currency'>[]): string {
  const sums = new Map<string, number>();
  let unknown = 0;
  for (const { amountMinor, currency } of reviews) {
    if (amountMinor === null || currency === null) unknown += 1;
    else sums.set(currency, (sums.get(currency) ?? 0) + amountMinor);
  }
  const known = [...sums].map(([currency, amountMinor]): Money => ({ currency, amountMinor }));
  const words = known
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
    .map((money) => moneyText(money));
  return [...words, ...(unknown === 0 ? [] : [`${unknown} without an amount`])].join(' + ');
}

async function actFields(visit: Visit, act: SeveralAct): Promise<Html> {
  if (act === 'hand-over') {
    const colleagues = await colleaguesOf(visit);
    return html`<label for="to">Colleague</label><select id="to" name="to" required autofocus>${colleagues.map((name) => html`<option>${name}</option>`)}</select>`;
  }
  const isComment = act === 'comment';
  return html`<label for="note">${isComment ? 'Comment' : 'Note on each (optional)'}</label>
<textarea id="note" name="note" rows="3" maxlength="${NOTE_LENGTH_MAX}" autofocus${isComment && html` required`}></textarea>`;
}

function pickedTable({ now }: Visit, reviews: readonly Review[]): Html {
  return table({
    label: 'The reviews',
    columns: ['Alert', numeric('Amount'), 'Card', 'Reason', 'Acts in', 'Who'],
    rows: reviews.map((review) => [
      html`<a href="${alertPath(review.alertId)}">${review.alertId}</a>`,
      amount(review.amountMinor, review.currency),
      review.cardLast4 !== null && `···· ${review.cardLast4}`,
      review.reasonCode,
      shortTimeLeft(review.actsAt, now),
      review.claimedBy ?? 'nobody',
    ]),
  });
}

async function readPicked(visit: Visit, alertIds: readonly string[]): Promise<Review[]> {
  const { db, organisationId } = visit.options;
  return await listReviews(db, { organisationId, now: visit.now, limit: LIMIT_DEFAULT, alertIds });
}

async function carryOut(visit: Visit): Promise<void> {
  const { request } = visit;
  const picked = pickedOf(
    new URLSearchParams(typeof request.body === 'string' ? request.body : ''),
  );
  if (picked === undefined) {
    return sendError(visit, 400, {
      title: 'Nothing is ticked',
      message: 'Go back and tick some reviews.',
    });
  }
  const text = read(note, filledField(request, 'note')?.replaceAll('\r\n', '\n') ?? '');
  const to = fieldOf(request, 'to');
  if (!text.ok || (picked.act === 'comment' && text.value === '')) {
    await sendConfirmation(visit, picked, 'Write something, without card numbers.');
    return;
  }
  if (picked.act === 'hand-over' && !(await colleaguesOf(visit)).some((name) => name === to)) {
    await sendConfirmation(visit, picked, 'Choose a colleague who may decide.');
    return;
  }
  const marks = new Map(
    fieldsOf(request, 'seen').map((mark): [string, string] => {
      const [alertId = '', seen = ''] = mark.split(' ');
      return [alertId, seen];
    }),
  );
  const failed: { alertId: string; message: string }[] = [];
  // One after the other: each takes its own locks, and a person reads the list in this order.
  for (const alertId of picked.ids) {
    const seen = marks.get(alertId);
    const message = await doOne(visit, { act: picked.act, alertId, seen, text: text.value, to });
    if (message !== undefined) failed.push({ alertId, message });
  }
  const done = picked.ids.length - failed.length;
  if (failed.length === 0) return goTo(visit, backTo(picked.from, `count=${done}`));
  sendFailed(visit, { picked, done, failed });
}

interface One {
  readonly act: SeveralAct;
  readonly alertId: string;
  readonly seen: string | undefined;
  readonly text: string;
  readonly to: string | undefined;
}

/** Why it was not done; undefined when it was. */
async function doOne(visit: Visit, one: One): Promise<string | undefined> {
  const { options, who, now } = visit;
  const { act, alertId, seen, text, to } = one;
  const review: ReviewAct = {
    organisationId: options.organisationId,
    alertId,
    operator: who.name,
    now,
  };
  if (act === 'comment') return refusalOf(await commentOnReview(options.db, review, text));
  if (act === 'hand-over') return refusalOf(await handOverReview(options.db, review, to ?? ''));
  // Without the mark of what was shown, nothing is accepted unseen.
  if (seen === undefined) return 'It was not on the page that you confirmed.';
  const outcome = await options.decide({
    organisationId: options.organisationId,
    alertId,
    operator: who.name,
    action: 'ACCEPT_DISPUTE',
    note: text === '' ? undefined : text,
    seen,
  });
  return outcome.ok ? undefined : outcome.message;
}

function sendFailed(
  visit: Visit,
  of: {
    readonly picked: Picked;
    readonly done: number;
    readonly failed: readonly { readonly alertId: string; readonly message: string }[];
  },
): void {
  const { picked, done, failed } = of;
  const title = `${done} done, ${failed.length} not`;
  const body = html`<h1>${title}</h1>${table({
    label: 'What was not done',
    columns: ['Alert', 'Why not'],
    rows: failed.map(({ alertId, message }) => [
      html`<a href="${alertPath(alertId)}">${alertId}</a>`,
      html`<span class="long">${message}</span>`,
    ]),
  })}<p class="actions"><a class="button" href="${backTo(picked.from)}">Back to the reviews</a></p>`;
  send(visit, { status: 409, title, active: '/reviews', body });
}
