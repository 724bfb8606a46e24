/**
 * A person agrees to a refund that needs two, or declines it; or declines what somebody said of money.
 *
 * They answer the approval that they were shown, by its id: where something else is asked for by now, their answer is refused.
 * Taken under the case's row lock. The second person must be another one; the server, not the page, sees to that.
 */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase, moveCase } from '../cases/case.store.ts';
import { readCaseDecider } from '../cases/case-decision.store.ts';
import type { CaseState } from '../cases/case-state.ts';
import { isOver } from '../cases/claim.ts';
import { personOf } from '../cases/person.ts';
import type { ApprovalRow, ApprovalStanding } from './approval.store.ts';
import {
  addApprover,
  approversOf,
  findApproval,
  settle,
  settleIfEnough,
} from './approval.store.ts';
import { readEntrusted } from './entrusted.store.ts';
import { areTwoPeople } from './second-person.ts';

/** What a person says about something that waits for approval. */
export interface ApprovalAnswer {
  readonly organisationId: string;
  readonly alertId: string;
  /** Which one they were shown. */
  readonly approvalId: number;
  readonly operator: string;
  readonly approve: boolean;
  readonly now: Date;
}

/** Why an answer is refused, with the sentence the person reads. */
export const APPROVAL_REFUSALS = {
  not_found: 'There is no such alert.',
  nothing_to_approve: 'No refund of this alert waits for approval.',
  replaced:
    'What you were shown is asked for no longer: something else took its place. Look at what is asked for now.',
  answered: 'This was answered already. Nobody is asked to agree to it any more.',
  say_the_same:
    'One person’s word about money takes effect when another person says the same: the same action, amount and reference.',
  overtaken:
    'The alert was decided otherwise before a second person agreed. Nothing is refunded any more.',
  same_person: 'You agreed to this refund already. Another person must.',
  same_hand:
    'You and who agreed before came to act here by the same hand within the last 24 hours, so you do not count as two. A third person must agree, or you once the 24 hours are over.',
  too_late: 'The deadline has passed; nothing is refunded any more.',
} as const;
export type ApprovalRefusal = keyof typeof APPROVAL_REFUSALS;

/** How it ended. */
export type ApprovalResult =
  | ({ readonly ok: true } & ApprovalStanding)
  | { readonly ok: false; readonly reason: ApprovalRefusal };

/** Takes a person's answer; the refund continues once two different people agreed. */
export async function answerApproval(db: Db, answer: ApprovalAnswer): Promise<ApprovalResult> {
  const { organisationId, alertId } = answer;
  return await inTransaction(db, async (trx) => {
    const held = await lockCase(trx, organisationId, alertId);
    if (held === undefined) return { ok: false, reason: 'not_found' };
    const row = await findApproval(trx, answer, answer.approvalId);
    const refusal = refusalOf(row, held, answer);
    if (row === undefined || refusal !== undefined) {
      return { ok: false, reason: refusal ?? 'nothing_to_approve' };
    }
    return answer.approve
      ? await agree(trx, held, { row, answer })
      : await decline(trx, held, { row, answer });
  });
}

function refusalOf(
  row: ApprovalRow | undefined,
  held: CaseRow,
  { approve, now }: ApprovalAnswer,
): ApprovalRefusal | undefined {
  if (row === undefined) return 'nothing_to_approve';
  const isWord = row.kind !== 'REFUND';
  const waits = isWord || (held.state === 'HUMAN' && held.hold_reason === 'approval_needed');
  if (row.state !== 'PENDING' || !waits) return notAsked(row, held);
  if (isWord) return approve ? 'say_the_same' : undefined;
  return isOver(held, now) ? 'too_late' : undefined;
}

/** No person is asked: because the alert, or what was asked for, was answered, or because something else is asked for. */
function notAsked(row: ApprovalRow, held: CaseRow): ApprovalRefusal {
  const isOvertaken =
    row.state === 'OVERTAKEN' ||
    (row.state === 'PENDING' && ANSWERED_OTHERWISE.includes(held.state));
  if (isOvertaken) return 'overtaken';
  if (row.state === 'REPLACED') return 'replaced';
  return row.state === 'PENDING' ? 'nothing_to_approve' : 'answered';
}

/** What a fallback, or another decision, makes of an alert whose refund waited for approval. */
const ANSWERED_OTHERWISE: readonly CaseState[] = [
  'DECIDED_ACCEPT',
  'DECLARE_ACCEPT',
  'DECLARED_ACCEPT',
  'CLOSED_REMOTE',
  'CLOSED_INVALID',
];

interface Answered {
  readonly row: ApprovalRow;
  readonly answer: ApprovalAnswer;
}

/** Whether the same hand is behind this person and everybody who agreed before. */
async function isSameHand(
  trx: Trx,
  row: ApprovalRow,
  { operator, now }: ApprovalAnswer,
): Promise<boolean> {
  const others = (await approversOf(trx, row)).filter(
    (name) => personOf(name) !== personOf(operator),
  );
  if (others.length === 0) return false;
  const given = await readEntrusted(trx, row.organisation_id, now);
  return !others.some((name) => areTwoPeople(name, operator, given));
}

async function agree(trx: Trx, held: CaseRow, { row, answer }: Answered): Promise<ApprovalResult> {
  const { operator, now } = answer;
  if (await isSameHand(trx, row, answer)) return { ok: false, reason: 'same_hand' };
  if (!(await addApprover(trx, row, answer))) return { ok: false, reason: 'same_person' };
  const standing = await settleIfEnough(trx, row, now);
  if (standing.state === 'APPROVED') {
    await moveCase(trx, held, {
      to: 'DECIDED_REFUND',
      now,
      nextActionAt: now,
      what: `refund approved by ${standing.approvers.length} people`,
      actor: `operator:${operator}`,
      set: { hold_reason: null, ...(await fallbackAfterAgreement(trx, held)) },
    });
  }
  return { ok: true, ...standing };
}

/** A policy's fallback stays behind its refund; it is never behind a person's. */
async function fallbackAfterAgreement(
  trx: Trx,
  held: CaseRow,
): Promise<{ fallback_action?: null; fallback_at?: null }> {
  const operator = await readCaseDecider(trx, held);
  return operator === undefined ? {} : { fallback_action: null, fallback_at: null };
}

async function decline(
  trx: Trx,
  held: CaseRow,
  { row, answer }: Answered,
): Promise<ApprovalResult> {
  const { operator, now } = answer;
  await settle(trx, row, { state: 'DECLINED', now });
  if (row.kind !== 'REFUND') {
    await recordDeclined(trx, row, answer);
    return { ok: true, state: 'DECLINED', approvers: [] };
  }
  await moveCase(trx, held, {
    to: 'HUMAN',
    now,
    nextActionAt: held.next_action_at ?? now,
    what: 'declined the refund',
    actor: `operator:${operator}`,
    set: { hold_reason: 'approval_declined' },
  });
  return { ok: true, state: 'DECLINED', approvers: [] };
}

/** The alert goes on waiting as it did: nothing rested on a single person's word. */
async function recordDeclined(
  trx: Trx,
  row: ApprovalRow,
  { organisationId, alertId, operator, now }: ApprovalAnswer,
): Promise<void> {
  await writeAudit(trx, {
    organisationId,
    at: now,
    ...byOperator(operator),
    alertId,
    what: `declined ${row.kind ?? ''}`,
    detail: {
      approval: row.id,
      charge: row.charge_reference,
      amount_minor: row.amount_minor,
      currency: row.currency,
      ...(row.reference === null ? {} : { reference: row.reference }),
    },
  });
}
