/**
 * The step of a case decided as `REFUND`: examine, reserve the charge, send.
 *
 * Durable before the call to the processor: the refund row with its key, and the case in `REFUNDING`.
 * A worker that dies in between leaves an `INTENT`, which the refund runner examines anew and sends.
 */
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, postponeCase } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import { readCaseDecision } from '../cases/case-decision.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { closeRemote, conflictCase, holdCase } from '../cases/hold-case.ts';
import { inTransaction } from '../db/transaction.ts';
import type { RemoteAlert } from '../declare/alert-service.ts';
import { ACCEPT_NOTES } from '../declare/notes.ts';
import { isPaused } from '../guard/pause.store.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { nowDate } from '../kernel/clock.ts';
import { crashPoint } from '../kernel/crash-point.ts';
import { LEASE_MS } from '../kernel/limits.ts';
import type { ChargeVerdict } from './assess-charge.ts';
import type { Examination } from './examine.ts';
import { examine, guardAtMs } from './examine.ts';
import { CAUTIOUS_CAPABILITIES } from './processor.ts';
import type { ChargeKey, RefundRow } from './refund.store.ts';
import { findRefundOfCharge, lockCharge, lockRefundOfCharge, refundKey } from './refund.store.ts';
import type { ReservingVerdict } from './reserve-refund.ts';
import { attachCase, mayRestart, nextRound, reserveCharge } from './reserve-refund.ts';
import type { SagaDeps } from './saga-deps.ts';
import { sendRefund } from './send-refund.ts';

/** Waits after something could not be asked: soon at first; later rarely, as each asks the service too. */
const ASK_AGAIN = { baseMs: 2_000, maxMs: 10 * 60_000 };

/** Makes the step for `DECIDED_REFUND`. */
export function createDecidedRefundStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const { db, organisationId } = deps;
    const decision = await readCaseDecision(db, claim);
    if (deps.shadow || decision?.shadow === true)
      return await hold(deps, claim, { reason: 'shadow_mode' });
    if (decision === undefined) return await hold(deps, claim, { reason: 'no_decision' });
    if (claim.charge_reference === null) return await hold(deps, claim, { reason: 'no_charge' });
    const charge = { organisationId, chargeReference: claim.charge_reference };
    const existing = await findRefundOfCharge(db, charge);
    if (existing !== undefined && !mayRestart(existing, decision.byOperator)) {
      return await join(deps, claim, { charge, existing });
    }
    // Before the charge is reserved; asked again in the transaction that sends, and before the call.
    if (await isPaused(db, organisationId)) return await hold(deps, claim, { reason: 'paused' });
    const key = refundKey(charge, nextRound(existing));
    const subject = { owner: claim, decision, ...charge, idempotencyKey: key };
    const examination = await examine(deps, subject, signal);
    await crashPoint('K5');
    await actOn(deps, { claim, decision, charge, signal }, examination);
  };
}

/** Under the charge's lock: a refund that moves meanwhile cannot wake a case that is about to sleep. */
async function join(
  { db, clock }: SagaDeps,
  claim: CaseRow,
  { charge, existing }: { readonly charge: ChargeKey; readonly existing: RefundRow },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockCharge(trx, charge);
    const refund = (await lockRefundOfCharge(trx, charge)) ?? existing;
    await attachCase(trx, claim, { refund, now: nowDate(clock) });
  });
}

interface Decided {
  readonly claim: CaseRow;
  readonly decision: CaseDecision;
  readonly charge: ChargeKey;
  readonly signal: AbortSignal;
}

async function actOn(deps: SagaDeps, decided: Decided, found: Examination): Promise<void> {
  const { claim } = decided;
  const now = nowDate(deps.clock);
  switch (found.kind) {
    case 'closed': {
      const { status, refundOutcome } = found.alert;
      await inTransaction(deps.db, (trx) =>
        closeRemote(trx, claim, { status, refundOutcome, now }),
      );
      return;
    }
    case 'rdr':
      await inTransaction(deps.db, (trx) =>
        conflictCase(trx, claim, {
          now,
          text: `Alert ${claim.alert_id} was decided as a refund, but the network has refunded it (RDR). Nothing was sent. Check the charge.`,
          detail: { enrolment_type: 'NETB_RDR' },
        }),
      );
      return;
    case 'hold':
      return await hold(deps, claim, { reason: found.reason });
    case 'later': {
      const retryAt = askAgainAt(deps, claim, now);
      return await postponeCase(deps.db, claim, { now, retryAt, error: found.reason });
    }
    case 'verdict':
      return await actOnVerdict(deps, decided, found);
  }
}

/** The next try; when the guard time comes first, then, so that a person hears of it at once. */
function askAgainAt(deps: SagaDeps, claim: CaseRow, now: Date): Date {
  const nextMs = now.getTime() + backoffMs(claim.attempts + 1, ASK_AGAIN);
  const guardMs = guardAtMs(claim.deadline_at.getTime(), deps.settings.guardMs);
  return new Date(guardMs > now.getTime() ? Math.min(nextMs, guardMs) : nextMs);
}

async function actOnVerdict(
  deps: SagaDeps,
  decided: Decided,
  { verdict, alert }: { readonly verdict: ChargeVerdict; readonly alert: RemoteAlert },
): Promise<void> {
  const { claim } = decided;
  if (verdict.kind === 'wait') return await hold(deps, claim, { reason: 'processor_unavailable' });
  if (verdict.kind === 'accept') return await decideAccept(deps, claim, verdict);
  if (verdict.kind === 'review') {
    const { reason, creditClaim } = verdict;
    if (!creditClaim) return await hold(deps, claim, { reason });
    return await hold(deps, claim, {
      reason,
      fallback: 'ACCEPT_DISPUTE',
      answerNote: ACCEPT_NOTES.declined,
      creditClaim,
    });
  }
  await reserveAndSend(deps, { ...decided, verdict }, alert);
}

async function reserveAndSend(
  deps: SagaDeps,
  { claim, decision, charge, signal, verdict }: Decided & { readonly verdict: ReservingVerdict },
  alert: RemoteAlert,
): Promise<void> {
  const now = nowDate(deps.clock);
  const capabilities = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  const { refund, mine } = await inTransaction(deps.db, (trx) =>
    reserveCharge(trx, {
      claim,
      charge,
      verdict,
      currency: verdict.kind === 'ours' ? verdict.refund.currency : (alert.currency ?? ''),
      byOperator: decision.byOperator,
      capabilities,
      lease: { owner: deps.workerId, until: new Date(now.getTime() + LEASE_MS) },
      now,
    }),
  );
  await crashPoint('K6');
  if (!mine) return;
  await sendRefund(deps, refund, {
    owner: claim,
    byOperator: decision.byOperator,
    alertMinor: alert.amountMinor ?? 0,
    provenAbsent: true,
    signal,
  });
}

async function decideAccept(
  deps: SagaDeps,
  claim: CaseRow,
  { creditClaim }: { readonly creditClaim: boolean },
): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, (trx) =>
    moveCase(trx, claim, {
      to: 'DECIDED_ACCEPT',
      now,
      nextActionAt: now,
      what: creditClaim ? 'charged back already' : 'dispute open already, accepted by policy',
      set: {
        answer_note: creditClaim ? ACCEPT_NOTES.charged_back : ACCEPT_NOTES.disputed,
        credit_claim: creditClaim,
      },
    }),
  );
}

type HoldAs = Pick<Hold, 'reason' | 'answerNote' | 'creditClaim'> & { fallback?: Hold['fallback'] };

/** Holds the case, with the policy's fallback unless `as` names another. */
async function hold(deps: SagaDeps, claim: CaseRow, as: HoldAs): Promise<void> {
  const fallback = as.fallback ?? (as.reason === 'shadow_mode' ? 'none' : 'keep');
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, (trx) => holdCase(trx, claim, { ...as, fallback, now }));
}
