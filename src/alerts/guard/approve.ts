/**
 * A person agrees to a refund that needs two, or declines it.
 *
 * Taken under the case's row lock. The second person must be another one; the server, not the page,
 * sees to that.
 */
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase, moveCase } from '../cases/case.store.ts';
import { readCaseDecider } from '../cases/case-decision.store.ts';
import type { CaseState } from '../cases/case-state.ts';
import { isOver } from '../cases/claim.ts';
import type { ApprovalRow, ApprovalStanding } from './approval.store.ts';
import { addApprover, findApproval, settle, settleIfEnough } from './approval.store.ts';

/** What a person says about a refund that waits for approval. */
export interface ApprovalAnswer {
  readonly organisationId: string;
  readonly alertId: string;
  readonly operator: string;
  readonly approve: boolean;
  readonly now: Date;
}

/** Why an answer is refused, with the sentence the person reads. */
export const APPROVAL_REFUSALS = {
  not_found: 'There is no such alert.',
  nothing_to_approve: 'No refund of this alert waits for approval.',
  overtaken:
    'The alert was decided otherwise before a second person agreed. Nothing is refunded any more.',
  same_person: 'You agreed to this refund already. Another person must.',
  too_late: 'The deadline has passed; nothing is refunded any more.',
} as const;
export type ApprovalRefusal = keyof typeof APPROVAL_REFUSALS;

/** How it ended. */
export type ApprovalResult =
  | ({ readonly ok: true } & ApprovalStanding)
  | { readonly ok: false; readonly reason: ApprovalRefusal };

/** Takes a person's answer; the refund continues once two different people agreed. */
export async function answerApproval(db: Db, answer: ApprovalAnswer): Promise<ApprovalResult> {
  const { organisationId, alertId, now } = answer;
  return await inTransaction(db, async (trx) => {
    const held = await lockCase(trx, organisationId, alertId);
    if (held === undefined) return { ok: false, reason: 'not_found' };
    const row = await findApproval(trx, organisationId, alertId);
    const waits = held.state === 'HUMAN' && held.hold_reason === 'approval_needed';
    if (row?.state !== 'PENDING' || !waits) return notAsked(row, held);
    if (isOver(held, now)) return { ok: false, reason: 'too_late' };
    return answer.approve
      ? await agree(trx, held, { row, answer })
      : await decline(trx, held, { row, answer });
  });
}

/** Nobody is asked: because the alert was answered otherwise, or because nobody ever was. */
function notAsked(row: ApprovalRow | undefined, held: CaseRow): ApprovalResult {
  const isOvertaken =
    row?.state === 'OVERTAKEN' ||
    (row?.state === 'PENDING' && ANSWERED_OTHERWISE.includes(held.state));
  return { ok: false, reason: isOvertaken ? 'overtaken' : 'nothing_to_approve' };
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

async function agree(trx: Trx, held: CaseRow, { row, answer }: Answered): Promise<ApprovalResult> {
  const { operator, now } = answer;
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

/** A policy's fallback continues standing behind its refund; it never stands behind a person's. */
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
