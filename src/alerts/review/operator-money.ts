/**
 * What a person decides about money: refund (what is missing, or an amount they choose), accept, continue
 * where something got stuck, "not ours".
 */
import type { Trx } from '../../base/db/database.ts';
import { isMovableAmount } from '../../base/kernel/money.ts';
import { readAlertCopy } from '../cases/alert-copy.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { insertOperatorDecision } from '../cases/case-decision.store.ts';
import { isOver } from '../cases/claim.ts';
import { endAgreement } from '../guard/approval.store.ts';
import { ACCEPT_NOTES } from '../ledger/answer-notes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { unsettledFor } from '../ledger/ledger.ts';
import { rearmMovements } from '../ledger/movement-lease.store.ts';
import { declareIfCovered } from '../ledger/settle-movement.ts';
import { isAgreed } from './agreed.ts';
import type {
  DecideAction,
  OperatorDecision,
  OperatorRefusal,
  OperatorResult,
} from './operator-decision.ts';
import { refuse } from './operator-decision.ts';
import {
  holdsMoneyElsewhere,
  isUnshownOtherCard,
  writeOperatorMatch,
} from './operator-match.store.ts';
import type { AcceptAnswer, OnLedger } from './persons-verdict.ts';
import { answerToAccept, isTimeToRefund, standingFor, whyNoRefund } from './persons-verdict.ts';

const NO_LONGER_HELD = {
  hold_reason: null,
  fallback_action: null,
  fallback_at: null,
  retry_at: null,
};

/** `REFUND`: of what is missing, or of an amount the person chooses. */
export const decideRefund: DecideAction = async (trx, current, subject) => {
  const { decision, ledger } = subject;
  const { now, operator, amountMinor } = decision;
  if (ledger === undefined) return refuse('charge_needed');
  const { chargeReference: reference } = ledger;
  if (isOver(current, now)) return refuse('too_late');
  if (await holdsMoneyElsewhere(trx, current, reference)) return refuse('refund_elsewhere');
  const isNamedNow = reference !== current.charge_reference && decision.otherCard !== true;
  if (isNamedNow && (await isUnshownOtherCard(trx, current, reference)))
    return refuse('other_card');
  const on = { ledger, alertId: current.alert_id, isTimeLeft: isTimeToRefund(current, now) };
  const why = whyNoRefund(on, amountMinor ?? null);
  const isOfAmount = why === undefined || why === 'remainder_too_small';
  const refusal = isOfAmount ? (whyNotSo(on, amountMinor) ?? why) : why;
  if (refusal !== undefined) return refuse(refusal);
  await endAgreement(trx, {
    organisationId: decision.organisationId,
    movementIds: refusedOf(ledger, current.dispute_id),
    because: 'a person decided it again after it was refused',
    now,
  });
  const decisionId = await insertOperatorDecision(trx, {
    ...decision,
    action: 'REFUND',
    amountMinor: amountMinor ?? null,
    heldFor: current.hold_reason,
    currency: ledger.currency ?? (await alertCurrency(trx, decision)),
  });
  const matched = await withCharge(trx, await takenBack(trx, current, decision), {
    decision,
    reference,
  });
  await moveCase(trx, matched, {
    to: 'DECIDED_REFUND',
    now,
    nextActionAt: now,
    what: 'decided REFUND',
    actor: `operator:${operator}`,
    set: {
      decision_id: decisionId,
      movement_id: null,
      answer_note: noteOfAnswer(current),
      ...NO_LONGER_HELD,
    },
  });
  return { ok: true, state: 'DECIDED_REFUND' };
};

/** What a person's amount is in where the charge's own currency is not known yet: nothing else was shown to them. */
async function alertCurrency(
  trx: Trx,
  { organisationId, alertId }: OperatorDecision,
): Promise<string | null> {
  return (await readAlertCopy(trx, organisationId, alertId))?.currency ?? null;
}

/** The case as a person's: an acceptance that was decided and not said yet gives way to their word. */
async function takenBack(
  trx: Trx,
  current: CaseRow,
  { now, operator }: Pick<OperatorDecision, 'now' | 'operator'>,
): Promise<CaseRow> {
  if (current.state !== 'DECIDED_ACCEPT') return current;
  return await moveCase(trx, current, {
    to: 'HUMAN',
    now,
    nextActionAt: now,
    what: 'the acceptance was taken back before it was said',
    actor: `operator:${operator}`,
  });
}

/** The case goes back to the guards and the policy, which now see what was said. */
export async function decideAnew(
  trx: Trx,
  current: CaseRow,
  { decision, what }: { readonly decision: OperatorDecision; readonly what: string },
): Promise<OperatorResult> {
  const { now, operator } = decision;
  const held = await takenBack(trx, current, decision);
  await moveCase(trx, held, {
    to: 'MATCHED',
    now,
    nextActionAt: now,
    what,
    actor: `operator:${operator}`,
    set: NO_LONGER_HELD,
  });
  return { ok: true, state: 'MATCHED' };
}

/** Movements for the dispute that were sent and came to nothing; those of others are never among them. */
function refusedOf({ movements }: Ledger, disputeId: string | null): string[] {
  return movements
    .filter((each) => each.state === 'REJECTED' && each.disputeId === disputeId)
    .map(({ id }) => id);
}

/** Why the amount that a person named is none. What has gone back is declared without one. */
function whyNotSo(on: OnLedger, amountMinor: number | undefined): OperatorRefusal | undefined {
  const { isCovered, disputeId, missingMinor } = standingFor(on);
  if (isCovered || amountMinor === undefined) return undefined;
  const isTooMuch = disputeId !== null && amountMinor > missingMinor;
  return isTooMuch || !isMovableAmount(amountMinor) ? 'amount_needed' : undefined;
}

/** The case with the charge a person named, or as it is. Unmatched cases become `MATCHED` by it. */
async function withCharge(
  trx: Trx,
  current: CaseRow,
  { decision, reference }: { readonly decision: OperatorDecision; readonly reference: string },
): Promise<CaseRow> {
  const isOpenQuestion = current.state === 'UNMATCHED' || current.state === 'AMBIGUOUS';
  if (!isOpenQuestion && current.charge_reference === reference) return current;
  const matchId = await writeOperatorMatch(trx, current, {
    ...decision,
    chargeReference: reference,
  });
  const { now, operator } = decision;
  return await moveCase(trx, current, {
    to: isOpenQuestion ? 'MATCHED' : current.state,
    now,
    nextActionAt: now,
    what: 'charge named by a person',
    actor: `operator:${operator}`,
    detail: { charge: reference },
    set: { match_id: matchId, charge_reference: reference, movement_id: null, dispute_id: null },
  });
}

/** `ACCEPT_DISPUTE`. A part that went back must be named with its sum. */
export const decideAccept: DecideAction = async (trx, current, subject) => {
  const { decision, ledger } = subject;
  if (ledger === undefined) return await accept(trx, current, { decision });
  const { despiteMinor } = decision;
  const answer = answerToAccept({ ledger, alertId: current.alert_id }, despiteMinor);
  if (answer.kind === 'refuse') {
    return await acceptUnlessPending(trx, current, { decision, ledger, answer });
  }
  if (answer.kind === 'tell') return refuse('part_went_back');
  if (answer.despite === null) return await accept(trx, current, { decision });
  const { amountMinor, currency } = answer.despite;
  const about = `despite:${current.dispute_id ?? ''}`;
  const agreed = await isAgreed(trx, current, {
    kind: 'ACCEPT_DISPUTE',
    decision,
    ledger,
    disputeId: current.dispute_id,
    about,
    amountMinor,
    currency,
  });
  if (!agreed) return refuse('second_person');
  return await accept(trx, current, { decision, despiteMinor: amountMinor });
};

/** A reading that is older than this may be over, in milliseconds. */
const OLD_READING_MS = 60_000;

/**
 * Somebody else's refund is pending, as far as is known. On an old reading a person is not refused: the step that would say it
 * reads the processor anew, and holds the alert with the policy's fallback where it still is.
 */
async function acceptUnlessPending(
  trx: Trx,
  current: CaseRow,
  beside: {
    readonly decision: OperatorDecision;
    readonly ledger: Ledger;
    readonly answer: Extract<AcceptAnswer, { kind: 'refuse' }>;
  },
): Promise<OperatorResult> {
  const { decision, ledger, answer } = beside;
  const isOld = decision.now.getTime() - (ledger.readAtMs ?? 0) > OLD_READING_MS;
  if (answer.objection?.kind !== 'others_pending' || !isOld) return refuse(answer.reason);
  return await accept(trx, current, { decision });
}

async function accept(
  trx: Trx,
  current: CaseRow,
  said: {
    readonly decision: OperatorDecision;
    /** What went back and was agreed to, whatever sum the person named. */
    readonly despiteMinor?: number;
  },
): Promise<OperatorResult> {
  const { decision, despiteMinor = null } = said;
  const { now, operator, action } = decision;
  const decisionId = await insertOperatorDecision(trx, {
    ...decision,
    action: 'ACCEPT_DISPUTE',
    amountMinor: null,
    despiteMinor,
    heldFor: current.hold_reason,
  });
  await moveCase(trx, current, {
    to: 'DECIDED_ACCEPT',
    now,
    nextActionAt: now,
    what: 'decided ACCEPT_DISPUTE',
    actor: `operator:${operator}`,
    set: {
      decision_id: decisionId,
      ...NO_LONGER_HELD,
      answer_note: action === 'NOT_OURS' ? ACCEPT_NOTES.not_ours : noteOfAnswer(current),
    },
  });
  return { ok: true, state: 'DECIDED_ACCEPT' };
}

/** What was found about the charge is still said; that it is not ours is no longer. */
function noteOfAnswer({ answer_note: note }: CaseRow): string | null {
  return note === ACCEPT_NOTES.not_ours ? null : note;
}

/** "This is not ours": accepted, and the alert's price is claimed back. Money that went back forbids it. */
export const decideNotOurs: DecideAction = async (trx, current, subject) => {
  const { decision, ledger } = subject;
  if (ledger === undefined) return await accept(trx, current, { decision });
  const answer = answerToAccept({ ledger, alertId: current.alert_id });
  if (answer.kind === 'tell') return refuse('part_went_back');
  return answer.kind === 'refuse'
    ? await acceptUnlessPending(trx, current, { decision, ledger, answer })
    : await accept(trx, current, { decision });
};

/** Goes on where it got stuck: declare what is covered, ask about what is open, or look at it all again. */
export const retry: DecideAction = async (trx, current, { decision, ledger }) => {
  const { now, operator, organisationId } = decision;
  let to = current.state;
  if (ledger !== undefined) {
    const { chargeReference } = ledger;
    await rearmMovements(trx, { organisationId, chargeReference }, now);
    if (current.state === 'HUMAN') {
      const back = await declareIfCovered(trx, current, { ledger, pendingCounts: false, now });
      if (back !== undefined) return { ok: true, state: back.state };
      if (unsettledFor(ledger, current.dispute_id) === undefined) to = 'MATCHED';
    }
  }
  await moveCase(trx, current, {
    to,
    now,
    nextActionAt: now,
    what: 'tried again',
    actor: `operator:${operator}`,
    ...(to === 'MATCHED' ? { set: NO_LONGER_HELD } : {}),
  });
  return { ok: true, state: to };
};
