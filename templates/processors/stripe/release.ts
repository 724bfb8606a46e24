/**
 * What a partial capture released, distinguished from refunds. Pure.
 *
 * Captured by a request of an API version before 2025-03-31.basil, Stripe shows the rest of the
 * authorisation as one more refund, and has booked the whole authorisation first. Captured by a later
 * one, there is no such refund, and only the capture was booked. So where a refund of just this amount is
 * listed, the charge's balance transaction tells which of the two it is.
 * https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow
 */
import type { JsonObject } from '../../shared/json.ts';
import { integerAt, textAt } from '../../shared/json.ts';
import { stripeDigits } from '../../shared/stripe-amounts.ts';
import type { BesideCharge } from './charge.ts';
import { KEY_FIELD } from './charge.ts';

/** What was authorised and not captured, as Stripe counts it; 0 when nothing was left. */
export function restOf(charge: JsonObject): number {
  const authorised = integerAt(charge, 'amount');
  const captured = integerAt(charge, 'amount_captured');
  if (charge['captured'] !== true || authorised === null || captured === null) return 0;
  return Math.max(0, authorised - captured);
}

/** The refund that may be none, but the release of the rest; null when none can be. */
export function possibleRelease(
  charge: JsonObject,
  refunds: readonly JsonObject[],
): JsonObject | null {
  const rest = restOf(charge);
  const alike = refunds.filter(
    (refund) =>
      rest > 0 &&
      integerAt(refund, 'amount') === rest &&
      refund['status'] === 'succeeded' &&
      textAt(refund, 'metadata', KEY_FIELD) === null,
  );
  const age = (refund: JsonObject): number => integerAt(refund, 'created') ?? 0;
  // It is as old as the capture, and refunds come after it.
  return alike.toSorted((a, b) => age(a) - age(b))[0] ?? null;
}

/** Whether the release was booked like a refund; null when the balance transaction does not tell. */
export function isReleaseBooked(charge: JsonObject, transaction: JsonObject): boolean | null {
  const whole = bookedAs(charge, 'amount', transaction);
  const captured = bookedAs(charge, 'amount_captured', transaction);
  return whole === captured ? null : whole;
}

/** In a list the charge itself must say whether it is disputed, and what may have been released. */
export function summaryOf(charge: JsonObject): BesideCharge {
  const rest = restOf(charge);
  const isShown = (integerAt(charge, 'amount_refunded') ?? 0) >= rest;
  const disputes = charge['disputed'] === true ? [{}] : [];
  return { refunds: [], released: isShown ? rest : 0, disputes };
}

/** Conversions are rounded. */
const ROUNDING = 1;

/** Whether the transaction books this amount of the charge, in whatever currency the account is kept. */
function bookedAs(charge: JsonObject, name: string, transaction: JsonObject): boolean {
  const amount = integerAt(charge, name);
  const booked = integerAt(transaction, 'amount');
  const from = textAt(charge, 'currency')?.toUpperCase();
  const to = textAt(transaction, 'currency')?.toUpperCase();
  if (amount === null || booked === null || from === undefined || to === undefined) return false;
  if (from === to) return booked === amount;
  const rate = transaction['exchange_rate'];
  if (typeof rate !== 'number') return false;
  const converted = amount * rate * 10 ** (stripeDigits(to) - stripeDigits(from));
  return Math.abs(booked - converted) <= ROUNDING;
}
