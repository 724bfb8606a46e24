/**
 * What becomes of a charge besides refunds: it is captured, in parts or with a tip; the rest is
 * released; the issuer takes money and may give it back.
 */
import { refusal } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { ChargeRecord } from '../state/charges.ts';
import { changeDispute, disputeOf, openDisputeOf } from './dispute-life.ts';
import { movedBy } from './ledger.ts';
import { tell } from './tell-events.ts';

/** What is captured. */
export interface Capture {
  /** More than is left of the authorisation is a tip. @default all that is left */
  readonly amountMinor?: number | undefined;
  /** Whether the rest is released: then nothing can be captured any more. @default true */
  readonly final?: boolean | undefined;
}

/** Captures a part of what was authorised, once or again. @throws Refusal when nothing is left of it */
export function captureCharge(
  context: SandboxContext,
  charge: ChargeRecord,
  capture: Capture,
): ChargeRecord {
  const authorised = charge.authorised_in_cents ?? charge.amount_in_cents;
  const captured = charge.status === 'captured' ? charge.amount_in_cents : 0;
  const left = charge.status === 'authorised' ? authorised : authorised - captured;
  if ((charge.status !== 'authorised' && charge.status !== 'captured') || left <= 0) {
    throw refusal(
      'INVALID_ACTION',
      'Nothing of the authorisation is left to capture. Make another charge.',
    );
  }
  const amountMinor = capture.amountMinor ?? left;
  charge.status = 'captured';
  charge.amount_in_cents = captured + amountMinor;
  charge.authorised_in_cents = capture.final === false ? authorised : charge.amount_in_cents;
  tell(context, { kind: 'captured', charge, amountMinor });
  return charge;
}

/** The issuer takes money for the cardholder; without an amount, all that was not refunded. */
export function takeChargeback(
  context: SandboxContext,
  charge: ChargeRecord,
  amountMinor?: number,
): ChargeRecord {
  charge.chargeback_in_cents = amountMinor ?? charge.amount_in_cents - movedBy(charge.refunds);
  return setDisputed(context, charge, true);
}

/** The merchant has won: the money is back, and the dispute is over. */
export function returnChargeback(context: SandboxContext, charge: ChargeRecord): ChargeRecord {
  charge.chargeback_in_cents = 0;
  return setDisputed(context, charge, false);
}

/** A dispute is opened or closed; the same again is no news. */
export function setDisputed(
  context: SandboxContext,
  charge: ChargeRecord,
  disputed: boolean,
): ChargeRecord {
  if (charge.disputed === disputed) return charge;
  charge.disputed = disputed;
  if (disputed) openDisputeOf(context, charge);
  else closeDisputeOf(context, charge);
  const kind = disputed ? 'dispute_opened' : 'dispute_closed';
  const amountMinor = charge.chargeback_in_cents ?? charge.amount_in_cents;
  tell(context, { kind, charge, dispute: disputeOf(charge), amountMinor });
  return charge;
}

/** Decided for the merchant, unless it was decided already. */
function closeDisputeOf(context: SandboxContext, charge: ChargeRecord): void {
  const dispute = context.state.disputes.get(disputeOf(charge));
  if (dispute?.status === 'needs_response' || dispute?.status === 'under_review') {
    changeDispute(context, dispute, { status: 'won' });
  }
}

/** The network warns early that the cardholder calls the payment fraud; nothing has moved yet. */
export function warnOfFraud(context: SandboxContext, charge: ChargeRecord): ChargeRecord {
  tell(context, { kind: 'fraud_warning', charge, amountMinor: charge.amount_in_cents });
  return charge;
}
