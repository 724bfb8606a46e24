/**
 * The step of a case decided as `ACCEPT_DISPUTE`: it may be said only of a dispute whose money has not
 * moved and cannot move any more (L5).
 *
 * The processor is asked first, because somebody else may have refunded; no answer is no "nothing".
 * Then, under the charge's lock, the ledger is looked at and the answer is stored; from that moment no
 * refund of the dispute can be sent.
 */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { openFinding } from '../../base/findings/finding.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import { readCaseDecision, readPolicyFallback } from '../cases/case-decision.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { AcceptObjection } from '../ledger/accept-objection.ts';
import { isToldSum, objectionToAccept } from '../ledger/accept-objection.ts';
import { ACCEPT_NOTE, ACCEPT_NOTES } from '../ledger/answer-notes.ts';
import { declareCovered } from '../ledger/declare-covered.ts';
import { claimOfAlert, isCovered, isRefundAhead, movementBehind } from '../ledger/ledger.ts';
import { isChargedBack } from '../ledger/reading.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps } from '../refund/saga-deps.ts';
import { othersBeside } from '../refund/wait-for-others.ts';
import type { AboutAcceptance } from './accept-uncharged.ts';
import { acceptUncharged } from './accept-uncharged.ts';
import { accept, later } from './owe-acceptance.ts';

/** Creates the step for `DECIDED_ACCEPT`. */
export function createDecidedAcceptStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const decision = await readCaseDecision(deps.db, claim);
    if (deps.shadow || decision?.shadow === true) {
      const hold: Hold = { reason: 'shadow_mode', fallback: 'none', now: nowDate(deps.clock) };
      await inTransaction(deps.db, (trx) => holdCase(trx, claim, hold));
      return;
    }
    const about = { claim, decision };
    const examine = claim.charge_reference === null ? acceptUncharged : acceptCharge;
    const waitsFor = await examine(deps, about, signal);
    if (waitsFor !== undefined) return await later(deps, claim, waitsFor);
    await crashPoint('acceptance.stored');
  };
}

/** The charge is read; what follows is decided in one transaction. */
async function acceptCharge(
  deps: SagaDeps,
  { claim, decision }: AboutAcceptance,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { organisationId } = deps;
  const charge = { organisationId, chargeReference: claim.charge_reference ?? '' };
  const ahead = (): Promise<void> => crashPoint('acceptance.examined');
  const decided = await withLedger(
    ledgerDeps(deps),
    { charge, alertId: claim.alert_id, ahead, signal },
    (trx, opened) => decideUnderLock(trx, claim, { deps, decision, ...opened }),
  );
  return decided.kind === 'done' ? decided.result : decided.reason;
}

interface UnderLock extends OpenedLedger {
  readonly deps: SagaDeps;
  readonly decision: CaseDecision | undefined;
}

/** @returns what it has to wait for, so that nothing was decided */
async function decideUnderLock(
  trx: Trx,
  claim: CaseRow,
  { deps, decision, charge, ledger, answer, shown, now }: UnderLock,
): Promise<string | undefined> {
  const { capabilities } = answer;
  const own = claimOfAlert(ledger, claim.alert_id);
  if (isCovered(ledger, own, capabilities.pendingCounts)) {
    const movementId = movementBehind(ledger, own)?.id ?? null;
    await declareCovered(trx, claim, { ledger, movementId, now });
    return undefined;
  }
  const beside = await othersBeside(trx, deps, { charge, answer });
  if ('why' in beside) return beside.why;
  const isUnclear = own.disputeId === null && decision?.byOperator !== true;
  if (isUnclear && isRefundAhead(ledger, claim.alert_id)) {
    const fallback = await readPolicyFallback(trx, claim);
    await holdCase(trx, claim, { reason: 'dispute_unclear', fallback, now });
    return undefined;
  }
  if (ledger.networkInDoubt !== null && decision?.byOperator !== true) {
    const fallback = await readPolicyFallback(trx, claim);
    await holdCase(trx, claim, { reason: 'network_refund_unclear', fallback, now });
    return undefined;
  }
  const objection = objectionToAccept(ledger, own.disputeId);
  const note = shown === undefined ? ACCEPT_NOTE : acceptNoteOf(shown);
  if (objection === undefined) {
    await accept(trx, claim, { deps, note, despiteMinor: 0 });
    return undefined;
  }
  const told = decision?.byOperator === true ? (decision.despiteMinor ?? 0) : 0;
  if (isToldSum(objection) && told >= objection.amountMinor && told > 0) {
    await tellDespite(trx, claim, { objection, now });
    await accept(trx, claim, { deps, note, despiteMinor: told });
  } else {
    await waitBeside(trx, claim, { deps, objection });
  }
  return undefined;
}

/** Money went back, or may have: the dispute is not to be accepted by itself. */
async function waitBeside(
  trx: Trx,
  claim: CaseRow,
  beside: {
    readonly deps: SagaDeps;
    readonly objection: AcceptObjection;
  },
): Promise<void> {
  const { deps, objection } = beside;
  const now = nowDate(deps.clock);
  const isOpen = objection.kind !== 'part_went_back';
  const reasons = {
    ours_under_way: 'refund_under_way',
    others_pending: 'refund_pending_elsewhere',
    network_unclear: 'refund_pending_elsewhere',
    part_went_back: 'not_declarable',
  } as const;
  await holdCase(trx, claim, {
    reason: reasons[objection.kind],
    // What the policy planned stays planned: it is carried out once no money speaks against it.
    fallback: isOpen ? await readPolicyFallback(trx, claim) : 'none',
    now,
    detail: { movement: objection.movementId, amount_minor: objection.amountMinor },
  });
}

/** A person accepts although a part went back, and was shown the sum (L5's one exception). */
async function tellDespite(
  trx: Trx,
  claim: CaseRow,
  { objection, now }: { readonly objection: AcceptObjection; readonly now: Date },
): Promise<void> {
  const { amountMinor, movementId } = objection;
  const sum = formatMoney(objection);
  await openFinding(trx, {
    organisationId: claim.organisation_id,
    kind: 'accepted_after_part',
    severity: 'warning',
    subject: 'case',
    subjectId: claim.alert_id,
    evidence: { returned_in_cents: amountMinor, movement_id: movementId },
    nextStep: `The dispute was accepted although ${sum} had gone back, so this sum may be paid twice. Represent the dispute with the refund's reference, or take the refund back.`,
    at: now,
  });
}

/** What the note of an accepted dispute says, as the charge itself shows it (domain rules, section 0). */
export function acceptNoteOf(charge: ProcessorCharge): string {
  if (charge.status === 'declined') return ACCEPT_NOTES.declined;
  if (charge.status === 'voided') return ACCEPT_NOTES.never_captured;
  if (isChargedBack(charge)) return ACCEPT_NOTES.charged_back;
  return charge.disputed ? ACCEPT_NOTES.disputed : ACCEPT_NOTE;
}
