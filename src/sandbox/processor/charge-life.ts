/**
 * What becomes of a charge besides refunds: it is captured, in parts or with a tip; the rest is
 * released; the issuer takes money and may give it back.
 */
import { refusal } from '../refusal.ts';
import type { ChargeRecord } from '../state/charges.ts';
import { movedBy } from './ledger.ts';

/** What is captured. */
export interface Capture {
  /** More than is left of the authorisation is a tip. @default all that is left */
  readonly amountMinor?: number | undefined;
  /** Whether the rest is released: then nothing can be captured any more. @default true */
  readonly final?: boolean | undefined;
}

/** Captures a part of what was authorised, once or again. @throws Refusal when nothing is left of it */
export function captureCharge(charge: ChargeRecord, capture: Capture): ChargeRecord {
  const authorised = charge.authorised_in_cents ?? charge.amount_in_cents;
  const captured = charge.status === 'captured' ? charge.amount_in_cents : 0;
  const left = charge.status === 'authorised' ? authorised : authorised - captured;
  if ((charge.status !== 'authorised' && charge.status !== 'captured') || left <= 0) {
    throw refusal(
      'INVALID_ACTION',
      'Nothing of the authorisation is left to capture. Make another charge.',
    );
  }
  charge.status = 'captured';
  charge.amount_in_cents = captured + (capture.amountMinor ?? left);
  charge.authorised_in_cents = capture.final === false ? authorised : charge.amount_in_cents;
  return charge;
}

/** The issuer takes money for the cardholder; without an amount, all that was not refunded. */
export function takeChargeback(charge: ChargeRecord, amountMinor?: number): ChargeRecord {
  charge.chargeback_in_cents = amountMinor ?? charge.amount_in_cents - movedBy(charge.refunds);
  charge.disputed = true;
  return charge;
}

/** The merchant has won: the money is back, and the dispute is over. */
export function returnChargeback(charge: ChargeRecord): ChargeRecord {
  charge.chargeback_in_cents = 0;
  charge.disputed = false;
  return charge;
}
