/**
 * What Stripe's charges, refunds, disputes and refusals are to Forestall. Pure. Where the words come from is in
 * this adapter's README, beside the templates in the package.
 */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import {
  classesOf,
  classOf,
  isoOfSeconds,
  oursOf,
  readableCharge,
  readableRefund,
  wordsOf,
} from 'forestall/adapter';
import type Stripe from 'stripe';
import { minorOf, stripeDigits } from '../../shared/stripe-amounts.ts';

/** Which of Stripe's two identifiers your orders carry as the transaction's reference. */
export type StripeReferences = 'charge' | 'payment_intent';

export interface StripeReading {
  readonly references: StripeReferences;
  /** The metadata field that holds your order's number. */
  readonly orderMetadataKey: string;
}

/** Under this metadata field each refund carries Forestall's idempotency key. */
export const KEY_FIELD = 'forestall_key';

/** Stripe's words; one that is not here means nothing, and a dispute of another word is in force. */
export const STRIPE_WORDS = {
  /** `taken`: captured, authorised or released, as the charge's other fields say. */
  'charge.status': { succeeded: 'taken', failed: 'declined', pending: 'unread' },
  'payment_intent.status': { canceled: 'voided' },
  'refund.status': wordsOf({
    succeeded: ['succeeded'],
    pending: ['pending', 'requires_action'],
    failed: ['failed', 'canceled'],
  }),
  /** `question`: an inquiry, which takes no money as long as Stripe says that the charge can be refunded. */
  'dispute.status': wordsOf({
    question: ['warning_needs_response', 'warning_under_review'],
    over: ['warning_closed', 'won'],
  }),
  'subscription.status': { canceled: 'cancelled' },
} as const;

/** What a refused or failed refund is followed by. A word that is not here is tried again. */
export const STRIPE_CLASSES = classesOf({
  retry: 'balance_insufficient insufficient_funds',
  ours: `account_invalid api_key_expired livemode_mismatch more_permissions_required
    parameter_invalid_empty parameter_invalid_integer parameter_missing parameter_unknown
    platform_api_key_expired resource_missing secret_key_required testmode_charges_only`,
  final: `amount_too_small canceled charge_disputed charge_for_pending_refund_disputed
    charge_not_refundable declined expired_or_canceled_card lost_or_stolen_card merchant_request
    refund_disputed_payment`,
  done: 'amount_too_large charge_already_refunded',
});

/** A charge, and what Stripe shows with it. */
export interface SeenCharge {
  readonly charge: Stripe.Charge;
  readonly refunds: readonly Stripe.Refund[];
  /** What of `amount_refunded` was released and never captured, as Stripe counts it. */
  readonly released: number;
  readonly disputes: readonly Pick<Stripe.Dispute, 'status' | 'is_charge_refundable'>[];
  readonly subscription: string | null;
}

/** The charge, or the reason why it cannot be read. */
export function chargeOf(seen: SeenCharge, reading: StripeReading): ProcessorCharge | string {
  const { charge } = seen;
  const currency = charge.currency?.toUpperCase();
  const status = statusOf(charge);
  if (status === null) return `the charge is ${charge.status}`;
  const isCaptured = status === 'captured';
  const amount = minorOf(isCaptured ? charge.amount_captured : charge.amount, currency);
  const refunded = minorOf(charge.amount_refunded - seen.released, currency);
  const disputes = seen.disputes.filter(isStanding);
  const isLocked = disputes.some((dispute) => dispute.is_charge_refundable !== true);
  const left = amount === null || refunded === null ? null : Math.max(0, amount - refunded);
  const card = charge.payment_method_details?.card;
  return readableCharge({
    reference: reading.references === 'charge' ? charge.id : idOf(charge.payment_intent),
    status,
    amountMinor: amount,
    currency,
    // Money that the bank has taken back cannot be refunded as well.
    refundableMinor: left === null || (isCaptured && !isLocked) ? left : 0,
    disputed: disputes.length > 0,
    authorisedAt: isoOfSeconds(charge.created),
    cardBrand: card?.brand,
    // Stripe shows the first digits only to accounts that have asked for it.
    cardBin: card?.iin,
    cardLast4: card?.last4,
    acquirerReferenceNumber: null,
    authorisationCode: card?.authorization_code,
    orderReference: charge.metadata?.[reading.orderMetadataKey],
    subscriptionReference: seen.subscription,
    // Of an authorisation only the release is listed: no money has come, so none went back.
    refunds: isCaptured ? seen.refunds.map((each) => refundOf(each, reading.references)) : [],
  });
}

/**
 * Stripe keeps settled disputes on the charge; these no longer hold the money. One that was prevented may have
 * been settled by giving the money back, which no refund shows.
 */
function isStanding(dispute: SeenCharge['disputes'][number]): boolean {
  const shown = oursOf(STRIPE_WORDS['dispute.status'], dispute.status);
  return shown === 'question' ? dispute.is_charge_refundable !== true : shown !== 'over';
}

function statusOf(charge: Stripe.Charge): ChargeStatus | null {
  const shown = oursOf(STRIPE_WORDS['charge.status'], charge.status);
  if (shown !== 'taken') return shown === 'declined' ? 'declined' : null;
  // Captured in parts: money was taken before the last one.
  if (charge.captured || charge.amount_captured > 0) return 'captured';
  // A released authorisation is shown as a refund of what was never captured, or by its intent alone.
  const { payment_intent: intent } = charge;
  const isReleased = typeof intent === 'object' && isVoided(intent);
  return charge.refunded || isReleased ? 'voided' : 'authorised';
}

/** Whether the authorisation was released. */
export function isVoided(intent: Stripe.PaymentIntent | null | undefined): boolean {
  return oursOf(STRIPE_WORDS['payment_intent.status'], intent?.status ?? null) === 'voided';
}

/** The refund, or null when it cannot be read. */
export function refundOf(
  refund: Stripe.Refund,
  references: StripeReferences,
): ProcessorRefund | null {
  const failure = refund.failure_reason ?? refund.status ?? '';
  const currency = refund.currency?.toUpperCase();
  return readableRefund({
    reference: refund.id,
    idempotencyKey: refund.metadata?.[KEY_FIELD],
    chargeReference: idOf(refund[references]),
    status: oursOf(STRIPE_WORDS['refund.status'], refund.status),
    failureCode: failure,
    failureClass: classOf(failure, STRIPE_CLASSES),
    amountMinor: minorOf(refund.amount, currency),
    currency,
    createdAt: isoOfSeconds(refund.created),
  });
}

/** The id, whether Stripe shows the object or only its id. */
export function idOf(shown: string | { readonly id: string } | null | undefined): string | null {
  return (typeof shown === 'object' ? shown?.id : shown) ?? null;
}

/**
 * What was authorised and not captured, as Stripe counts it. Captured by a request of an API version before
 * 2025-03-31.basil, Stripe shows it as one more refund, and has booked the whole authorisation first; captured by a
 * later one, there is no such refund, and only the capture was booked.
 */
export function restOf({ amount, amount_captured: taken, captured }: Stripe.Charge): number {
  return captured ? Math.max(0, amount - taken) : 0;
}

/** The refund that may be none, but the release of the rest: the oldest of that amount. */
export function possibleRelease(
  charge: Stripe.Charge,
  refunds: readonly Stripe.Refund[],
): Stripe.Refund | null {
  const rest = restOf(charge);
  const alike = refunds.filter(
    ({ amount, status, metadata }) =>
      rest > 0 && amount === rest && status === 'succeeded' && !metadata?.[KEY_FIELD],
  );
  return alike.toSorted((a, b) => a.created - b.created)[0] ?? null;
}

/** Whether the release was booked like a refund; null when the charge's balance transaction does not tell. */
export function isReleaseBooked(
  charge: Stripe.Charge,
  booked: Stripe.BalanceTransaction,
): boolean | null {
  const isBooked = (amount: number): boolean => {
    const [from, to] = [charge.currency.toUpperCase(), booked.currency.toUpperCase()];
    if (from === to) return booked.amount === amount;
    const rate = booked.exchange_rate ?? Number.NaN;
    const converted = amount * rate * 10 ** (stripeDigits(to) - stripeDigits(from));
    // Conversions are rounded.
    return Math.abs(booked.amount - converted) <= 1;
  };
  const whole = isBooked(charge.amount);
  return whole === isBooked(charge.amount_captured) ? null : whole;
}
