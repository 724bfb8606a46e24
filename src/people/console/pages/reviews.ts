/**
 * Reviews: what waits for a person, least time left first, made to be worked through with the keyboard.
 * Also what a person does with one beside deciding it: claim it, hand it over or back, comment, choose its charge,
 * agree as the second person.
 */
import type { RequestHandler, Router } from 'express';
import { z } from 'zod';
import { holdSentence } from '../../../alerts/cases/hold-reason.ts';
import { APPROVAL_REFUSALS, answerApproval } from '../../../alerts/guard/approve.ts';
import { applyChargeChoice } from '../../../alerts/review/choose-charge.ts';
import { OPERATOR_REFUSALS } from '../../../alerts/review/operator-decision.ts';
import type { ReviewResult } from '../../../alerts/review/review.ts';
import {
  claimReview,
  commentOnReview,
  handBackReview,
  handOverReview,
  REVIEW_REFUSALS,
} from '../../../alerts/review/review.ts';
import type { Review } from '../../../alerts/review/review-queue.store.ts';
import { listReviews } from '../../../alerts/review/review-queue.store.ts';
import { listColleagues } from '../access/operator.store.ts';
import { isAtLeast } from '../access/role.ts';
import { isFresh } from '../auth.ts';
import {
  alertIdOf,
  cursorOf,
  LIMIT_DEFAULT,
  makeCursor,
  microsecondMoment,
  note,
  plainText,
  read,
} from '../query.ts';
import { route } from '../reply.ts';
import type { Html } from '../view/html.ts';
import { html } from '../view/html.ts';
import { amount } from '../view/money.ts';
import { csrfField } from '../view/shell.ts';
import { nextPage } from '../view/table.ts';
import { moment, timeLeft } from '../view/time.ts';
import type { PageContext, Visit } from '../visit.ts';
import { fieldOf, filledField, page, send, sendError } from '../visit.ts';
import { alertPath, emptyState } from './case-list.ts';

const reviewQuery = z.strictObject({
  cursor: cursorOf(z.tuple([microsecondMoment, plainText])).optional(),
});

export function registerReviews(router: Router, context: PageContext, form: RequestHandler): void {
  route(router, '/reviews', { get: page(context, 'viewer', show) });
  for (const [name, act] of Object.entries(ACTS)) {
    route(router, `/alerts/:id/${name}`, { post: [form, page(context, 'reviewer', act)] });
  }
}

async function show(visit: Visit): Promise<void> {
  const { options, request, now, who } = visit;
  const { db, organisationId } = options;
  const query = read(reviewQuery, { ...request.query });
  if (!query.ok) {
    sendError(visit, 400, {
      title: 'That list does not exist',
      message: 'Begin without a cursor.',
    });
    return;
  }
  const { cursor } = query.value;
  const after = cursor === undefined ? undefined : { deadlineText: cursor[0], alertId: cursor[1] };
  const reviews = await listReviews(db, { organisationId, now, limit: LIMIT_DEFAULT, after });
  const last = reviews.length === LIMIT_DEFAULT ? reviews.at(-1) : undefined;
  const mayDecide = isAtLeast(who.role, 'reviewer');
  const body = html`<h1>Reviews</h1>
${
  reviews.length === 0
    ? emptyState(
        'Nothing waits for a person.',
        html`What the policy or a guard leaves to people appears here by itself. <a href="/alerts?state=closed">See what came of the last alerts</a>.`,
      )
    : html`${mayDecide && KEYS}<ol class="cases" data-queue data-focus>${reviews.map((review) => html`<li>${item(visit, review, mayDecide)}</li>`)}</ol>`
}
${nextPage('/reviews', { cursor: last === undefined ? null : makeCursor([last.deadlineText, last.alertId]) })}`;
  send(visit, { title: 'Reviews', active: '/reviews', body });
}

const KEYS = html`<p class="quiet">With a row in focus: <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>Enter</kbd> open · <kbd>r</kbd> refund · <kbd>a</kbd> accept · <kbd>c</kbd> claim or hand back</p>`;

function item(visit: Visit, review: Review, mayDecide: boolean): Html {
  const { alertId, claimedBy, deadlineAt, fallbackAction, fallbackAt } = review;
  const path = alertPath(alertId);
  const isMine = claimedBy === visit.who.name;
  const after =
    fallbackAction === null || fallbackAt === null
      ? html`Nothing happens by itself: decide before the deadline.`
      : html`If nobody decides, ${fallbackAction === 'REFUND' ? 'it is refunded' : 'the dispute is accepted'} at ${moment(fallbackAt)}.`;
  return html`<div>${timeLeft(deadlineAt, visit.now)} ${claimedBy !== null && html`<span class="state ${isMine ? 'good' : 'warn'}">${isMine ? 'yours' : `with ${claimedBy}`}</span>`}</div>
<div class="amount">${amount(review.amountMinor, review.currency)}</div>
<div class="about"><a href="${path}">${alertId}</a>${review.comments > 0 && html` <span class="quiet">${review.comments} ${review.comments === 1 ? 'comment' : 'comments'}</span>`}</div>
<div class="next">${review.holdReason === null ? 'Held for review.' : holdSentence(review.holdReason)} ${after}</div>
${
  mayDecide &&
  html`<div class="next actions"><a class="button small" data-key="r" href="${path}/decide?action=REFUND">Refund…</a>
<a class="button plain small" data-key="a" href="${path}/decide?action=ACCEPT_DISPUTE">Accept the dispute…</a>
${claimForm(visit, alertId, { isMine, back: '/reviews' })}</div>`
}`;
}

/** The button that claims a review, or hands it back. */
export function claimForm(
  { csrfToken }: Pick<Visit, 'csrfToken'>,
  alertId: string,
  { isMine, back }: { readonly isMine: boolean; readonly back: 'case' | '/reviews' },
): Html {
  const act = isMine ? 'hand-back' : 'claim';
  return html`<form method="post" action="${alertPath(alertId)}/${act}">${csrfField(csrfToken)}<input type="hidden" name="back" value="${back}"><button class="plain small" data-key="c">${isMine ? 'Hand back' : 'Claim'}</button></form>`;
}

type Act = (visit: Visit) => Promise<void>;

/** What follows an act: the page it came from, or why it was refused. */
function finish(visit: Visit, refusal: string | undefined, status = 409): void {
  const { request, response } = visit;
  if (refusal !== undefined) {
    sendError(visit, status, { title: 'Not done', message: refusal });
    return;
  }
  const alertId = alertIdOf(request);
  const isQueue = fieldOf(request, 'back') === '/reviews' || alertId === undefined;
  response.redirect(303, isQueue ? '/reviews' : alertPath(alertId));
}

/** Whose act on which alert; undefined after 404 was answered. */
function actOf(
  visit: Visit,
): { organisationId: string; alertId: string; operator: string; now: Date } | undefined {
  const { options, request, who, now } = visit;
  const alertId = alertIdOf(request);
  if (alertId === undefined) {
    sendError(visit, 404, { title: 'No such alert', message: 'Check the id.' });
    return undefined;
  }
  return { organisationId: options.organisationId, alertId, operator: who.name, now };
}

function refusalOf(result: ReviewResult): string | undefined {
  return result.ok ? undefined : REVIEW_REFUSALS[result.reason];
}

async function claim(visit: Visit): Promise<void> {
  const act = actOf(visit);
  if (act !== undefined) finish(visit, refusalOf(await claimReview(visit.options.db, act)));
}

async function handBack(visit: Visit): Promise<void> {
  const act = actOf(visit);
  if (act !== undefined) finish(visit, refusalOf(await handBackReview(visit.options.db, act)));
}

/** To somebody who may decide: a review in other hands would wait for nobody. */
async function handOver(visit: Visit): Promise<void> {
  const act = actOf(visit);
  if (act === undefined) return;
  const to = filledField(visit.request, 'to');
  const colleague = (await colleaguesOf(visit)).find((name) => name === to);
  if (colleague === undefined) {
    finish(visit, 'Choose a colleague who may decide.', 400);
    return;
  }
  finish(visit, refusalOf(await handOverReview(visit.options.db, act, colleague)));
}

/** Names of the others who may decide. */
export async function colleaguesOf({ options, who }: Visit): Promise<string[]> {
  return await listColleagues(options.db, options.organisationId, who.name);
}

async function comment(visit: Visit): Promise<void> {
  const act = actOf(visit);
  if (act === undefined) return;
  const text = read(note.min(1), filledField(visit.request, 'text')?.replaceAll('\r\n', '\n'));
  if (!text.ok) {
    finish(visit, 'Write something, without card numbers, in at most 500 characters.', 400);
    return;
  }
  finish(visit, refusalOf(await commentOnReview(visit.options.db, act, text.value)));
}

/** Choosing a charge lets the policy decide anew, which may move money: as fresh as a refund. */
async function choose(visit: Visit): Promise<void> {
  const act = actOf(visit);
  if (act === undefined || mustProve(visit, act.alertId)) return;
  const charge = read(plainText, filledField(visit.request, 'charge_reference'));
  const why = read(note, filledField(visit.request, 'note') ?? '');
  if (!charge.ok || !why.ok) {
    finish(visit, 'Choose a charge, and leave card numbers out of the note.', 400);
    return;
  }
  const choice = { ...act, chargeReference: charge.value, note: why.value };
  const result = await applyChargeChoice(visit.options.db, choice);
  finish(visit, result.ok ? undefined : OPERATOR_REFUSALS[result.reason]);
}

async function answer(visit: Visit, approve: boolean): Promise<void> {
  const act = actOf(visit);
  if (act === undefined || (approve && mustProve(visit, act.alertId))) return;
  const result = await answerApproval(visit.options.db, { ...act, approve });
  finish(visit, result.ok ? undefined : APPROVAL_REFUSALS[result.reason]);
}

function mustProve({ caller, now, response }: Visit, alertId: string): boolean {
  if (isFresh(caller, now)) return false;
  response.redirect(303, `/confirm?next=${encodeURIComponent(alertPath(alertId))}`);
  return true;
}

/** The acts, by the last part of their path. */
const ACTS: Readonly<Record<string, Act>> = {
  claim,
  'hand-back': handBack,
  'hand-over': handOver,
  comment,
  choose,
  approve: (visit) => answer(visit, true),
  decline: (visit) => answer(visit, false),
};
