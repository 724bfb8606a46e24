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
import { ACCEPT_NOTE, ACCEPT_NOTES } from '../ledger/answer-notes.ts';
import { claimOfAlert } from '../ledger/ledger.ts';
import { isChargedBack } from '../ledger/reading-changes.ts';
import { declareCovered } from '../ledger/settle-movement.ts';
import type { Verdict } from '../ledger/verdict.ts';
import { shownNow, standingOf, verdictOn } from '../ledger/verdict.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps } from '../refund/saga-deps.ts';
import { readOthersOnCharge } from '../refund/wait-for-others.ts';
import type { AboutAcceptance } from './accept-uncharged.ts';
import { acceptUncharged } from './accept-uncharged.ts';
import { accept, examined, later } from './owe-acceptance.ts';

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
    const { charge_reference: reference } = claim;
    const waitsFor =
      reference === null
        ? await acceptUncharged(deps, about, signal)
        : await acceptCharge(deps, { ...about, reference }, signal);
    if (waitsFor !== undefined) return await later(deps, claim, waitsFor);
    await crashPoint('acceptance.stored');
  };
}

/** The charge is read; what follows is decided in one transaction. */
async function acceptCharge(
  deps: SagaDeps,
  { claim, decision, reference }: AboutAcceptance & { readonly reference: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const charge = { organisationId: deps.organisationId, chargeReference: reference };
  const decided = await withLedger(
    ledgerDeps(deps),
    { charge, alertId: claim.alert_id, ahead: examined, signal },
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
  about: UnderLock,
): Promise<string | undefined> {
  const { deps, decision, ledger, answer, shown, now } = about;
  const { capabilities } = answer;
  const byPerson = decision?.byOperator === true;
  const toldMinor = decision?.despiteMinor ?? 0;
  const { samePart } = deps.settings;
  const standing = standingOf(ledger, claimOfAlert(ledger, claim.alert_id), {
    pendingCounts: capabilities.pendingCounts,
    samePart,
  });
  const allowed = verdictOn(
    standing,
    {
      action: 'ACCEPT_DISPUTE',
      // What was decided is said, unless money speaks against it: as at the last chance before the deadline.
      by: byPerson ? 'person' : 'fallback',
      despiteMinor: toldMinor,
    },
    // A processor that shows no charges and one that shows none leave accepting alike.
    { ...capabilities, charge: shownNow(shown), isTimeLeft: true },
  );
  if (allowed.kind === 'covered') {
    const { movementId } = allowed;
    await declareCovered(trx, claim, { ledger, movementId, now });
    return undefined;
  }
  const beside = await readOthersOnCharge(trx, deps, about);
  if ('why' in beside) return beside.why;
  if (allowed.kind !== 'accept') {
    await holdForOthers(trx, claim, { verdict: allowed, objection: standing.objection, now });
    return undefined;
  }
  const { despite } = allowed;
  const note = shown === undefined ? ACCEPT_NOTE : acceptNoteOf(shown);
  if (despite !== null) await tellDespite(trx, claim, { objection: despite, now });
  await accept(trx, claim, { deps, note, despiteMinor: despite === null ? 0 : toldMinor });
  return undefined;
}

/** Money went back, or may have: the dispute is not to be accepted by itself. */
async function holdForOthers(
  trx: Trx,
  claim: CaseRow,
  {
    verdict,
    objection,
    now,
  }: {
    readonly verdict: Verdict;
    readonly objection: AcceptObjection | null;
    readonly now: Date;
  },
): Promise<void> {
  const reason = 'reason' in verdict ? verdict.reason : 'refund_under_way';
  await holdCase(trx, claim, {
    reason,
    // What the policy planned stays planned: it is carried out once no money speaks against it.
    fallback: reason === 'part_went_back' ? 'none' : await readPolicyFallback(trx, claim),
    now,
    ...(objection === null
      ? {}
      : { detail: { movement: objection.movementId, amount_minor: objection.amountMinor } }),
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
