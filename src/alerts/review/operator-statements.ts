/**
 * What a person knows and the processor does not show: money that went back by another way, what became
 * of a request.
 */
import type { Trx } from '../../base/db/database.ts';
import { isMovableAmount } from '../../base/kernel/money.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import { endAgreement } from '../guard/approval.store.ts';
import { tellConsequences } from '../ledger/consequences.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Dispute, Ledger, Movement } from '../ledger/ledger.ts';
import {
  disputeOf,
  foreignOut,
  isAccepted,
  isOurs,
  mayHaveExecuted,
  missingMinor,
  roomMinor,
  unnamedBefore,
  unsettledFor,
} from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { findMovement } from '../ledger/movement.store.ts';
import { insertObserved, nameMoney, writeAllocation } from '../ledger/observe.store.ts';
import { endedAsAnother, settleIn } from '../ledger/settle-movement.ts';
import { NEVER_EXECUTED } from '../refund/unknown-rule.ts';
import type { DecideAction, OperatorDecision, OperatorResult } from './operator-decision.ts';
import { isAgreed, refuse } from './operator-decision.ts';
import { decideAnew } from './operator-money.ts';

const DAY_MS = 24 * 60 * 60_000;

/** "This was refunded outside, reference X": cheque, store credit, another tender. */
export const refundedOutside: DecideAction = async (trx, current, { decision, ledger }) => {
  const { organisationId, operator, reference, amountMinor, now } = decision;
  if (ledger === undefined) return refuse('charge_needed');
  const dispute = disputeOf(ledger, current.dispute_id);
  if (dispute === undefined) return refuse('dispute_unclear');
  if (reference === undefined || reference.trim() === '') return refuse('reference_needed');
  const named = namedBefore(ledger, dispute, reference);
  if (named === undefined && isCounted(ledger, reference)) return refuse('reference_counted');
  if (isAccepted(ledger, dispute.id)) return refuse('dispute_accepted');
  const isUnsettled = unsettledFor(ledger, dispute.id) !== undefined;
  if (isUnsettled) return refuse('refund_under_way');
  const network = networkOf(ledger, dispute, reference);
  const restMinor = Math.min(missingMinor(ledger, dispute), roomMinor(without(ledger, network)));
  // Money that the processor shows is named, and is as much as it is.
  if (named !== undefined) {
    return await sayItWas(trx, current, { decision, ledger, dispute, movement: named });
  }
  const sumMinor = amountMinor ?? restMinor;
  if (!isMovableAmount(sumMinor) || sumMinor > restMinor) return refuse('amount_needed');
  const about = `outside:${dispute.id}:${reference}`;
  const { currency } = dispute;
  if (!(await isAgreed(trx, current, { decision, about, amountMinor: sumMinor, currency }))) {
    return refuse('second_person');
  }
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  const from = `operator:${operator}`;
  await insertObserved(trx, {
    charge,
    kind: 'external',
    state: 'CONFIRMED',
    amountMinor: sumMinor,
    currency,
    reference: network?.alertId ?? reference,
    from,
    disputeId: dispute.id,
    now,
  });
  await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await wakeCasesOfCharge(trx, organisationId, { reference: ledger.chargeReference, now });
  return await decideAnew(trx, current, { decision, what: 'refunded outside, says a person' });
};

/** The network's money in another currency, named by its alert: a person says how much of the charge that is. */
function networkOf(ledger: Ledger, dispute: Dispute, reference: string): Movement | undefined {
  return foreignOut(ledger).find(
    (each) =>
      each.kind === 'network' &&
      each.state === 'CONFIRMED' &&
      each.disputeId === dispute.id &&
      each.alertId === reference.trim(),
  );
}

function without(ledger: Ledger, movement: Movement | undefined): Ledger {
  return { ...ledger, movements: ledger.movements.filter((each) => each !== movement) };
}

/** What went back before the complaint under that reference and answers none: a person may say that it was for this one. */
function namedBefore(ledger: Ledger, dispute: Dispute, reference: string): Movement | undefined {
  const wanted = reference.trim();
  return unnamedBefore(ledger, dispute).find(
    (each) => each.reference === wanted && each.covers.length === 0 && each.state === 'CONFIRMED',
  );
}

async function sayItWas(
  trx: Trx,
  current: CaseRow,
  said: {
    readonly decision: OperatorDecision;
    readonly ledger: Ledger;
    readonly dispute: Dispute;
    readonly movement: Movement;
  },
): Promise<OperatorResult> {
  const { decision, ledger, dispute, movement } = said;
  const { organisationId, now } = decision;
  const { amountMinor, currency } = movement;
  const about = `outside:${dispute.id}:${movement.reference ?? movement.id}`;
  if (!(await isAgreed(trx, current, { decision, about, amountMinor, currency }))) {
    return refuse('second_person');
  }
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  await nameMoney(trx, { charge, movementId: movement.id, disputeId: dispute.id, now });
  await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await wakeCasesOfCharge(trx, organisationId, { reference: ledger.chargeReference, now });
  return await decideAnew(trx, current, { decision, what: 'refunded before, says a person' });
}

/** Whether money under the reference counts on the charge: one refund answers no dispute twice (L4). */
function isCounted({ movements }: Ledger, reference: string): boolean {
  return movements.some((each) => mayHaveExecuted(each) && each.reference === reference);
}

/** "It did execute, reference X", of a request whose outcome is unknown. */
export const didExecute: DecideAction = async (trx, current, { decision, ledger }) => {
  const { organisationId, operator, reference, amountMinor, now } = decision;
  const movement = unknownOf(ledger, current);
  if (ledger === undefined || movement === undefined) return refuse('no_such_movement');
  if (reference === undefined || reference.trim() === '') return refuse('reference_needed');
  const row = await findMovement(trx, organisationId, movement.id);
  if (row === undefined) return refuse('no_such_movement');
  if (amountMinor !== undefined && amountMinor !== row.amount_minor) {
    return await executedOtherwise(trx, current, { decision, row, reference, amountMinor });
  }
  await settleIn(trx, row, {
    settlement: {
      to: 'CONFIRMED',
      refund: {
        reference,
        idempotencyKey: row.idempotency_key,
        chargeReference: row.charge_reference,
        status: 'succeeded',
        failureCode: null,
        amountMinor: row.amount_minor,
        currency: row.currency,
        createdAt: null,
      },
    },
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
  },
): Promise<OperatorResult> {
  const { decision, row, reference, amountMinor } = said;
  const { organisationId, operator, now } = decision;
  if (row.kind !== 'refund' || !isMovableAmount(amountMinor)) return refuse('amount_needed');
  const about = `executed:${row.id}:${reference}`;
  const { currency } = row;
  if (!(await isAgreed(trx, current, { decision, about, amountMinor, currency }))) {
    return refuse('second_person');
  }
  const charge = { organisationId, chargeReference: row.charge_reference };
  const before = await readLedger(trx, charge);
  const actor = `operator:${operator}`;
  await settleIn(trx, row, {
    settlement: endedAsAnother(reference),
    asyncRefunds: true,
    actor,
    now,
  });
  if (!isCounted(await readLedger(trx, charge), reference)) {
    await insertObserved(trx, {
      charge,
      kind: 'external',
      state: 'CONFIRMED',
      amountMinor,
      currency,
      reference,
      from: actor,
      now,
      ...(row.dispute_id === null ? {} : { disputeId: row.dispute_id }),
    });
  }
  const after = await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await tellConsequences(trx, { charge, before, after, pendingCounts: false, now });
  return { ok: true, state: current.state };
}

/** "It did not execute": only once its lifetime is over. */
export const didNotExecute: DecideAction = async (trx, current, { decision, ledger }) => {
  const { organisationId, operator, now } = decision;
  const movement = unknownOf(ledger, current);
  if (movement === undefined) return refuse('no_such_movement');
  const row = await findMovement(trx, organisationId, movement.id);
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
  await endAgreement(trx, { organisationId, movementIds: [movement.id], because, now });
  return { ok: true, state: current.state };
};

/** The request of ours for the case's dispute that nobody can tell about. */
function unknownOf(
  ledger: Ledger | undefined,
  { dispute_id, movement_id }: CaseRow,
): Movement | undefined {
  return ledger?.movements.find(
    (each) =>
      isOurs(each) &&
      (each.state === 'UNKNOWN' || each.state === 'HUMAN') &&
      (each.id === movement_id || each.disputeId === dispute_id),
  );
}
