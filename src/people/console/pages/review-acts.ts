/**
 * What a person does with a review besides deciding it: claim it, hand it over or back, choose its charge, agree as the
 * second person.
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
import { alertActOf, endAct } from '../../../surface/web/alert-act.ts';
import { isFresh } from '../../../surface/web/auth.ts';
import { approvalId, note, plainText, read } from '../../../surface/web/query.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext, Visit } from '../../../surface/web/visit.ts';
import { fieldOf, filledField, goToConfirm, page } from '../../../surface/web/visit.ts';

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

/** Why an act was refused, as a person reads it; undefined when it was not. */
export function refusalOf(result: ReviewResult): string | undefined {
  return result.ok ? undefined : REVIEW_REFUSALS[result.reason];
}

async function claim(visit: Visit): Promise<void> {
  const act = alertActOf(visit);
  if (act !== undefined) endAct(visit, refusalOf(await claimReview(visit.options.db, act)));
}

async function handBack(visit: Visit): Promise<void> {
  const act = alertActOf(visit);
  if (act !== undefined) endAct(visit, refusalOf(await handBackReview(visit.options.db, act)));
}

/** To somebody who may decide: a review in other hands would wait in vain. */
async function handOver(visit: Visit): Promise<void> {
  const act = alertActOf(visit);
  if (act === undefined) return;
  const to = filledField(visit.request, 'to');
  const colleague = (await colleaguesOf(visit)).find((name) => name === to);
  if (colleague === undefined) {
    endAct(visit, 'Choose a colleague who may decide.', 400);
    return;
  }
  endAct(visit, refusalOf(await handOverReview(visit.options.db, act, colleague)));
}

/** What is shown where a colleague would be chosen, and there is none. */
export const NO_COLLEAGUE =
  'Nobody else may decide yet. An administrator enters colleagues on the page Operators.';

/** Names of the others who may decide. */
export async function colleaguesOf({ options, who }: Visit): Promise<string[]> {
  return await listColleagues(options.db, options.organisationId, who.name);
}

/** Choosing a charge lets the policy decide again, which may move money: as fresh as a refund. */
async function choose(visit: Visit): Promise<void> {
  const act = alertActOf(visit);
  if (act === undefined || mustProve(visit, act.alertId)) return;
  const charge = read(plainText, filledField(visit.request, 'charge_reference'));
  const why = read(note, filledField(visit.request, 'note') ?? '');
  if (!charge.ok || !why.ok) {
    endAct(visit, 'Choose a charge, and leave card numbers out of the note.', 400);
    return;
  }
  const otherCard = filledField(visit.request, 'other_card') !== undefined;
  const choice = { ...act, chargeReference: charge.value, note: why.value, otherCard };
  const result = await applyChargeChoice(visit.options.db, choice);
  endAct(visit, result.ok ? undefined : OPERATOR_REFUSALS[result.reason]);
}

/** Answers what the page showed beside the button, and nothing else. */
async function answer(visit: Visit, approve: boolean): Promise<void> {
  const act = alertActOf(visit);
  if (act === undefined || (approve && mustProve(visit, act.alertId))) return;
  const shown = read(approvalId, fieldOf(visit.request, 'approval_id') ?? '');
  if (!shown.ok) {
    endAct(visit, 'Answer on the page of the alert: it says what is to be agreed to.', 400);
    return;
  }
  const answered = { ...act, approvalId: shown.value, approve };
  const result = await answerApproval(visit.options.db, answered);
  endAct(visit, result.ok ? undefined : APPROVAL_REFUSALS[result.reason]);
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
