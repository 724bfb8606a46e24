/**
 * Mollie's payments, refunds and chargebacks as Forestall sees them. Pure.
 *
 * https://docs.mollie.com/reference/get-payment, /reference/get-refund, /reference/get-chargeback
 */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  classOf,
  fromDecimal,
  movedMinor,
  oursOf,
  textAt,
  utcAt,
  valueAt,
} from 'forestall/adapter';
import { MOLLIE_CLASSES } from './refusals.ts';
import { MOLLIE_WORDS } from './words.ts';

/** Under this metadata field each refund carries Forestall's idempotency key. */
export const KEY_FIELD = 'forestall_key';

/** What Mollie lists beside a payment. */
export interface BesidePayment {
  readonly refunds: readonly JsonObject[];
  readonly chargebacks: readonly JsonObject[];
  /** The field of the payment's metadata that holds your order's number. */
  readonly orderMetadataKey: string;
}

/** The payment, or the reason why it cannot be read. */
export function chargeOf(payment: JsonObject, beside: BesidePayment): ProcessorCharge | string {
  const reference = textAt(payment, 'id');
  const currency = textAt(payment, 'amount', 'currency');
  if (reference === null || currency === null) return 'the payment is unreadable';
  const captured = capturedOf(payment, currency);
  const status = statusOf(payment, captured ?? 0);
  if (status === null) return `the payment is ${textAt(payment, 'status')}`;
  const authorised = minorAt(payment, 'amount', currency);
  const refunds = beside.refunds.map(refundOf);
  const taken = takenBy(beside.chargebacks, currency);
  const isCaptured = status === 'captured';
  const amountMinor = isCaptured ? captured : authorised;
  if (amountMinor === null || taken === null) return 'an amount is unreadable';
  if (refunds.includes(null)) return 'one of its refunds is unreadable';
  const readable = refunds.filter((refund) => refund !== null);
  // Mollie shows what it would still refund, which may be more than was paid; our own sum may be less.
  const remaining = minorAt(payment, 'amountRemaining', currency) ?? 0;
  const left = Math.min(remaining, amountMinor - movedMinor(readable) - taken);
  return {
    reference,
    status,
    amountMinor,
    currency,
    refundableMinor: isCaptured ? Math.max(0, left) : 0,
    disputed: taken > 0,
    authorisedAt: utcAt(payment, 'authorizedAt') ?? utcAt(payment, 'paidAt'),
    ...cardOf(payment),
    orderReference: textAt(payment, 'metadata', beside.orderMetadataKey),
    subscriptionReference: subscriptionOf(payment),
    refunds: readable,
  };
}

/** An amount of the payment in its currency; null when it is absent, in another currency or unreadable. */
function minorAt(object: JsonObject, name: string, currency: string): number | null {
  if (textAt(object, name, 'currency') !== currency) return null;
  return fromDecimal(textAt(object, name, 'value'), currency);
}

/** Of a payment that is captured by calls of its own, their sum; else the whole once it is paid. */
function capturedOf(payment: JsonObject, currency: string): number | null {
  const isShown = valueAt(payment, 'amountCaptured') !== undefined;
  if (isShown) return minorAt(payment, 'amountCaptured', currency);
  return textAt(payment, 'status') === 'paid' ? minorAt(payment, 'amount', currency) : 0;
}

function statusOf(payment: JsonObject, captured: number): ChargeStatus | null {
  const shown = oursOf(MOLLIE_WORDS['payment.status'], textAt(payment, 'status'));
  switch (shown) {
    case 'captured':
      return 'captured';
    case 'authorised':
      // Captured in parts: money was taken before the last one.
      return captured > 0 ? 'captured' : 'authorised';
    case 'ended':
      if (captured > 0) return 'captured';
      return textAt(payment, 'authorizedAt') === null ? 'declined' : 'voided';
    case 'declined':
      return 'declined';
    default:
      return null;
  }
}

/** What the banks hold; null when an amount is unreadable. A chargeback that was reversed is over. */
function takenBy(chargebacks: readonly JsonObject[], currency: string): number | null {
  const amounts = chargebacks
    .filter((chargeback) => textAt(chargeback, 'reversedAt') === null)
    .map((chargeback) => minorAt(chargeback, 'amount', currency));
  if (amounts.includes(null)) return null;
  return amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
}

type CardFacts = Pick<
  ProcessorCharge,
  'cardBrand' | 'cardBin' | 'cardLast4' | 'acquirerReferenceNumber' | 'authorisationCode'
>;

/** Mollie shows neither ARN nor authorisation code of an online payment. */
function cardOf(payment: JsonObject): CardFacts {
  const shown = textAt(payment, 'details', 'cardNumber');
  return {
    cardBrand: textAt(payment, 'details', 'cardLabel'),
    cardBin: textAt(payment, 'details', 'cardBin'),
    cardLast4: /(\d{4})$/.exec(shown ?? '')?.[1] ?? null,
    acquirerReferenceNumber: null,
    authorisationCode: null,
  };
}

/** Mollie names a subscription by its customer and itself. */
function subscriptionOf(payment: JsonObject): string | null {
  const customer = textAt(payment, 'customerId');
  const subscription = textAt(payment, 'subscriptionId');
  return customer === null || subscription === null ? null : `${customer}/${subscription}`;
}

/** The refund, or null when it cannot be read. */
export function refundOf(refund: JsonObject): ProcessorRefund | null {
  const reference = textAt(refund, 'id');
  const chargeReference = textAt(refund, 'paymentId');
  const currency = textAt(refund, 'amount', 'currency');
  const shown = textAt(refund, 'status');
  const status = oursOf(MOLLIE_WORDS['refund.status'], shown);
  if (reference === null || chargeReference === null || currency === null) return null;
  const amountMinor = minorAt(refund, 'amount', currency);
  if (amountMinor === null || status === undefined || shown === null) return null;
  return {
    reference,
    idempotencyKey: textAt(refund, 'metadata', KEY_FIELD),
    chargeReference,
    status,
    failureCode: status === 'failed' ? shown : null,
    ...(status === 'failed' ? { failureClass: classOf(shown, MOLLIE_CLASSES) } : {}),
    amountMinor,
    currency,
    createdAt: utcAt(refund, 'createdAt'),
  };
}
