/**
 * What people do with a review besides deciding it: claim it, comment on it, hand it over or back.
 *
 * Taken under the case's row lock, so of two people who claim at once one has it and the other is told
 * so. The decision itself is `alerts/cases/operator-decision.ts`, which refuses anyone who does not hold the
 * claim that somebody holds.
 */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { createId } from '../../base/kernel/ids.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase } from '../cases/case.store.ts';
import { ATTACHMENTS_MAX, insertAttachment, listAttachments } from './attachment.store.ts';
import type { ReviewKey } from './claim.store.ts';
import { claimOfAnother, dropClaim, findClaim, writeClaim } from './claim.store.ts';
import { insertMentions } from './mention.store.ts';
import { mentionedIn } from './mentioned.ts';
import { insertComment } from './review-queue.store.ts';

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
  too_many_files: 'There are 20 files beside this alert already, and no more may be added.',
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
 * Gives a review that nobody else holds to another person, whose claim it is from then on, and tells
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

/**
 * Comments on an alert, whatever state it is in and no matter who holds it. Anyone who is called by `@name` is informed, without
 * what was written.
 *
 * @param act with the people who may be called
 * @param text what the person wrote; it stays in its own table, out of the audit log
 */
export async function commentOnReview(
  db: Db,
  act: ReviewAct & { readonly people?: readonly string[] },
  text: string,
): Promise<ReviewResult> {
  const { organisationId, alertId, operator, now, people = [] } = act;
  return await inTransaction(db, async (trx) => {
    if ((await lockCase(trx, organisationId, alertId)) === undefined) return refuse('not_found');
    const commentId = await insertComment(trx, act, { operator, text });
    await record(trx, act, 'commented');
    const called = mentionedIn(text, people).filter((name) => name !== operator);
    const about = { organisation_id: organisationId, comment_id: commentId, alert_id: alertId };
    await insertMentions(
      trx,
      called.map((name) => ({ ...about, operator: name, mentioned_by: operator, at: now })),
    );
    for (const name of called) {
      await notify(trx, {
        organisationId,
        dedupeKey: `review_mention:${commentId}:${name}`,
        kind: 'review_mention',
        severity: 'info',
        alertId,
        text: `${name}: ${operator} calls you in a comment on alert ${alertId}. Read it on the alert's page.`,
        at: now,
      });
    }
    return { ok: true, claimedUntil: null };
  });
}

/** A file that somebody lays beside an alert. */
export interface NewFile {
  readonly fileName: string;
  readonly body: Buffer;
}

/** Lays a file beside an alert. Its name stays out of the audit log, as comments do. */
export async function attachToReview(
  db: Db,
  act: ReviewAct,
  { fileName, body }: NewFile,
): Promise<ReviewResult> {
  const { organisationId, alertId, operator, now } = act;
  return await inTransaction(db, async (trx) => {
    if ((await lockCase(trx, organisationId, alertId)) === undefined) return refuse('not_found');
    const known = await listAttachments(trx, organisationId, alertId);
    if (known.length >= ATTACHMENTS_MAX) return refuse('too_many_files');
    const about = { organisation_id: organisationId, alert_id: alertId, operator, at: now };
    await insertAttachment(trx, { ...about, id: createId('att'), file_name: fileName, body });
    await record(trx, act, 'attached a file');
    return { ok: true, claimedUntil: null };
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
