/**
 * The step of a case decided as `REFUND`: ask the service and the processor, then, under the charge's
 * lock, reserve what is missing; after the commit, send it. The movement with its key, and the case in
 * `REFUNDING`, are durable before the processor is called.
 */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { assertInvariant, InvariantError } from '../../base/kernel/errors.ts';
import type { RemoteAlert } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import { readPolicyFallback } from '../cases/case-decision.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { Hold } from '../cases/hold-case.ts';
import { closeRemote, conflictCase, holdCase } from '../cases/hold-case.ts';
import { lockForSending } from '../guard/check-movement.ts';
import { declareCovered } from '../ledger/declare-covered.ts';
import { claimOfAlert, referencesBeside } from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import type { Verdict } from '../ledger/verdict.ts';
import { shownNow, verdict } from '../ledger/verdict.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { withLedger } from '../ledger/with-ledger.ts';
import { askAgain, askAgainIn, nextWaitMs } from './ask-again.ts';
import type { AlertCheck, NoOpenAlert } from './check-alert.ts';
import { checkAlert, hasTimeLeft, readSiblings } from './check-alert.ts';
import { acceptChargedBack, holdOf } from './no-refund.ts';
import { attachCase, holdRefused } from './refunding-step.ts';
import { reserveMovement } from './reserve-movement.ts';
import type { SagaDeps } from './saga-deps.ts';
import { ledgerDeps } from './saga-deps.ts';
import type { SendContext } from './send-movement.ts';
import { sendMovement } from './send-movement.ts';
import { waitsForOthers } from './wait-for-others.ts';

const SHADOW = { reason: 'shadow_mode', fallback: 'none' } as const;

/** Creates the step for `DECIDED_REFUND`. */
export function createDecidedRefundStep(deps: SagaDeps): CaseStep {
  return async (claim, signal) => {
    const reference = claim.charge_reference;
    const obstacle = obstacleTo(deps, claim);
    if (obstacle !== undefined) return await hold(deps, claim, obstacle);
    const check = asDecided(await checkAlert(deps, claim, signal));
    if (check.kind !== 'open') return await withoutOpenAlert(deps, claim, check);
    const { decision } = check.beside;
    if (decision === undefined || reference === null) {
      return await hold(deps, claim, { reason: 'no_decision' });
    }
    if (decision.shadow) return await hold(deps, claim, SHADOW);
    const { unread, mark } = await readSiblings(deps, check.beside, signal);
    if (unread !== undefined) {
      return await askAgain(deps, claim, { reason: 'service_unavailable', error: unread });
    }
    const charge = { organisationId: deps.organisationId, chargeReference: reference };
    const { alert_id: alertId } = claim;
    const ahead = (): Promise<void> => crashPoint('refund.examined');
    const acted = await withLedger(
      ledgerDeps(deps),
      { charge, alertId, mark, withKey: true, ahead, signal },
      (trx, opened) => actUnderLock(trx, { deps, claim, decision, alert: check.alert, ...opened }),
    );
    if (acted.kind === 'unavailable') {
      const { reason: error } = acted;
      return await askAgain(deps, claim, { reason: 'processor_unavailable', error });
    }
    const { result: sent } = acted;
    if (sent === undefined) return;
    await sendMovement(deps, sent.movement, { ...sent, provenAbsent: true, signal });
  };
}

/** Why nothing is asked about the case. */
function obstacleTo(
  { shadow }: SagaDeps,
  { decision_id, charge_reference }: CaseRow,
): Obstacle | undefined {
  if (shadow) return SHADOW;
  if (decision_id === null) return { reason: 'no_decision' };
  return charge_reference === null ? { reason: 'no_charge' } : undefined;
}

type Obstacle = Pick<Hold, 'reason'> & { readonly fallback?: Hold['fallback'] };

/** The alert is open and says otherwise than when it was decided. */
interface Changed {
  readonly kind: 'changed';
  readonly changed: readonly string[];
}

function asDecided(check: AlertCheck): AlertCheck | Changed {
  const changed = check.kind === 'open' ? check.beside.changed : [];
  return changed.length === 0 ? check : { kind: 'changed', changed };
}

/** The alert says otherwise than when it was matched and decided: both are done again, before money goes. */
async function matchAnew(
  deps: SagaDeps,
  claim: CaseRow,
  changed: readonly string[],
): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const fallback = await readPolicyFallback(trx, claim);
    const again = { fallback, againAt: now, detail: { changed } };
    await holdCase(trx, claim, { reason: 'alert_changed', ...again, now });
  });
}

async function withoutOpenAlert(
  deps: SagaDeps,
  claim: CaseRow,
  check: NoOpenAlert | Changed,
): Promise<void> {
  const now = nowDate(deps.clock);
  switch (check.kind) {
    case 'closed': {
      const { status, refundOutcome } = check.alert;
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
    case 'changed':
      return await matchAnew(deps, claim, check.changed);
    case 'hold':
      return await hold(deps, claim, { reason: check.reason });
    case 'later':
      return await askAgain(deps, claim, { reason: 'service_unavailable', error: check.reason });
  }
}

interface Decided extends OpenedLedger {
  readonly deps: SagaDeps;
  readonly claim: CaseRow;
  readonly decision: CaseDecision;
  readonly alert: RemoteAlert;
}

/** A movement whose request is to go out, with the case that waits for it. */
interface ToSend extends Pick<SendContext, 'capabilities' | 'taken'> {
  readonly movement: OurMovementRow;
  readonly claim: CaseRow;
}

async function actUnderLock(trx: Trx, decided: Decided): Promise<ToSend | undefined> {
  const { deps, claim, decision, alert, ledger, answer, shown } = decided;
  const { disputeId } = claimOfAlert(ledger, claim.alert_id);
  const { amountMinor, currency } = alert;
  const { samePart } = deps.settings;
  const { capabilities, processor } = answer;
  const allowed = verdict(
    {
      ledger,
      claim: { alertId: claim.alert_id, disputeId, amountMinor, currency },
      ...{ pendingCounts: capabilities.pendingCounts, samePart },
      ...{ processor, movementId: claim.movement_id },
    },
    { ...decision, action: 'REFUND', by: decision.byOperator ? 'person' : 'policy' },
    {
      charge: shownNow(shown, answer.kind !== 'not_offered'),
      refusesOverRefund: capabilities.refusesOverRefund,
      isTimeLeft: hasTimeLeft(deps, claim, { alert, capabilities }),
    },
  );
  return await actOnVerdict(trx, { ...decided, verdict: allowed });
}

interface Judged extends Decided {
  readonly verdict: Verdict;
}

async function actOnVerdict(trx: Trx, judged: Judged): Promise<ToSend | undefined> {
  const { claim, ledger, verdict, now, deps } = judged;
  switch (verdict.kind) {
    case 'covered':
      await declareCovered(trx, claim, { ledger, movementId: verdict.movementId, now });
      return undefined;
    case 'under_way':
      await attachCase(trx, claim, { movementId: verdict.movementId, now });
      return undefined;
    case 'wait':
      await askAgainIn(trx, claim, { deps, ...verdict });
      return undefined;
    case 'accept':
      await acceptChargedBack(trx, claim, now);
      return undefined;
    case 'hold':
      await holdCase(trx, claim, { ...holdOf(verdict.reason, now), now });
      return undefined;
    case 'refund':
    case 'void':
      return await reserve(trx, { ...judged, verdict });
    case 'open':
      throw new InvariantError(`Nothing was decided about the refund of alert ${claim.alert_id}.`);
  }
}

type MovingVerdict = Extract<Verdict, { kind: 'refund' | 'void' }>;

async function reserve(
  trx: Trx,
  judged: Judged & { readonly verdict: MovingVerdict },
): Promise<ToSend | undefined> {
  const { deps, claim, charge, ledger, verdict, now } = judged;
  // Restored or taken over within this very step: nothing leaves before everything was asked.
  const standing = await lockForSending(trx, charge);
  if (standing.awaitsCheck) {
    const retryAt = new Date(now.getTime() + nextWaitMs(claim));
    await postponeCase(trx, claim, { now, retryAt, error: 'reconciling first' });
    return undefined;
  }
  if (await waitsForOthers(trx, claim, judged)) return undefined;
  const { capabilities, sentThrough, processor } = judged.answer;
  const { currency } = ledger;
  assertInvariant(currency !== null, 'Money is to move on a charge whose currency is not known.');
  const { movement, refusal, layer } = await reserveMovement(
    trx,
    {
      kind: verdict.kind,
      amountMinor: verdict.kind === 'refund' ? verdict.amountMinor : 0,
      currency,
      disputeId: verdict.disputeId,
    },
    {
      ...{ deps, charge, ledger, claim, standing, now },
      operator: judged.decision.operator,
      ...{ capabilities, sentThrough, processor },
      takenKeys: keysOf(judged),
    },
  );
  if (refusal !== undefined) {
    // Why nothing was sent now counts, not how an earlier request of the movement ended.
    const unsent = { state: 'NOT_SENT', failure_code: refusal, failure_class: null } as const;
    const { round } = movement;
    const held = { movement: { ...unsent, round }, settings: deps.settings, layer, now };
    await holdRefused(trx, claim, held);
    return undefined;
  }
  const waiting = await attachCase(trx, claim, { movementId: movement.id, now, keepLease: true });
  const taken = referencesBeside(ledger, movement.id);
  return { movement, claim: waiting, capabilities, taken };
}

function keysOf({ shown }: Decided): ReadonlySet<string | null> {
  const refunds = shown?.refunds ?? [];
  return new Set(refunds.map(({ idempotencyKey }) => idempotencyKey));
}

/** Holds the case, with the policy's fallback unless `as` names another. */
async function hold(deps: SagaDeps, claim: CaseRow, as: Obstacle): Promise<void> {
  const held = { reason: as.reason, fallback: as.fallback ?? 'keep', now: nowDate(deps.clock) };
  await inTransaction(deps.db, (trx) => holdCase(trx, claim, held));
}
