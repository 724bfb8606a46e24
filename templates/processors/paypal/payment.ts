/**
 * PayPal's words, and its captures, authorizations and refunds as Forestall sees them. Pure. Sources are in this folder's
 * README: https://developer.paypal.com/docs/api/payments/v2/, /docs/api/orders/v2/
 */
import type { ProcessorCharge, ProcessorRefund } from 'forestall';
import { minorUnitDigits } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  classesOf,
  classOf,
  fromDecimal,
  movedMinor,
  objectsAt,
  oursOf,
  readableCharge,
  readableRefund,
  textAt,
  toDecimal,
  utcAt,
  valueAt,
  wordsOf,
} from 'forestall/adapter';

/** What a refused or failed refund is followed by. A word that is not here is tried again. */
export const PAYPAL_CLASSES = classesOf({
  retry: 'PENDING_CAPTURE REFUND_FAILED_INSUFFICIENT_FUNDS invalid_token',
  ours: `AUTHENTICATION_FAILURE CANNOT_BE_NEGATIVE CANNOT_BE_ZERO_OR_NEGATIVE CURRENCY_MISMATCH
    DECIMALS_NOT_SUPPORTED DECIMAL_PRECISION INVALID_CURRENCY_CODE INVALID_REQUEST INVALID_RESOURCE_ID
    NOT_AUTHORIZED PAYEE_ACCOUNT_LOCKED_OR_CLOSED PAYEE_ACCOUNT_RESTRICTED PERMISSION_DENIED
    REFUND_CAPTURE_CURRENCY_MISMATCH REFUND_IS_RESTRICTED RESOURCE_NOT_FOUND invalid_client`,
  final: `MAX_NUMBER_OF_REFUNDS_EXCEEDED PARTIAL_REFUND_NOT_ALLOWED PAYER_ACCOUNT_LOCKED_OR_CLOSED
    REFUND_AMOUNT_TOO_LOW REFUND_NOT_ALLOWED REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK
    REFUND_TIME_EXCEEDED_FOR_PAYMENT_SOURCE REFUND_TIME_LIMIT_EXCEEDED TRANSACTION_DISPUTED`,
  done: 'CAPTURED_AMOUNT_FULLY_REFUNDED CAPTURE_FULLY_REFUNDED REFUND_AMOUNT_EXCEEDED',
});

export const PAYPAL_WORDS = {
  'capture.status': wordsOf({
    captured: ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'],
    declined: ['DECLINED', 'FAILED'],
    unread: ['PENDING'],
  }),
  'authorization.status': wordsOf({
    authorised: ['CREATED', 'PENDING'],
    voided: ['VOIDED', 'EXPIRED'],
    declined: ['DENIED'],
    unread: ['CAPTURED', 'PARTIALLY_CAPTURED'],
  }),
  'refund.status': wordsOf({
    succeeded: ['COMPLETED'],
    pending: ['PENDING'],
    failed: ['FAILED', 'CANCELLED'],
  }),
  'dispute.status': wordsOf({
    disputed: 'OPEN WAITING_FOR_BUYER_RESPONSE WAITING_FOR_SELLER_RESPONSE UNDER_REVIEW OTHER',
    ended: 'RESOLVED',
  }),
  /** How one ended: `taken` is money that the buyer has. */
  'dispute_outcome.outcome_code': wordsOf({
    taken: ['RESOLVED_BUYER_FAVOUR', 'RESOLVED_WITH_PAYOUT', 'ACCEPTED'],
    over: ['RESOLVED_SELLER_FAVOUR', 'CANCELED_BY_BUYER', 'DENIED', 'NONE'],
  }),
} as const;

/** The field of a payment in which you send your order's number. */
export type PayPalOrderField = 'invoice_id' | 'custom_id';

/** A payment, and what PayPal shows about it in other places. */
export interface SeenPayment {
  readonly payment: JsonObject;
  /** The payment is a capture, else an authorization that was not captured yet. */
  readonly isCapture: boolean;
  /** The checkout order, which alone lists refunds and the card; null when there is none. */
  readonly order: JsonObject | null;
  /** Those that have ended with their details, which alone say how. */
  readonly disputes: readonly JsonObject[];
}

/** Currencies that PayPal writes without decimals although ISO 4217 has two. */
const WHOLE_ONLY: ReadonlySet<string> = new Set(['HUF', 'TWD']);

/** The amount as PayPal writes it; undefined when PayPal cannot express it. */
export function payPalValueOf(amountMinor: number, currency: string): string | undefined {
  return toDecimal(amountMinor, currency, WHOLE_ONLY.has(currency) ? 0 : minorUnitDigits(currency));
}

/** A sum of PayPal's; null where it cannot be read. */
export function moneyOf(shown: unknown): { amountMinor: number | null; currency: string | null } {
  const currency = textAt(shown, 'currency_code');
  const amountMinor = fromDecimal(textAt(shown, 'value'), currency ?? '');
  return { amountMinor: currency === null ? null : amountMinor, currency };
}

/** The payment, or the reason why it cannot be read or means no charge. */
export function chargeOf(
  seen: SeenPayment,
  orderField: PayPalOrderField,
): ProcessorCharge | string {
  const { payment, isCapture, order } = seen;
  const word = textAt(payment, 'status');
  const status = isCapture
    ? oursOf(PAYPAL_WORDS['capture.status'], word)
    : oursOf(PAYPAL_WORDS['authorization.status'], word);
  if (status === undefined || status === 'unread') {
    return isCapture
      ? `the capture is ${word}`
      : `the authorization is ${word}: give the capture's id as the reference`;
  }
  const money = moneyOf(payment['amount']);
  const refunds = isCapture ? refundsOf(seen) : [];
  if (typeof refunds === 'string') return refunds;
  const leftMinor = leftOf(payment, money.amountMinor ?? 0, refunds);
  if (leftMinor === null) return 'what is left of the capture cannot be told without its order';
  const standing = isCapture ? seen.disputes.filter(isStanding) : [];
  const taken = standing.filter(hasEnded).reduce((sum, each) => sum + takenMinor(each, money), 0);
  const card = valueAt(order, 'payment_source', 'card');
  const network = valueAt(payment, 'network_transaction_reference');
  return readableCharge({
    ...{ reference: textAt(payment, 'id'), status, ...money, refunds: refunds ?? [] },
    // What PayPal gave the buyer cannot be refunded as well.
    refundableMinor: status === 'captured' ? Math.max(0, leftMinor - taken) : 0,
    disputed: standing.length > 0,
    authorisedAt: utcAt(payment, 'create_time'),
    cardBrand: textAt(card, 'brand'),
    cardBin: textAt(card, 'bin_details', 'bin'),
    cardLast4: textAt(card, 'last_digits'),
    acquirerReferenceNumber: textAt(network, 'acquirer_reference_number'),
    // PayPal shows no authorisation code, and a payment does not name its subscription.
    ...{ authorisationCode: null, subscriptionReference: null },
    orderReference: textAt(payment, orderField),
  });
}

/** Whether PayPal has closed the dispute. The list of disputes does not say for whom. */
export function hasEnded(dispute: JsonObject): boolean {
  return oursOf(PAYPAL_WORDS['dispute.status'], textAt(dispute, 'status')) === 'ended';
}

/** Open, or ended with the money at the buyer. One of a word that is not in the table is in force. */
function isStanding(dispute: JsonObject): boolean {
  const outcome = textAt(dispute, 'dispute_outcome', 'outcome_code');
  const isOver = oursOf(PAYPAL_WORDS['dispute_outcome.outcome_code'], outcome) === 'over';
  return !(hasEnded(dispute) && isOver);
}

/** What the buyer was given; all of the capture where that cannot be read. */
function takenMinor(
  dispute: JsonObject,
  { amountMinor, currency }: ReturnType<typeof moneyOf>,
): number {
  const given = moneyOf(valueAt(dispute, 'dispute_outcome', 'amount_refunded'));
  const isSame = given.currency === currency && given.amountMinor !== null;
  return (isSame ? given.amountMinor : amountMinor) ?? 0;
}

/** A capture says in words what its order says in numbers; the smaller of the two counts. */
function leftOf(
  payment: JsonObject,
  amountMinor: number,
  refunds: readonly (ProcessorRefund | null)[] | null,
): number | null {
  if (payment['status'] === 'REFUNDED') return 0;
  if (refunds === null) return payment['status'] === 'PARTIALLY_REFUNDED' ? null : amountMinor;
  return Math.max(0, amountMinor - movedMinor(refunds.filter((each) => each !== null)));
}

/** The order in which the payment was made, or null. */
export function orderIdOf(payment: JsonObject): string | null {
  const related = textAt(payment, 'supplementary_data', 'related_ids', 'order_id');
  return related ?? idInLink(payment, /\/v2\/checkout\/orders\/([^/?]+)$/);
}

/** The refunds of this capture in its order, null without one; a reason when one of them may be another's. */
function refundsOf({ payment, order }: SeenPayment): (ProcessorRefund | null)[] | string | null {
  if (order === null) return null;
  const captureId = textAt(payment, 'id') ?? '';
  const units = objectsAt(order, 'purchase_units');
  const captures = units.flatMap((unit) => objectsAt(unit, 'payments', 'captures'));
  const isOnly = captures.length === 1 && textAt(captures[0], 'id') === captureId;
  const named = units
    .flatMap((unit) => objectsAt(unit, 'payments', 'refunds'))
    .map((refund) => ({ refund, of: captureOf(refund) ?? (isOnly ? captureId : null) }));
  // Of several captures it may belong to any: counted for each, one refund would answer several complaints.
  if (named.some(({ of }) => of === null)) return 'one of its refunds names no capture';
  return named
    .filter(({ of }) => of === captureId)
    .map(({ refund }) => refundOf(refund, captureId));
}

/** The capture that a refund names: by a link only. */
export function captureOf(refund: JsonObject): string | null {
  return idInLink(refund, /\/captures\/([^/?]+)$/);
}

function idInLink(object: JsonObject, pattern: RegExp): string | null {
  const up = objectsAt(object, 'links').filter((link) => link['rel'] === 'up');
  const ids = up.map((link) => pattern.exec(textAt(link, 'href') ?? '')?.[1]);
  return ids.find((id) => id !== undefined) ?? null;
}

/** The refund, or null when it cannot be read. */
export function refundOf(refund: JsonObject, captureId: string): ProcessorRefund | null {
  const word = textAt(refund, 'status');
  const reason = textAt(refund, 'status_details', 'reason') ?? word ?? '';
  return readableRefund({
    reference: textAt(refund, 'id'),
    idempotencyKey: textAt(refund, 'custom_id'),
    chargeReference: captureId,
    status: oursOf(PAYPAL_WORDS['refund.status'], word),
    ...{ failureCode: reason, failureClass: classOf(reason, PAYPAL_CLASSES) },
    ...moneyOf(refund['amount']),
    createdAt: utcAt(refund, 'create_time'),
  });
}
