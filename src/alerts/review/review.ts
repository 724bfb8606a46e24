/**
 * What people do with a review besides deciding it: claim it, hand it over or back.
 *
 * Taken under the case's row lock, so of two people who claim at once one has it and the other is told
 * so. The decision itself is `alerts/cases/operator-decision.ts`, which refuses anyone who does not hold the
 * claim that somebody holds.
 */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase } from '../cases/case.store.ts';
import type { ReviewKey } from './claim.store.ts';
import { claimOfAnother, dropClaim, findClaim, writeClaim } from './claim.store.ts';

/** Somebody at a review. */
export interface ReviewAct extends ReviewKey {
  /** The person's name, as the audit log shows it. */
  readonly operator: string;
}

/** Why an act is refused, with the sentence the person reads. */
export const REVIEW_REFUSALS = {
  not_found: 'There is no such alert.',
  not_in_review: 'The alert does not wait for a person.',
  claimed:
    'Somebody else has claimed this review. It is free again when they hand it back, or 30 minutes after they claimed it.',
  not_claimed: 'You have not claimed this review.',
} as const;
export type ReviewRefusal = keyof typeof REVIEW_REFUSALS;

/** How an act ended. */
export type ReviewResult =
  | { readonly ok: true; readonly claimedUntil: Date | null }
  | { readonly ok: false; readonly reason: ReviewRefusal };

/** Claims the review for a person, or renews that person's claim. */
export async function claimReview(db: Db, act: ReviewAct): Promise<ReviewResult> {
  return await atReview(db, act, async (trx) => {
    if ((await claimOfAnother(trx, act, act.operator)) !== undefined) return refuse('claimed');
    const claimedUntil = await writeClaim(trx, act, act.operator);
    await record(trx, act, 'claimed the review');
    return { ok: true, claimedUntil };
  });
}

/** Gives the review back, so that anybody can take it. */
export async function handBackReview(db: Db, act: ReviewAct): Promise<ReviewResult> {
  return await atReview(db, act, async (trx) => {
    const claim = await findClaim(trx, act);
    if (claim === undefined) return refuse('not_claimed');
    if ((await claimOfAnother(trx, act, act.operator)) !== undefined) return refuse('claimed');
    await dropClaim(trx, act);
    await record(trx, act, 'handed the review back');
    return { ok: true, claimedUntil: null };
  });
}

/**
 * Gives a review that no other person holds to another person, whose claim it is from then on, and tells
 * people so: the message names the new person.
 *
 * @param to the other person's name; whether they may decide is for the caller to know
 */
export async function handOverReview(db: Db, act: ReviewAct, to: string): Promise<ReviewResult> {
  return await atReview(db, act, async (trx, held) => {
    if ((await claimOfAnother(trx, act, act.operator)) !== undefined) return refuse('claimed');
    const claimedUntil = await writeClaim(trx, act, to);
    await record(trx, act, `handed the review over to ${to}`);
    await notify(trx, {
      organisationId: act.organisationId,
      dedupeKey: `review_handed_over:${act.alertId}:${to}:${act.now.toISOString()}`,
      kind: 'review_handed_over',
      severity: 'info',
      alertId: act.alertId,
      text: `${to}: ${act.operator} handed the review of alert ${act.alertId} over to you. Decide before ${utcWords(held.deadline_at)}; until ${utcWords(claimedUntil)} nobody else can.`,
      at: act.now,
    });
    return { ok: true, claimedUntil };
  });
}

async function atReview(
  db: Db,
  { organisationId, alertId }: ReviewAct,
  work: (trx: Trx, held: CaseRow) => Promise<ReviewResult>,
): Promise<ReviewResult> {
  return await inTransaction(db, async (trx) => {
    const held = await lockCase(trx, organisationId, alertId);
    if (held === undefined) return refuse('not_found');
    return held.state === 'HUMAN' ? await work(trx, held) : refuse('not_in_review');
  });
}

function refuse(reason: ReviewRefusal): ReviewResult {
  return { ok: false, reason };
}

async function record(
  trx: Trx,
  { organisationId, alertId, operator, now }: ReviewAct,
  what: string,
): Promise<void> {
  await writeAudit(trx, { organisationId, at: now, ...byOperator(operator), alertId, what });
}
