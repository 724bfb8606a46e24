/**
 * What follows when the ledger has changed: a declaration that is no longer covered, money that went
 * back too often. Pages and findings are written in the transaction that made the change (L1, L6).
 */
import type { Trx } from '../../base/db/database.ts';
import { closeFinding, openFinding } from '../../base/findings/finding.store.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { Dispute, DisputedAlert, Ledger, Movement } from './ledger.ts';
import {
  disputeOf,
  isAnotherAmountEnd,
  isCovered,
  isOurs,
  mayHaveExecuted,
  missingMinor,
  outMinor,
  surplusMinor,
} from './ledger.ts';
import { paidTooOften } from './paid-too-often.ts';
import { tellDisputed } from './tell-disputed.ts';

/** The ledger before and after, with what the processor says about pending refunds. */
export interface LedgerChange {
  readonly charge: ChargeKey;
  readonly before: Ledger;
  readonly after: Ledger;
  readonly pendingCounts: boolean;
  readonly now: Date;
}

/** Tells people what the change means, once for each state of affairs. */
export async function tellConsequences(trx: Trx, change: LedgerChange): Promise<void> {
  const { charge, before, after, now } = change;
  for (const alert of lostCover(before, after, change)) await tellUncovered(trx, change, alert);
  for (const { alertId } of lostCover(after, before, change)) {
    const key = { organisationId: charge.organisationId, subject: 'case', subjectId: alertId };
    await closeFinding(trx, { ...key, kind: 'declared_without_cover' }, now);
  }
  for (const movement of after.movements) {
    const was = before.movements.find(({ id }) => id === movement.id);
    const isOne = isAnotherAmountEnd(movement) || (was !== undefined && isAnotherAmountEnd(was));
    if (isOne) await tellAnotherAmount(trx, change, movement);
  }
  await tellDisputed(trx, change);
  const why = paidTooOften(after);
  // Told once for each state of affairs: the message's key says which.
  if (why !== undefined) return await tellPaidTooOften(trx, change, why);
  if (paidTooOften(before) === undefined) return;
  const { organisationId, chargeReference } = charge;
  const key = { organisationId, subject: 'charge', subjectId: chargeReference };
  await closeFinding(trx, { ...key, kind: 'paid_too_often' }, now);
}

/** The processor carried out another amount than we asked for: a finding until nothing is missing or too much. */
async function tellAnotherAmount(
  trx: Trx,
  { charge, before, after, now }: LedgerChange,
  ours: Movement,
): Promise<void> {
  const { organisationId, chargeReference } = charge;
  const shown = after.movements.find(
    (each) => each.observedFrom !== null && each.reference === ours.reference,
  );
  const dispute = disputeOf(after, ours.disputeId);
  const key = { organisationId, kind: 'another_amount', subject: 'movement', subjectId: ours.id };
  const isOpen = isAnotherAmountEnd(ours) && shown !== undefined && dispute !== undefined;
  if (!isOpen || isMadeGood(after, { shown, dispute })) {
    return void (await closeFinding(trx, key, now));
  }
  const asked = formatMoney(ours);
  const found = formatMoney(shown);
  const nextStep = `We asked for ${asked}, and the processor refunded ${found} (${shown.reference ?? shown.id}). Where something is missing, refund the rest or accept the dispute on the alert's page; where it is too much, take it back at the processor.`;
  await openFinding(trx, {
    ...key,
    severity: 'error',
    evidence: {
      charge_reference: chargeReference,
      asked_in_cents: ours.amountMinor,
      refunded_in_cents: shown.amountMinor,
    },
    nextStep,
    at: now,
  });
  if (before.movements.some((each) => each.id === ours.id && isAnotherAmountEnd(each))) return;
  await notify(trx, {
    organisationId,
    dedupeKey: `another_amount:${ours.id}:${shown.amountMinor}`,
    kind: 'another_amount',
    severity: 'error',
    ...(ours.alertId === null ? {} : { alertId: ours.alertId }),
    text: `Refund ${ours.id} on charge ${chargeReference}: ${nextStep}`,
    at: now,
  });
}

/** Nothing went back too much, and what is missing went back since or is not owed any more. */
function isMadeGood(
  ledger: Ledger,
  { shown, dispute }: { readonly shown: Movement; readonly dispute: Dispute },
): boolean {
  const isAnswered = dispute.alerts.every((each) => each.isAccepted || each.isRefundDeclared);
  return surplusMinor(shown) === 0 && (isAnswered || missingMinor(ledger, dispute) === 0);
}

/** Alerts for which `REFUND` was, or is being, declared, and that `from` covers and `to` does not. */
function lostCover(
  from: Ledger,
  to: Ledger,
  { pendingCounts }: Pick<LedgerChange, 'pendingCounts'>,
): DisputedAlert[] {
  return to.disputes.flatMap(({ id, alerts }) =>
    alerts.filter((alert) => {
      if (!alert.isRefundDeclared || alert.status === 'INVALID') return false;
      const claim = { disputeId: id, amountMinor: alert.amountMinor, currency: alert.currency };
      return isCovered(from, claim, pendingCounts) && !isCovered(to, claim, pendingCounts);
    }),
  );
}

async function tellUncovered(
  trx: Trx,
  { charge, after, now }: LedgerChange,
  { alertId, caseState }: DisputedAlert,
): Promise<void> {
  const { organisationId, chargeReference } = charge;
  const isEnded = caseState === 'DECLARED_REFUND';
  const next = isEnded
    ? 'The answer is final at the service. Refund the customer another way, or expect a chargeback.'
    : 'It is not declared while the money is missing. Open the case and decide again.';
  await openFinding(trx, {
    organisationId,
    kind: 'declared_without_cover',
    severity: 'error',
    subject: 'case',
    subjectId: alertId,
    evidence: { charge_reference: chargeReference, returned_in_cents: outMinor(after) },
    nextStep: next,
    at: now,
  });
  await notify(trx, {
    organisationId,
    dedupeKey: `cover_lost:${alertId}:${now.toISOString()}`,
    kind: 'refund_reversed',
    severity: 'error',
    alertId,
    text: `Alert ${alertId} was answered REFUND${isEnded ? '' : ', or is being answered so'}, and the money on charge ${chargeReference} is no longer there: a refund failed, was reversed, or the network took its own back. ${next}`,
    at: now,
  });
}

async function tellPaidTooOften(
  trx: Trx,
  { charge, after, now }: LedgerChange,
  why: string,
): Promise<void> {
  const { organisationId, chargeReference } = charge;
  const moved = after.movements
    .filter(mayHaveExecuted)
    .filter(({ amountMinor }) => amountMinor > 0);
  const parts = moved
    .map(({ kind, amountMinor, currency, reference, id }) => {
      return `${formatMoney({ amountMinor, currency })} ${kind} ${reference ?? id}`;
    })
    .join(', ');
  const next =
    'Check the charge at the processor and with the acquirer, and take back what was paid twice.';
  await openFinding(trx, {
    organisationId,
    kind: 'paid_too_often',
    severity: 'error',
    subject: 'charge',
    subjectId: chargeReference,
    evidence: { why, movements: moved.map(({ id }) => id), returned_in_cents: outMinor(after) },
    nextStep: next,
    at: now,
  });
  const named = moved.filter((movement) => movement.alertId !== null);
  // The alert of what came besides our own: that is where people look for the cause.
  const alertId = (named.find((movement) => !isOurs(movement)) ?? named.at(-1))?.alertId;
  await notify(trx, {
    organisationId,
    dedupeKey: `double_payment:${chargeReference}:${outMinor(after)}:${why}`,
    kind: 'double_payment',
    severity: 'error',
    ...(alertId == null ? {} : { alertId }),
    text: `On charge ${chargeReference} ${why}, so the customer may be paid twice (${parts}). ${next}`,
    at: now,
  });
}
