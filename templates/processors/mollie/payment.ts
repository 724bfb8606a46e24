/**
 * Mollie's words, and its payments, refunds and chargebacks as Forestall sees them. Pure. Sources are in this folder's
 * README: https://docs.mollie.com/reference/get-payment, /reference/get-refund, /reference/get-chargeback
 */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  classesOf,
  classOf,
  fromDecimal,
  movedMinor,
  oursOf,
  readableCharge,
  readableRefund,
  textAt,
  utcAt,
  valueAt,
  wordsOf,
} from 'forestall/adapter';

/** Under this metadata field each refund carries Forestall's idempotency key. */
export const KEY_FIELD = 'forestall_key';

/** Mollie has no error codes: a word is the status and the field that the error is about. Any other is tried again. */
export const MOLLIE_CLASSES = classesOf({
  ours: '400 401 403 404 422:amount.currency 422:description 422:metadata',
  final: 'canceled failed',
  done: '422:amount',
});

export const MOLLIE_WORDS = {
  /** `ended`: released where it was authorised, else it was never paid. */
  'payment.status': wordsOf({
    captured: ['paid'],
    authorised: ['authorized'],
    ended: ['canceled', 'expired'],
    declined: ['failed'],
    unread: ['open', 'pending'],
  }),
  'refund.status': wordsOf({
    succeeded: ['refunded'],
    pending: ['queued', 'pending', 'processing'],
    failed: ['failed', 'canceled'],
  }),
  'subscription.status': wordsOf({
    cancelled: ['canceled'],
    active: ['active', 'completed', 'pending', 'suspended'],
  }),
} as const;

/** What Mollie lists with a payment. */
export interface BesidePayment {
  readonly refunds: readonly JsonObject[];
  readonly chargebacks: readonly JsonObject[];
  /** The field of the payment's metadata that holds your order's number. */
  readonly orderMetadataKey: string;
}

/** The payment, or the reason why it cannot be read. */
export function chargeOf(payment: JsonObject, beside: BesidePayment): ProcessorCharge | string {
  const currency = textAt(payment, 'amount', 'currency') ?? '';
  const captured = capturedOf(payment, currency);
  const status = statusOf(payment, captured ?? 0);
  if (status === null) return `the payment is ${textAt(payment, 'status')}`;
  const taken = takenBy(beside.chargebacks, currency);
  if (taken === null) return 'the amount of a chargeback is unreadable';
  const refunds = beside.refunds.map(refundOf);
  const isCaptured = status === 'captured';
  const amountMinor = isCaptured ? captured : minorAt(payment, 'amount', currency);
  // Mollie shows what it would still refund, which may be more than was paid; our own sum may be less.
  const remaining = minorAt(payment, 'amountRemaining', currency) ?? 0;
  const own = (amountMinor ?? 0) - movedMinor(refunds.filter((each) => each !== null)) - taken;
  return readableCharge({
    ...{ reference: textAt(payment, 'id'), status, amountMinor, currency, refunds },
    refundableMinor: isCaptured ? Math.max(0, Math.min(remaining, own)) : 0,
    disputed: taken > 0,
    authorisedAt: utcAt(payment, 'authorizedAt') ?? utcAt(payment, 'paidAt'),
    cardBrand: textAt(payment, 'details', 'cardLabel'),
    cardBin: textAt(payment, 'details', 'cardBin'),
    cardLast4: /(\d{4})$/.exec(textAt(payment, 'details', 'cardNumber') ?? '')?.[1] ?? null,
    // Mollie shows neither of an online payment.
    ...{ acquirerReferenceNumber: null, authorisationCode: null },
    orderReference: textAt(payment, 'metadata', beside.orderMetadataKey),
    subscriptionReference: subscriptionOf(payment),
  });
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
  if (shown === undefined || shown === 'unread') return null;
  if (shown === 'captured' || shown === 'declined') return shown;
  // Captured in parts: money was taken before the last one, or before the rest was let go.
  if (captured > 0) return 'captured';
  if (shown === 'authorised') return shown;
  return textAt(payment, 'authorizedAt') === null ? 'declined' : 'voided';
}

/** What the banks hold; null when an amount is unreadable. A chargeback that was reversed is over. */
function takenBy(chargebacks: readonly JsonObject[], currency: string): number | null {
  return chargebacks
    .filter((chargeback) => textAt(chargeback, 'reversedAt') === null)
    .map((chargeback) => minorAt(chargeback, 'amount', currency))
    .reduce<number | null>(
      (sum, amount) => (sum === null || amount === null ? null : sum + amount),
      0,
    );
}

/** Mollie names a subscription by its customer and itself. */
function subscriptionOf(payment: JsonObject): string | null {
  const customer = textAt(payment, 'customerId');
  const subscription = textAt(payment, 'subscriptionId');
  return customer === null || subscription === null ? null : `${customer}/${subscription}`;
}

/** The refund, or null when it cannot be read. */
export function refundOf(refund: JsonObject): ProcessorRefund | null {
  const currency = textAt(refund, 'amount', 'currency') ?? '';
  const word = textAt(refund, 'status') ?? '';
  return readableRefund({
    reference: textAt(refund, 'id'),
    idempotencyKey: textAt(refund, 'metadata', KEY_FIELD),
    chargeReference: textAt(refund, 'paymentId'),
    status: oursOf(MOLLIE_WORDS['refund.status'], word),
    ...{ failureCode: word, failureClass: classOf(word, MOLLIE_CLASSES) },
    amountMinor: minorAt(refund, 'amount', currency),
    currency,
    createdAt: utcAt(refund, 'createdAt'),
  });
}
