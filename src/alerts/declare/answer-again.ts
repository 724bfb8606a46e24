/**
 * Gives the answer of an ended case once more, where the service shows its alert as open again: the same answer,
 * while it is still true. No money moves, whatever the ledger says, and the case stays ended.
 */
import { writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { AlertActed, DeclaredAction, RemoteAlert } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseState } from '../cases/case-state.ts';
import { recordKeyRefused } from '../guard/declare-health.store.ts';
import { claimOfAlert } from '../ledger/ledger.ts';
import { shownNow, verdict } from '../ledger/verdict.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps } from '../refund/saga-deps.ts';
import type { DeclarationRow } from './declaration.store.ts';
import { findDeclaration } from './declaration.store.ts';
import { checkCover, meaningOf } from './declare-steps.ts';

/** Answers the alert of an ended case, as it was just read. Whether it worked, the next read shows. */
export type AnswerAgain = (ended: CaseRow, alert: RemoteAlert) => Promise<void>;

const ANSWERS: Partial<Record<CaseState, DeclaredAction>> = {
  DECLARED_REFUND: 'REFUND',
  DECLARED_ACCEPT: 'ACCEPT_DISPUTE',
};

/** Whether a case that ended so has an answer to give again. */
export function hasAnswer(state: CaseState): boolean {
  return ANSWERS[state] !== undefined;
}

interface Repeat {
  readonly ended: CaseRow;
  readonly alert: RemoteAlert;
  readonly declaration: DeclarationRow;
  readonly signal: AbortSignal;
}

/** Creates it. In shadow mode nothing is answered. */
export function createAnswerAgain(deps: SagaDeps): AnswerAgain {
  return async (ended, alert) => {
    // RDR is never answered, whatever our rows say.
    if (deps.shadow || alert.enrolmentType === 'NETB_RDR') return;
    const declaration = await findDeclaration(deps.db, deps.organisationId, ended.alert_id);
    if (declaration === undefined || declaration.action !== ANSWERS[ended.state]) return;
    const repeat = { ended, alert, declaration, signal: AbortSignal.timeout(LEASE_MS) };
    const isTrue =
      declaration.action === 'REFUND'
        ? await isStillCovered(deps, repeat)
        : await isStillAcceptable(deps, repeat);
    if (isTrue) await answer(deps, repeat);
  };
}

/** `REFUND`: what went back still reaches what the alert asks for now (L4). */
async function isStillCovered(deps: SagaDeps, { ended, alert, signal }: Repeat): Promise<boolean> {
  const about = { claim: ended, money: alert, ledger: undefined };
  return (await checkCover(deps, about, signal)).kind === 'covered';
}

/** `ACCEPT_DISPUTE`: no more went back for the dispute than was said with it (L5). */
async function isStillAcceptable(
  deps: SagaDeps,
  { ended, declaration, signal }: Repeat,
): Promise<boolean> {
  const { organisationId } = deps;
  if (ended.charge_reference === null) return true;
  const charge = { organisationId, chargeReference: ended.charge_reference };
  const asked = { charge, alertId: ended.alert_id, signal };
  const read = await withLedger(ledgerDeps(deps), asked, async (_, { ledger, answer, shown }) => {
    const { capabilities } = answer;
    const { pendingCounts } = capabilities;
    const { samePart } = deps.settings;
    const claim = claimOfAlert(ledger, ended.alert_id);
    // As a person who was told what was said with it.
    return verdict(
      { ledger, claim, pendingCounts, samePart },
      { action: 'ACCEPT_DISPUTE', by: 'person', despiteMinor: declaration.despite_minor },
      { ...capabilities, charge: shownNow(shown), isTimeLeft: true },
    );
  });
  return read.kind === 'done' && read.result.kind === 'accept';
}

async function answer(deps: SagaDeps, repeat: Repeat): Promise<void> {
  const { ended, declaration, signal } = repeat;
  const { alert_id: alertId, deadline_at: deadlineAt } = ended;
  const { action, note } = declaration;
  const acted = await deps.alerts
    .act(alertId, { action, note, deadlineMs: deadlineAt.getTime() }, signal)
    .catch((error: unknown): AlertActed => ({ kind: 'unavailable', reason: messageOf(error) }));
  const { organisationId, db, clock, log } = deps;
  const now = nowDate(clock);
  if (acted.kind === 'unauthorised') {
    await recordKeyRefused(db, { organisationId, code: acted.code, now });
  }
  if (acted.kind !== 'answered' || meaningOf(acted.alert, action, true) !== 'declared') {
    log.warn(
      { alertId, action, answer: acted.kind },
      'an alert that is open again was not answered',
    );
    return;
  }
  await inTransaction(db, async (trx) => {
    await deps.applyAlertSnapshot(acted.object, { trx });
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'declaration',
      subjectId: alertId,
      alertId,
      what: `${action} declared again: the service showed the alert as open`,
      detail: { note, outcome: acted.alert.refundOutcome },
    });
  });
}
