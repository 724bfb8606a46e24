/**
 * The step of a case that waits for its charge's refund: it looks at the refund's row and goes on.
 *
 * It calls nobody but, for a refund that was never sent, the service. The row is read under the
 * charge's lock, so that a refund which moves meanwhile cannot wake a case that is about to sleep.
 */
import type { Transaction } from 'kysely';
import { readAlertFacts } from '../cases/alert-facts.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase, postponeCase, replanCase } from '../cases/case.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { closeRemote, holdCase } from '../cases/hold-case.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { isHoldReason } from '../cases/hold-reason.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { nowDate } from '../kernel/clock.ts';
import { CAUTIOUS_CAPABILITIES } from './processor.ts';
import type { RefundRow } from './refund.store.ts';
import { lockCharge, lockRefundOfCharge } from './refund.store.ts';
import { coversAlert, isDeclarable } from './refund-cover.ts';
import { declareRefunded } from './reserve-refund.ts';
import type { SagaDeps } from './saga-deps.ts';
import { readAlert } from './saga-deps.ts';

/** A waiting case looks again by itself this often, in milliseconds; its refund's moves wake it at once. */
const LOOK_MS = 10 * 60_000;

const ASK_AGAIN = { baseMs: 2_000, maxMs: 2 * 60_000 };

/** `failure_code` of a refund that was not sent because its alerts had been closed. */
export const ALERT_CLOSED = 'alert_closed';

/** Makes the step for `REFUNDING`. */
export function createRefundingStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const charge = {
      organisationId: deps.organisationId,
      chargeReference: claim.charge_reference ?? '',
    };
    const { pendingCounts } = (await deps.processor.capabilities(signal)) ?? CAUTIOUS_CAPABILITIES;
    const seen = await inTransaction(deps.db, async (trx) => {
      await lockCharge(trx, charge);
      const refund = await lockRefundOfCharge(trx, charge);
      if (refund?.failure_code === ALERT_CLOSED && refund.state === 'REJECTED') return refund;
      await lookAt(trx, claim, { deps, refund, pendingCounts });
      return undefined;
    });
    if (seen !== undefined) await closeUnsent(deps, claim, signal);
  };
}

interface Look {
  readonly deps: SagaDeps;
  readonly refund: RefundRow | undefined;
  readonly pendingCounts: boolean;
}

async function lookAt(trx: Transaction<Database>, claim: CaseRow, look: Look): Promise<void> {
  const { deps, refund, pendingCounts } = look;
  const now = nowDate(deps.clock);
  const hold = async (reason: Hold['reason'], fallback: Hold['fallback']): Promise<void> =>
    void (await holdCase(trx, claim, { reason, fallback, now }));
  if (refund === undefined) return await hold('no_charge', 'keep');
  if (isDeclarable(refund, pendingCounts)) {
    const alert = await readAlertFacts(trx, deps.organisationId, claim.alert_id);
    if (!coversAlert(refund, alert?.amountMinor ?? null)) {
      return await hold('not_declarable', 'none');
    }
    await declareRefunded(trx, claim, { refund, now });
    return;
  }
  switch (refund.state) {
    case 'REJECTED':
      return await afterRejection(trx, claim, { ...look, refund });
    case 'HUMAN':
      return await hold(
        refund.network_alert_id === null ? 'refund_unresolved' : 'network_refunded',
        'none',
      );
    case 'REVERSED':
      return await hold('refund_reversed', 'none');
    default:
      await replanCase(trx, claim, { now, nextActionAt: new Date(now.getTime() + LOOK_MS) });
  }
}

/** The processor's words for a refund that was made before; nothing proves that it was enough. */
const REFUNDED_BEFORE = /already|duplicate/i;

async function afterRejection(
  trx: Transaction<Database>,
  claim: CaseRow,
  { deps, refund }: Look & { readonly refund: RefundRow },
): Promise<void> {
  const now = nowDate(deps.clock);
  const code = refund.failure_code ?? 'failed';
  const detail = { failure_code: code };
  if (refund.network_alert_id !== null) {
    await holdCase(trx, claim, { reason: 'network_refunded', fallback: 'none', now, detail });
    return;
  }
  if (isHoldReason(code)) {
    await holdCase(trx, claim, {
      reason: code,
      fallback: await fallbackAfter(trx, claim, code),
      now,
      detail,
    });
    return;
  }
  const accepts =
    claim.fallback_action === 'ACCEPT_DISPUTE' || deps.settings.rejected === 'ACCEPT_DISPUTE';
  if (!accepts || REFUNDED_BEFORE.test(code)) {
    const fallback = REFUNDED_BEFORE.test(code) ? 'none' : 'keep';
    await holdCase(trx, claim, { reason: 'refund_rejected', fallback, now, detail });
    return;
  }
  await moveCase(trx, claim, {
    to: 'DECIDED_ACCEPT',
    now,
    nextActionAt: now,
    what: 'refund refused by the processor, dispute accepted by policy',
    detail,
  });
}

/** A refund that one person decided and no second one agrees to must not outlast what the policy planned. */
async function fallbackAfter(
  trx: Transaction<Database>,
  claim: CaseRow,
  code: HoldReason,
): Promise<Hold['fallback']> {
  if (code === 'partly_refunded') return 'none';
  const isForgotten = code === 'approval_needed' && claim.fallback_action === null;
  return isForgotten ? await readPolicyFallback(trx, claim) : 'keep';
}

/** The refund was not sent because the alerts were closed: see it with our own eyes, then close. */
async function closeUnsent(deps: SagaDeps, claim: CaseRow, signal: AbortSignal): Promise<void> {
  const read = await readAlert(deps, claim, signal);
  const now = nowDate(deps.clock);
  if (read.kind === 'found' && read.alert.status !== 'ACTION_REQUIRED') {
    const { status, refundOutcome } = read.alert;
    await inTransaction(deps.db, (trx) => closeRemote(trx, claim, { status, refundOutcome, now }));
    return;
  }
  if (read.kind === 'found' || read.kind === 'not_found') {
    const reason = read.kind === 'found' ? 'charge_changed' : 'alert_missing';
    await inTransaction(deps.db, (trx) => holdCase(trx, claim, { reason, fallback: 'keep', now }));
    return;
  }
  const retryAt = new Date(now.getTime() + backoffMs(claim.attempts + 1, ASK_AGAIN));
  await postponeCase(deps.db, claim, { now, retryAt, error: `alert not read: ${read.kind}` });
}
