/**
 * The JSON API of reviews and guard rails: the queue, claims, the second person, and the
 * kill switch. Mounted under `/api`, behind authentication and roles.
 */
import type { Request, RequestHandler, Response, Router } from 'express';
import express from 'express';
import { z } from 'zod';
import { holdSentence } from '../../alerts/cases/hold-reason.ts';
import { APPROVAL_REFUSALS, answerApproval } from '../../alerts/guard/approve.ts';
import { readApprovals, readGuardStatus } from '../../alerts/guard/guard-status.store.ts';
import { pauseMoney, resumeMoney } from '../../alerts/guard/pause.store.ts';
import type { ReviewAct, ReviewResult } from '../../alerts/review/review.ts';
import {
  claimReview,
  handBackReview,
  handOverReview,
  REVIEW_REFUSALS,
} from '../../alerts/review/review.ts';
import type { Review } from '../../alerts/review/review-queue.store.ts';
import { listComments, listReviews } from '../../alerts/review/review-queue.store.ts';
import { listSideActions } from '../../alerts/side-action/side-action.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { listColleagues } from '../../surface/access/operator.store.ts';
import { answerOf } from '../../surface/web/answer.ts';
import type { Auth, Caller } from '../../surface/web/auth.ts';
import { isFresh, operatorOf } from '../../surface/web/auth.ts';
import type { ConsoleOptions } from '../../surface/web/ports.ts';
import {
  alertIdOf,
  alertListQuery,
  nextCursor,
  note,
  plainText,
  read,
} from '../../surface/web/query.ts';
import {
  askForProof,
  jsonBody,
  NOT_FOUND,
  route,
  sendFault,
  sendJson,
} from '../../surface/web/reply.ts';
import { reviewDetail, sideActions } from './openapi/answers.ts';

type ReviewApiOptions = Pick<ConsoleOptions, 'db' | 'clock' | 'organisationId' | 'health'>;

type Callers = Pick<Auth, 'callerOf'>;

export function createReviewRouter(options: ReviewApiOptions, auth: Callers): Router {
  const router = express.Router();
  const act = (work: ActHandler): RequestHandler[] => [jsonBody, actHandler(options, auth, work)];
  route(router, '/reviews', { get: queueHandler(options) });
  route(router, '/reviews/:id', { get: reviewHandler(options) });
  route(router, '/reviews/:id/claim', { post: act(async (who) => await claim(options, who)) });
  route(router, '/reviews/:id/hand-back', {
    post: act(async (who) => sendReview(who.response, await handBackReview(options.db, who))),
  });
  route(router, '/reviews/:id/hand-over', {
    post: act(async (who) => await handOver(options, who)),
  });
  route(router, '/alerts/:id/approve', { post: act(async (who) => await approve(options, who)) });
  route(router, '/alerts/:id/side-actions', { get: sideActionsHandler(options) });
  route(router, '/pause', {
    get: statusHandler(options),
    post: [jsonBody, pauseHandler(options, auth)],
  });
  route(router, '/resume', { post: [jsonBody, resumeHandler(options, auth)] });
  return router;
}

export const queueQuery = alertListQuery.pick({ limit: true, cursor: true });

function queueHandler({ db, clock, organisationId }: ReviewApiOptions): RequestHandler {
  return async (request, response) => {
    const query = read(queueQuery, { ...request.query });
    if (!query.ok) return sendFault(response, 400, ...query.faults);
    const { limit, cursor } = query.value;
    const now = nowDate(clock);
    const after = cursor === undefined ? undefined : { place: cursor[0], alertId: cursor[1] };
    const items = await listReviews(db, { organisationId, now, limit, after });
    sendJson(response, 200, {
      items: items.map((item) => reviewJson(item, now)),
      next_cursor: nextCursor(items, limit, (last) => [last.place, last.alertId]),
    });
  };
}

function reviewHandler({ db, clock, organisationId }: ReviewApiOptions): RequestHandler {
  return async (request, response) => {
    const alertId = alertIdOf(request);
    const now = nowDate(clock);
    const [review] =
      alertId === undefined
        ? []
        : await listReviews(db, { organisationId, now, limit: 1, alertId });
    if (review === undefined) return sendFault(response, 404, NOT_FOUND);
    const approvals = await readApprovals(db, organisationId, review.alertId);
    sendJson(response, 200, {
      review: reviewJson(review, now),
      comments: await listComments(db, organisationId, review.alertId),
      approvals: approvals.map((each) => answerOf(reviewDetail.shape.approvals.element, each, {})),
    });
  };
}

function reviewJson(item: Review, now: Date): Record<string, unknown> {
  return answerOf(reviewDetail.shape.review, item, {
    seconds_left: Math.floor((item.deadlineAt.getTime() - now.getTime()) / 1_000),
    hold_sentence: item.holdReason === null ? null : holdSentence(item.holdReason),
  });
}

/** Somebody who acts on an alert, with the request and the answer. */
interface Acting extends ReviewAct {
  readonly request: Request;
  readonly response: Response;
  /** Proved who they are not long ago, as money needs it. */
  readonly fresh: boolean;
  readonly caller: Caller;
}

type ActHandler = (who: Acting) => Promise<void>;

function actHandler(
  { clock, organisationId }: ReviewApiOptions,
  auth: Callers,
  work: ActHandler,
): RequestHandler {
  return async (request, response) => {
    const alertId = alertIdOf(request);
    const caller = auth.callerOf(request);
    if (alertId === undefined || caller === undefined) return sendFault(response, 404, NOT_FOUND);
    const now = nowDate(clock);
    const operator = operatorOf(caller);
    const fresh = isFresh(caller, now);
    await work({ organisationId, alertId, operator, now, request, response, fresh, caller });
  };
}

async function claim({ db }: ReviewApiOptions, who: Acting): Promise<void> {
  sendReview(who.response, await claimReview(db, who));
}

export const handOverBody = z.strictObject({ to: plainText });

/** To somebody who may decide: a review in other hands would wait in vain. */
async function handOver({ db }: ReviewApiOptions, who: Acting): Promise<void> {
  const body = read(handOverBody, who.request.body);
  if (!body.ok) return sendFault(who.response, 400, ...body.faults);
  const colleagues = await listColleagues(db, who.organisationId, who.operator);
  const to = colleagues.find((name) => name === body.value.to);
  if (to === undefined) {
    return sendFault(who.response, 422, {
      code: 'NO_COLLEAGUE',
      message: 'Name another operator who may decide.',
      field: 'to',
    });
  }
  sendReview(who.response, await handOverReview(db, who, to));
}

function sendReview(response: Response, result: ReviewResult): void {
  if (result.ok) sendJson(response, 200, { claimed_until: result.claimedUntil });
  else refuse(response, result.reason, REVIEW_REFUSALS[result.reason]);
}

function refuse(response: Response, reason: string, message: string): void {
  const isUnknown = reason === 'not_found';
  const code = isUnknown ? 'NOT_FOUND' : 'CONFLICT';
  sendFault(response, isUnknown ? 404 : 409, { code, message });
}

export const approveBody = z.strictObject({
  /** Which of the review's `approvals` is answered: what was shown, and nothing else. */
  approval_id: z.int().min(1),
  approve: z.boolean().default(true),
});

async function approve({ db }: ReviewApiOptions, who: Acting): Promise<void> {
  const body = read(approveBody, who.request.body ?? {});
  if (!body.ok) return sendFault(who.response, 400, ...body.faults);
  if (body.value.approve && !who.fresh) return askForProof(who.response, who.caller);
  const { organisationId, alertId, operator, now } = who;
  const { approve: isAgreed, approval_id: approvalId } = body.value;
  const answer = { organisationId, alertId, approvalId, operator, now, approve: isAgreed };
  const result = await answerApproval(db, answer);
  if (result.ok) {
    sendJson(who.response, 200, { state: result.state, approvers: result.approvers });
  } else {
    refuse(who.response, result.reason, APPROVAL_REFUSALS[result.reason]);
  }
}

function sideActionsHandler({ db, organisationId }: ReviewApiOptions): RequestHandler {
  return async (request, response) => {
    const alertId = alertIdOf(request);
    if (alertId === undefined) return sendFault(response, 404, NOT_FOUND);
    const rows = await listSideActions(db, organisationId, alertId);
    sendJson(response, 200, {
      items: rows.map((row) =>
        // A customer is a hash, which says nothing to anybody.
        answerOf(
          sideActions.shape.items.element,
          row,
          row.kind === 'block_customer' ? { subject: null } : {},
        ),
      ),
    });
  };
}

function statusHandler({ db, clock, organisationId, health }: ReviewApiOptions): RequestHandler {
  return async (_request, response) => {
    const status = await readGuardStatus(db, organisationId, nowDate(clock));
    sendJson(response, 200, {
      health: (await health()).parts.map(({ name, status: state, detail, nextStep }) => ({
        part: name,
        status: state,
        detail,
        next_step: nextStep,
      })),
      paused: status.pause !== null,
      pause: status.pause,
      breaker_opened_at: status.breaker.openedAt,
      breaker_threshold: status.breaker.threshold,
      processor_refuses_us_since: status.processor?.openedAt ?? null,
      processor_refusal: status.processor?.code ?? null,
      sent_last_hour: status.sentLastHour,
      sent_last_day: status.sentLastDay,
      accepts_ahead: {
        count: status.acceptsAhead.count,
        first_at: status.acceptsAhead.firstAt,
      },
      reviews_open: status.reviewsOpen,
      approvals_waiting: status.approvalsWaiting,
    });
  };
}

export const pauseBody = z.strictObject({ reason: note.default('') });

function pauseHandler(
  { db, clock, organisationId }: ReviewApiOptions,
  auth: Callers,
): RequestHandler {
  return async (request, response) => {
    const body = read(pauseBody, request.body ?? {});
    if (!body.ok) return sendFault(response, 400, ...body.faults);
    const caller = auth.callerOf(request);
    if (caller === undefined) return sendFault(response, 404, NOT_FOUND);
    const operator = operatorOf(caller);
    const { reason } = body.value;
    const paused = await pauseMoney(db, { organisationId, operator, reason, now: nowDate(clock) });
    sendJson(response, 200, { paused: true, already: !paused });
  };
}

function resumeHandler(
  { db, clock, organisationId }: ReviewApiOptions,
  auth: Callers,
): RequestHandler {
  return async (request, response) => {
    const caller = auth.callerOf(request);
    if (caller === undefined) return sendFault(response, 404, NOT_FOUND);
    const operator = operatorOf(caller);
    const result = await resumeMoney(db, { organisationId, operator, now: nowDate(clock) });
    sendJson(response, 200, {
      paused: false,
      was_paused: result.resumed,
      released: result.released,
    });
  };
}
