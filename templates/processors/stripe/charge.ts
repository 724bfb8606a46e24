/**
 * Stripe's charges, refunds and disputes as Forestall sees them. Pure.
 *
 * https://docs.stripe.com/api/charges/object, /api/refunds/object, /api/disputes/object
 */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import type { JsonObject } from '../../shared/json.ts';
import { integerAt, isObject, textAt, valueAt } from '../../shared/json.ts';
import { minorOf } from '../../shared/stripe-amounts.ts';
import { classOf } from '../shared/outcome.ts';
import { oursOf } from '../shared/words.ts';
import { STRIPE_CLASSES } from './refusals.ts';
import { STRIPE_WORDS } from './words.ts';

/** Which of Stripe's two identifiers your orders carry as the transaction's reference. */
export type StripeReferences = 'charge' | 'payment_intent';

export interface StripeReading {
  readonly references: StripeReferences;
  /** The metadata field that holds your order's number. */
  readonly orderMetadataKey: string;
}

/** Under this metadata field each refund carries Forestall's idempotency key. */
export const KEY_FIELD = 'forestall_key';

/** What Stripe lists beside a charge. */
export interface BesideCharge {
  /** Without what a partial capture released. */
  readonly refunds: readonly JsonObject[];
  /** What of `amount_refunded` was released and never captured, as Stripe counts it. */
  readonly released: number;
  readonly disputes: readonly JsonObject[];
}

/** The charge, or the reason why it cannot be read. */
export function chargeOf(
  charge: JsonObject,
  beside: BesideCharge,
  reading: StripeReading,
): ProcessorCharge | string {
  const reference = referenceOf(charge, reading.references);
  const status = statusOf(charge);
  const currency = textAt(charge, 'currency')?.toUpperCase();
  if (status === null) return `the charge is ${textAt(charge, 'status') ?? 'of no known status'}`;
  if (reference === null || currency === undefined)
    return 'the charge has no reference or currency';
  const isCaptured = status === 'captured';
  const amount = minorOf(integerAt(charge, isCaptured ? 'amount_captured' : 'amount'), currency);
  const shownRefunded = integerAt(charge, 'amount_refunded');
  const refunded =
    shownRefunded === null ? null : minorOf(shownRefunded - beside.released, currency);
  if (amount === null || refunded === null) return 'the charge has no readable amount';
  // Of an authorisation only the release is listed: no money has come, so none went back.
  const listed = isCaptured ? beside.refunds : [];
  const refunds = listed.map((refund) => refundOf(refund, reading.references));
  if (refunds.includes(null)) return 'one of its refunds is unreadable';
  const disputes = beside.disputes.filter(isStanding);
  const isLocked = disputes.some((dispute) => dispute['is_charge_refundable'] !== true);
  return {
    reference,
    status,
    amountMinor: amount,
    currency,
    // Money that the bank has taken back cannot be refunded as well.
    refundableMinor: isCaptured && !isLocked ? Math.max(0, amount - refunded) : 0,
    disputed: disputes.length > 0,
    authorisedAt: timeAt(charge, 'created'),
    ...cardOf(charge),
    acquirerReferenceNumber: null,
    orderReference: textAt(charge, 'metadata', reading.orderMetadataKey),
    subscriptionReference: idAt(charge, 'invoice', 'subscription'),
    refunds: refunds.filter((refund) => refund !== null),
  };
}

/**
 * Stripe keeps settled disputes on the charge; these no longer hold the money. One that was prevented may have
 * been settled by giving the money back, which no refund shows.
 */
function isStanding(dispute: JsonObject): boolean {
  const shown = oursOf(STRIPE_WORDS['dispute.status'], textAt(dispute, 'status'));
  if (shown === 'question') return dispute['is_charge_refundable'] !== true;
  return shown !== 'over';
}

function statusOf(charge: JsonObject): ChargeStatus | null {
  const shown = oursOf(STRIPE_WORDS['charge.status'], textAt(charge, 'status'));
  if (shown === 'declined') return 'declined';
  if (shown !== 'taken') return null;
  // Captured in parts: money was taken before the last one.
  const isTaken = charge['captured'] === true || (integerAt(charge, 'amount_captured') ?? 0) > 0;
  if (isTaken) return 'captured';
  // A released authorisation is shown as a refund of what was never captured, or by its intent alone.
  const intent = textAt(charge, 'payment_intent', 'status');
  const isReleased = oursOf(STRIPE_WORDS['payment_intent.status'], intent) === 'voided';
  return charge['refunded'] === true || isReleased ? 'voided' : 'authorised';
}

type CardFacts = Pick<ProcessorCharge, 'cardBrand' | 'cardBin' | 'cardLast4' | 'authorisationCode'>;

function cardOf(charge: JsonObject): CardFacts {
  const card = valueAt(charge, 'payment_method_details', 'card');
  return {
    cardBrand: textAt(card, 'brand'),
    // Stripe shows the first digits only to accounts that have asked for it.
    cardBin: textAt(card, 'iin'),
    cardLast4: textAt(card, 'last4'),
    authorisationCode: textAt(card, 'authorization_code'),
  };
}

/** The refund, or null when it cannot be read. */
export function refundOf(refund: JsonObject, references: StripeReferences): ProcessorRefund | null {
  const reference = textAt(refund, 'id');
  const currency = textAt(refund, 'currency')?.toUpperCase();
  const chargeReference = idAt(refund, references);
  const status = oursOf(STRIPE_WORDS['refund.status'], textAt(refund, 'status'));
  if (reference === null || currency === undefined || chargeReference === null) return null;
  const amountMinor = minorOf(integerAt(refund, 'amount'), currency);
  if (amountMinor === null || status === undefined) return null;
  const failure = textAt(refund, 'failure_reason') ?? textAt(refund, 'status') ?? status;
  return {
    reference,
    idempotencyKey: textAt(refund, 'metadata', KEY_FIELD),
    chargeReference,
    status,
    failureCode: status === 'failed' ? failure : null,
    ...(status === 'failed' ? { failureClass: classOf(failure, STRIPE_CLASSES) } : {}),
    amountMinor,
    currency,
    createdAt: timeAt(refund, 'created'),
  };
}

function referenceOf(charge: JsonObject, references: StripeReferences): string | null {
  return references === 'charge' ? textAt(charge, 'id') : idAt(charge, 'payment_intent');
}

/** The id at the path, whether Stripe shows the object or only its id. */
export function idAt(root: JsonObject, ...path: string[]): string | null {
  const value = valueAt(root, ...path);
  if (isObject(value)) return textAt(value, 'id');
  return typeof value === 'string' && value !== '' ? value : null;
}

function timeAt(root: JsonObject, name: string): string | null {
  const seconds = integerAt(root, name);
  return seconds === null ? null : new Date(seconds * 1000).toISOString();
}
