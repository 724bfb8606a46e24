/**
 * What a person does with a review beside deciding it: claim it, hand it over or back, comment, choose its charge, agree
 * as the second person.
 */
import type { RequestHandler, Router } from 'express';
import { APPROVAL_REFUSALS, answerApproval } from '../../../alerts/guard/approve.ts';
import { applyChargeChoice } from '../../../alerts/review/choose-charge.ts';
import { OPERATOR_REFUSALS } from '../../../alerts/review/operator-decision.ts';
import type { ReviewResult } from '../../../alerts/review/review.ts';
import {
  claimReview,
  handBackReview,
  handOverReview,
  REVIEW_REFUSALS,
} from '../../../alerts/review/review.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { asAsked } from '../../../surface/access/needs.ts';
import { listColleagues } from '../../../surface/access/operator.store.ts';
import { icon } from '../../../surface/view/icon.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { csrfField } from '../../../surface/view/shell.ts';
import { isFresh } from '../../../surface/web/auth.ts';
import { alertIdOf, approvalId, note, plainText, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import {
  fieldOf,
  filledField,
  goTo,
  goToConfirm,
  localPath,
  page,
  sendError,
} from '../../../surface/web/visit.ts';

export function registerReviewActs(
  router: Router,
  context: PageContext,
  form: RequestHandler,
): void {
  for (const [name, act] of Object.entries(ACTS)) {
    route(router, `/alerts/:id/${name}`, { post: [form, page(context, asAsked('reviewer'), act)] });
  }
}

/**
 * The button that claims a review, or hands it back.
 *
 * @param back where the person continues: a path of the queue, or `case`
 */
export function claimForm(
  { csrfToken }: Pick<Visit, 'csrfToken'>,
  alertId: string,
  { isMine, back }: { readonly isMine: boolean; readonly back: string },
): Html {
  const act = isMine ? 'hand-back' : 'claim';
  return html`<form method="post" action="${alertPath(alertId)}/${act}">${csrfField(csrfToken)}<input type="hidden" name="back" value="${back}"><button class="plain" data-key="c" data-command="${isMine ? 'Hand back' : 'Claim'}">${icon('hand')}${isMine ? 'Hand back' : 'Claim'}</button></form>`;
}

type Act = (visit: Visit) => Promise<void>;

/** What follows an act: the page it came from, or why it was refused. */
export function finish(visit: Visit, refusal: string | undefined, status = 409): void {
  const { request } = visit;
  if (refusal !== undefined) {
    sendError(visit, status, { title: 'Not done', message: refusal });
    return;
  }
  const alertId = alertIdOf(request);
  const back = localPath(fieldOf(request, 'back'));
  const isQueue = back.startsWith('/reviews') || alertId === undefined;
  goTo(visit, isQueue ? back : alertPath(alertId));
}

/** Whose act on which alert; undefined after 404 was answered. */
export function actOf(
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

/** Why an act was refused, as a person reads it; undefined when it was not. */
export function refusalOf(result: ReviewResult): string | undefined {
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

/** What stands where a colleague would be chosen, and there is none. */
export const NO_COLLEAGUE =
  'Nobody else may decide yet. An administrator enters colleagues on the page Operators.';

/** Names of the others who may decide. */
export async function colleaguesOf({ options, who }: Visit): Promise<string[]> {
  return await listColleagues(options.db, options.organisationId, who.name);
}

/** Choosing a charge lets the policy decide again, which may move money: as fresh as a refund. */
async function choose(visit: Visit): Promise<void> {
  const act = actOf(visit);
  if (act === undefined || mustProve(visit, act.alertId)) return;
  const charge = read(plainText, filledField(visit.request, 'charge_reference'));
  const why = read(note, filledField(visit.request, 'note') ?? '');
  if (!charge.ok || !why.ok) {
    finish(visit, 'Choose a charge, and leave card numbers out of the note.', 400);
    return;
  }
  const otherCard = filledField(visit.request, 'other_card') !== undefined;
  const choice = { ...act, chargeReference: charge.value, note: why.value, otherCard };
  const result = await applyChargeChoice(visit.options.db, choice);
  finish(visit, result.ok ? undefined : OPERATOR_REFUSALS[result.reason]);
}

/** Answers what the page showed beside the button, and nothing else. */
async function answer(visit: Visit, approve: boolean): Promise<void> {
  const act = actOf(visit);
  if (act === undefined || (approve && mustProve(visit, act.alertId))) return;
  const shown = read(approvalId, fieldOf(visit.request, 'approval_id') ?? '');
  if (!shown.ok) {
    finish(visit, 'Answer on the page of the alert: it says what is to be agreed to.', 400);
    return;
  }
  const answered = { ...act, approvalId: shown.value, approve };
  const result = await answerApproval(visit.options.db, answered);
  finish(visit, result.ok ? undefined : APPROVAL_REFUSALS[result.reason]);
}

function mustProve(visit: Visit, alertId: string): boolean {
  if (isFresh(visit.caller, visit.now)) return false;
  goToConfirm(visit, alertPath(alertId));
  return true;
}

/** The acts, by the last part of their path. */
const ACTS: Readonly<Record<string, Act>> = {
  claim,
  'hand-back': handBack,
  'hand-over': handOver,
  choose,
  approve: (visit) => answer(visit, true),
  decline: (visit) => answer(visit, false),
};
