/**
 * What a person knows and the processor does not show: money that went back by another way, what became
 * of a request, whether two alerts are one complaint.
 */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Trx } from '../../base/db/database.ts';
import { isMovableAmount } from '../../base/kernel/money.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import { endAgreement } from '../guard/approval.store.ts';
import { tellConsequences } from '../ledger/consequences.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Dispute, Ledger, Movement } from '../ledger/ledger.ts';
import {
  disputeOf,
  isAccepted,
  isOurs,
  missingMinor,
  roomMinor,
  unsettledFor,
} from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { findMovement } from '../ledger/movement.store.ts';
import { insertObserved, writeAllocation } from '../ledger/observe.store.ts';
import { moneyOf, nameDispute, newDispute } from '../ledger/place.store.ts';
import { claimedMinor } from '../ledger/same-dispute.ts';
import { endedAsAnother, settleIn } from '../ledger/settle-movement.ts';
import { NEVER_EXECUTED } from '../refund/unknown-rule.ts';
import { rests } from './offered-actions.ts';
import type { DecideAction, OperatorDecision, OperatorResult } from './operator-decision.ts';
import { isAgreed, refuse } from './operator-decision.ts';
import { takenBack } from './operator-money.ts';

const DAY_MS = 24 * 60 * 60_000;

/** "This was refunded outside, reference X": cheque, store credit, another tender. */
export const refundedOutside: DecideAction = async (trx, current, { decision, ledger }) => {
  const { organisationId, operator, reference, amountMinor, now } = decision;
  if (ledger === undefined) return refuse('charge_needed');
  const dispute = disputeOf(ledger, current.dispute_id);
  if (dispute === undefined) return refuse('dispute_unclear');
  if (reference === undefined || reference.trim() === '') return refuse('reference_needed');
  if (isAccepted(ledger, dispute.id)) return refuse('dispute_accepted');
  const isUnsettled = unsettledFor(ledger, dispute.id) !== undefined;
  if (isUnsettled) return refuse('refund_under_way');
  const restMinor = Math.min(missingMinor(ledger, dispute), roomMinor(ledger));
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
    reference,
    from,
    disputeId: dispute.id,
    now,
  });
  await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await wakeCasesOfCharge(trx, organisationId, { reference: ledger.chargeReference, now });
  return await decideAnew(trx, current, { decision, what: 'refunded outside, says a person' });
};

/** The case goes back to the guards and the policy, which now see what was said. */
async function decideAnew(
  trx: Trx,
  current: CaseRow,
  { decision, what }: { decision: OperatorDecision; what: string },
): Promise<OperatorResult> {
  const { now, operator } = decision;
  const held = await takenBack(trx, current, decision);
  const to = held.state === 'HUMAN' ? 'MATCHED' : held.state;
  await moveCase(trx, held, {
    to,
    now,
    nextActionAt: now,
    what,
    actor: `operator:${operator}`,
    ...(to === 'MATCHED'
      ? { set: { hold_reason: null, fallback_action: null, fallback_at: null, retry_at: null } }
      : {}),
  });
  return { ok: true, state: to };
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
  const charge = { organisationId, chargeReference: row.charge_reference };
  const actor = `operator:${operator}`;
  const before = await readLedger(trx, charge);
  await settleIn(trx, row, {
    settlement: endedAsAnother(reference),
    asyncRefunds: true,
    actor,
    now,
  });
  await insertObserved(trx, {
    charge,
    kind: 'external',
    state: 'CONFIRMED',
    amountMinor,
    currency: row.currency,
    reference,
    from: actor,
    now,
    ...(row.dispute_id === null ? {} : { disputeId: row.dispute_id }),
  });
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

/** "It is the same complaint": the alert joins a dispute of its charge. */
export const joinDispute: DecideAction = async (trx, current, { decision, ledger }) => {
  const { disputeId } = decision;
  if (ledger === undefined) return refuse('charge_needed');
  const target = disputeOf(ledger, disputeId ?? null);
  if (target === undefined || target.id === current.dispute_id) return refuse('no_such_dispute');
  const own = disputeOf(ledger, current.dispute_id);
  // An alert that was never placed may join what money depends on; a placed one may not be moved there.
  if (own !== undefined && (rests(ledger, own.id) || rests(ledger, target.id))) {
    return refuse('money_rests');
  }
  return await place(trx, current, { decision, ledger, target, what: 'joined by a person' });
};

/** "It is another complaint": the alert gets a dispute of its own. */
export const separateDispute: DecideAction = async (trx, current, { decision, ledger }) => {
  if (ledger === undefined) return refuse('charge_needed');
  const money = moneyOf(ledger);
  const own = disputeOf(ledger, current.dispute_id);
  if (money === undefined) return refuse('charge_needed');
  if (own !== undefined && rests(ledger, own.id)) return refuse('money_rests');
  const alerts = own?.alerts ?? ledger.unplaced;
  const alert = alerts.find(({ alertId }) => alertId === current.alert_id);
  const amountMinor = alert === undefined ? money.amountMinor : claimedMinor(alert, money);
  const target = newDispute({ amountMinor, currency: money.currency });
  const what = 'separated by a person';
  return await place(trx, current, { decision, ledger, target, opens: target, what });
};

async function place(
  trx: Trx,
  current: CaseRow,
  how: {
    readonly decision: OperatorDecision;
    readonly ledger: Ledger;
    readonly target: Dispute;
    /** The target where it is a new one. */
    readonly opens?: Dispute;
    readonly what: string;
  },
): Promise<OperatorResult> {
  const { decision, ledger, target, what } = how;
  const { organisationId, alertId, operator, now } = decision;
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  await nameDispute(trx, {
    charge,
    alertId,
    disputeId: target.id,
    ...(how.opens === undefined ? {} : { opens: how.opens }),
    reason: decision.note === '' ? what : decision.note,
    duplicate: false,
    isNetwork: false,
    actor: `operator:${operator}`,
    now,
  });
  await decideOthersAnew(trx, ledger, { decision, disputeIds: [target.id, current.dispute_id] });
  return await decideAnew(trx, { ...current, dispute_id: target.id }, { decision, what });
}

/** Joining or separating decides every alert of both disputes again. */
async function decideOthersAnew(
  trx: Trx,
  ledger: Ledger,
  { decision, disputeIds }: { decision: OperatorDecision; disputeIds: readonly (string | null)[] },
): Promise<void> {
  const { organisationId, alertId, operator, now } = decision;
  const others = ledger.disputes
    .filter(({ id }) => disputeIds.includes(id))
    .flatMap(({ alerts }) => alerts)
    .filter((alert) => alert.alertId !== alertId && alert.caseState === 'HUMAN');
  for (const other of others) {
    const row = await trx
      .selectFrom('alert_case')
      .selectAll()
      .where('organisation_id', '=', organisationId)
      .where('alert_id', '=', other.alertId)
      .forUpdate()
      .executeTakeFirst();
    if (row?.state !== 'HUMAN') continue;
    await decideAnew(trx, row, { decision, what: 'its dispute was joined or separated' });
    await writeAudit(trx, {
      organisationId,
      at: now,
      ...byOperator(operator),
      alertId: other.alertId,
      what: `decided again, because alert ${alertId} was joined or separated`,
    });
  }
}
