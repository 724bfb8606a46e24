/**
 * What a person knows and the processor does not show: money that went back by another way, what became
 * of a request.
 */
import type { Trx } from '../../base/db/database.ts';
import { isMovableAmount } from '../../base/kernel/money.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import { endAgreement } from '../guard/approval.store.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { disputeOf } from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { findMovement } from '../ledger/movement.store.ts';
import { insertObserved, writeAllocation } from '../ledger/observe.store.ts';
import { normaliseReference, referenceKey } from '../ledger/reference.ts';
import { endedAsAnother, settleIn } from '../ledger/settle-movement.ts';
import { tellConsequences } from '../ledger/tell-consequences.ts';
import { NEVER_EXECUTED } from '../refund/unknown-rule.ts';
import { isAgreed } from './agreed.ts';
import { mayNameOutcome, mayNameOutside } from './named-money.ts';
import { namedBefore, networkNamed, sayItWas, withoutMoney } from './older-money.ts';
import type { DecideAction, OperatorDecision, OperatorResult } from './operator-decision.ts';
import { refuse } from './operator-decision.ts';
import { decideAnew } from './operator-money.ts';
import { standingFor } from './persons-verdict.ts';

const DAY_MS = 24 * 60 * 60_000;

/** "This was refunded outside, reference X": cheque, store credit, another tender. */
export const refundedOutside: DecideAction = async (trx, current, { decision, ledger }) => {
  const { organisationId, operator, amountMinor, now } = decision;
  const reference = normaliseReference(decision.reference ?? '');
  if (ledger === undefined) return refuse('charge_needed');
  const dispute = disputeOf(ledger, current.dispute_id);
  if (dispute === undefined) return refuse('dispute_unclear');
  if (reference === '') return refuse('reference_needed');
  const named = namedBefore(ledger, dispute, reference);
  const objection =
    named === undefined ? await mayNameOutside(trx, organisationId, reference) : undefined;
  if (objection !== undefined) return refuse(objection);
  const { alert_id: alertId } = current;
  const { isAccepted, underWay, missingMinor } = standingFor({ ledger, alertId });
  if (isAccepted) return refuse('dispute_accepted');
  if (underWay !== null) return refuse('refund_under_way');
  const network = networkNamed(ledger, dispute, reference);
  const { roomMinor } = standingFor({ ledger: withoutMoney(ledger, network), alertId });
  const restMinor = Math.min(missingMinor, roomMinor);
  // Money that the processor shows is named, and is as much as it is.
  if (named !== undefined) {
    return await sayItWas(trx, current, { decision, ledger, dispute, movement: named });
  }
  const sumMinor = amountMinor ?? restMinor;
  if (!isMovableAmount(sumMinor) || sumMinor > restMinor) return refuse('amount_needed');
  const about = `outside:${dispute.id}:${referenceKey(reference)}`;
  const { currency } = dispute;
  const agreed = await isAgreed(trx, current, {
    kind: 'REFUNDED_OUTSIDE',
    decision,
    ledger,
    disputeId: dispute.id,
    about,
    reference,
    amountMinor: sumMinor,
    currency,
  });
  if (!agreed) return refuse('second_person');
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  const from = `operator:${operator}`;
  await insertObserved(trx, {
    charge,
    kind: 'external',
    state: 'CONFIRMED',
    amountMinor: sumMinor,
    currency,
    reference,
    from,
    disputeId: dispute.id,
    now,
  });
  await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await wakeCasesOfCharge(trx, organisationId, { reference: ledger.chargeReference, now });
  return await decideAnew(trx, current, { decision, what: 'refunded outside, says a person' });
};

/** "It did execute, reference X", of a request whose outcome is unknown. */
export const didExecute: DecideAction = async (trx, current, { decision, ledger }) => {
  const { operator, now } = decision;
  const reference = normaliseReference(decision.reference ?? '');
  const row = await unknownOf(trx, current, ledger);
  if (row === undefined) return refuse('no_such_movement');
  if (reference === '') return refuse('reference_needed');
  const { currency } = row;
  const amountMinor = decision.amountMinor ?? row.amount_minor;
  const named = await mayNameOutcome(trx, row, { reference, amountMinor, currency });
  if (named.refusal !== undefined) return refuse(named.refusal);
  if (amountMinor !== row.amount_minor) {
    const { isShown } = named;
    return await executedOtherwise(trx, current, {
      decision,
      row,
      reference,
      amountMinor,
      isShown,
    });
  }
  await settleIn(trx, row, {
    settlement: { to: 'CONFIRMED', refund: { reference } },
    asyncRefunds: true,
    actor: `operator:${operator}`,
    now,
  });
  return { ok: true, state: current.state };
};

/** It executed with another amount: that much is booked as the person says, and our own request ends. */
async function executedOtherwise(
  trx: Trx,
  current: CaseRow,
  said: {
    readonly decision: OperatorDecision;
    readonly row: OurMovementRow;
    readonly reference: string;
    readonly amountMinor: number;
    /** The processor shows that money already. */
    readonly isShown: boolean;
  },
): Promise<OperatorResult> {
  const { decision, row, reference, amountMinor, isShown } = said;
  const { organisationId, operator, now } = decision;
  if (row.kind !== 'refund' || !isMovableAmount(amountMinor)) return refuse('amount_needed');
  const about = `executed:${row.id}:${referenceKey(reference)}`;
  const { currency } = row;
  const charge = { organisationId, chargeReference: row.charge_reference };
  const before = await readLedger(trx, charge);
  const agreed = await isAgreed(trx, current, {
    kind: 'DID_EXECUTE',
    decision,
    ledger: before,
    disputeId: row.dispute_id,
    about,
    reference,
    amountMinor,
    currency,
    except: row.id,
  });
  if (!agreed) return refuse('second_person');
  const actor = `operator:${operator}`;
  await settleIn(trx, row, {
    settlement: endedAsAnother(reference),
    asyncRefunds: true,
    actor,
    now,
  });
  if (!isShown) {
    await insertObserved(trx, {
      charge,
      kind: 'external',
      state: 'CONFIRMED',
      amountMinor,
      currency,
      reference,
      from: actor,
      now,
      disputeId: row.dispute_id,
    });
  }
  const after = await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await tellConsequences(trx, { charge, before, after, pendingCounts: false, now });
  return { ok: true, state: current.state };
}

/** "It did not execute": only once its lifetime is over. */
export const didNotExecute: DecideAction = async (trx, current, { decision, ledger }) => {
  const { organisationId, operator, now } = decision;
  const row = await unknownOf(trx, current, ledger);
  if (row === undefined) return refuse('no_such_movement');
  const sentMs = (row.sent_at ?? row.created_at).getTime();
  const provenMs = row.proven_at?.getTime() ?? sentMs + DAY_MS;
  if (now.getTime() <= provenMs) return refuse('may_still_execute');
  await settleIn(trx, row, {
    settlement: { to: 'REJECTED', failureCode: NEVER_EXECUTED, failureClass: 'retry' },
    asyncRefunds: true,
    actor: `operator:${operator}`,
    now,
  });
  // One person's word: two must agree before it is sent under another key.
  const because = 'a person said that it did not execute';
  await endAgreement(trx, { organisationId, movementIds: [row.id], because, now });
  return { ok: true, state: current.state };
};

/** The request of ours for the case's dispute of which it is unknown what became; no other's is in these states. */
async function unknownOf(
  trx: Trx,
  { organisation_id, dispute_id, movement_id }: CaseRow,
  ledger: Ledger | undefined,
): Promise<OurMovementRow | undefined> {
  const found = ledger?.movements.find(
    ({ id, state, disputeId }) =>
      (state === 'UNKNOWN' || state === 'HUMAN') &&
      (id === movement_id || disputeId === dispute_id),
  );
  return found && (await findMovement(trx, organisation_id, found.id));
}
