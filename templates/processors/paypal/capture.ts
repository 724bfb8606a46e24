/**
 * PayPal's captures, authorizations and refunds as Forestall sees them. Pure.
 *
 * https://developer.paypal.com/docs/api/payments/v2/, /docs/api/orders/v2/
 */
import type { ProcessorCharge, ProcessorRefund } from 'forestall';
import { minorUnitDigits } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  classOf,
  fromDecimal,
  movedMinor,
  objectsAt,
  oursOf,
  textAt,
  toDecimal,
  utcAt,
  valueAt,
} from 'forestall/adapter';
import { PAYPAL_CLASSES } from './refusals.ts';
import { PAYPAL_WORDS } from './words.ts';

/** The field of a payment in which you send your order's number. */
export type PayPalOrderField = 'invoice_id' | 'custom_id';

/** What PayPal shows about a payment in other places. */
export interface BesideCapture {
  /** The checkout order, which alone lists refunds and the card; null when there is none. */
  readonly order: JsonObject | null;
  /** Those that have ended with their details, which alone say how. */
  readonly disputes: readonly JsonObject[];
  readonly orderField: PayPalOrderField;
}

/** Currencies that PayPal writes without decimals although ISO 4217 has two. */
const WHOLE_ONLY: ReadonlySet<string> = new Set(['HUF', 'TWD']);

/** The amount as PayPal writes it; undefined when PayPal cannot express it. */
export function payPalValueOf(amountMinor: number, currency: string): string | undefined {
  return toDecimal(amountMinor, currency, WHOLE_ONLY.has(currency) ? 0 : minorUnitDigits(currency));
}

interface Amount {
  readonly amountMinor: number;
  readonly currency: string;
}

function amountOf(payment: unknown): Amount | null {
  const currency = textAt(payment, 'amount', 'currency_code');
  if (currency === null) return null;
  const amountMinor = fromDecimal(textAt(payment, 'amount', 'value'), currency);
  return amountMinor === null ? null : { amountMinor, currency };
}

/** The captured payment, or the reason why it cannot be read. */
export function chargeOfCapture(
  capture: JsonObject,
  beside: BesideCapture,
): ProcessorCharge | string {
  const reference = textAt(capture, 'id');
  const amount = amountOf(capture);
  const status = oursOf(PAYPAL_WORDS['capture.status'], textAt(capture, 'status'));
  if (reference === null || amount === null) return 'the capture is unreadable';
  if (status === undefined || status === 'unread') {
    return `the capture is ${textAt(capture, 'status')}`;
  }
  const refunds = beside.order === null ? null : refundsOf(beside.order, reference);
  if (typeof refunds === 'string') return refunds;
  const leftMinor = leftOf(capture, amount, refunds);
  if (leftMinor === null) return 'what is left of the capture cannot be told without its order';
  const standing = beside.disputes.filter(isStanding);
  const taken = standing.filter(hasEnded).reduce((sum, each) => sum + takenMinor(each, amount), 0);
  return {
    reference,
    status,
    ...amount,
    // What PayPal gave the buyer cannot be refunded as well.
    refundableMinor: status === 'captured' ? Math.max(0, leftMinor - taken) : 0,
    disputed: standing.length > 0,
    ...factsOf(capture, beside),
    refunds: refunds ?? [],
  };
}

/** Whether PayPal has closed the dispute. The list of disputes does not say for whom. */
export function hasEnded(dispute: JsonObject): boolean {
  return oursOf(PAYPAL_WORDS['dispute.status'], textAt(dispute, 'status')) === 'ended';
}

/** Open, or ended with the money at the buyer. A word that is not in the table stands. */
function isStanding(dispute: JsonObject): boolean {
  const outcome = textAt(dispute, 'dispute_outcome', 'outcome_code');
  const isOver = oursOf(PAYPAL_WORDS['dispute_outcome.outcome_code'], outcome) === 'over';
  return !(hasEnded(dispute) && isOver);
}

/** What the buyer was given; all of the capture where that cannot be read. */
function takenMinor(dispute: JsonObject, { amountMinor, currency }: Amount): number {
  const given = valueAt(dispute, 'dispute_outcome', 'amount_refunded');
  if (textAt(given, 'currency_code') !== currency) return amountMinor;
  return fromDecimal(textAt(given, 'value'), currency) ?? amountMinor;
}

/** A capture says in words what its order says in numbers; the smaller of the two counts. */
function leftOf(
  capture: JsonObject,
  { amountMinor }: Amount,
  refunds: readonly ProcessorRefund[] | null,
): number | null {
  if (capture['status'] === 'REFUNDED') return 0;
  if (refunds === null) return capture['status'] === 'PARTIALLY_REFUNDED' ? null : amountMinor;
  return Math.max(0, amountMinor - movedMinor(refunds));
}

/** An authorization, or the reason why it stands for no charge. */
export function chargeOfAuthorization(
  authorization: JsonObject,
  beside: BesideCapture,
): ProcessorCharge | string {
  const reference = textAt(authorization, 'id');
  const amount = amountOf(authorization);
  const status = oursOf(PAYPAL_WORDS['authorization.status'], textAt(authorization, 'status'));
  if (reference === null || amount === null) return 'the authorization is unreadable';
  if (status === undefined || status === 'unread') {
    return `the authorization is ${textAt(authorization, 'status')}: give the capture's id as the reference`;
  }
  return {
    reference,
    status,
    ...amount,
    refundableMinor: 0,
    disputed: false,
    ...factsOf(authorization, beside),
    refunds: [],
  };
}

type Facts = Omit<
  ProcessorCharge,
  'reference' | 'status' | 'amountMinor' | 'currency' | 'refundableMinor' | 'disputed' | 'refunds'
>;

function factsOf(payment: JsonObject, { order, orderField }: BesideCapture): Facts {
  const card = valueAt(order, 'payment_source', 'card');
  return {
    authorisedAt: utcAt(payment, 'create_time'),
    cardBrand: textAt(card, 'brand'),
    cardBin: textAt(card, 'bin_details', 'bin'),
    cardLast4: textAt(card, 'last_digits'),
    acquirerReferenceNumber: textAt(
      payment,
      'network_transaction_reference',
      'acquirer_reference_number',
    ),
    // PayPal shows no authorisation code.
    authorisationCode: null,
    orderReference: textAt(payment, orderField),
    // The subscription's own records name its payments; a payment does not name its subscription.
    subscriptionReference: null,
  };
}

/** The order in which the payment was made, or null. */
export function orderIdOf(payment: JsonObject): string | null {
  const related = textAt(payment, 'supplementary_data', 'related_ids', 'order_id');
  return related ?? idInLink(payment, /\/v2\/checkout\/orders\/([^/?]+)$/);
}

/** The order's refunds of this capture; a reason when one of them cannot be read. */
function refundsOf(order: JsonObject, captureId: string): ProcessorRefund[] | string {
  const units = objectsAt(order, 'purchase_units');
  const refunds: ProcessorRefund[] = [];
  const captures = units.flatMap((unit) => objectsAt(unit, 'payments', 'captures'));
  const isOnly = captures.length === 1 && textAt(captures[0], 'id') === captureId;
  for (const shown of units.flatMap((unit) => objectsAt(unit, 'payments', 'refunds'))) {
    const of = idInLink(shown, /\/v2\/payments\/captures\/([^/?]+)$/);
    // Of several captures it may belong to any: counted for each, one refund would answer several complaints.
    if (of === null && !isOnly) return 'one of its refunds names no capture';
    if (of !== null && of !== captureId) continue;
    const refund = refundOf(shown, captureId);
    if (refund === null) return 'one of its refunds is unreadable';
    refunds.push(refund);
  }
  return refunds;
}

function idInLink(object: JsonObject, pattern: RegExp): string | null {
  const up = objectsAt(object, 'links').filter((link) => link['rel'] === 'up');
  for (const link of up) {
    const id = pattern.exec(textAt(link, 'href') ?? '')?.[1];
    if (id !== undefined) return id;
  }
  return null;
}

/** The refund, or null when it cannot be read. */
export function refundOf(refund: JsonObject, captureId: string): ProcessorRefund | null {
  const reference = textAt(refund, 'id');
  const amount = amountOf(refund);
  const status = oursOf(PAYPAL_WORDS['refund.status'], textAt(refund, 'status'));
  if (reference === null || amount === null || status === undefined) return null;
  const reason = textAt(refund, 'status_details', 'reason') ?? textAt(refund, 'status') ?? status;
  return {
    reference,
    idempotencyKey: textAt(refund, 'custom_id'),
    chargeReference: captureId,
    status,
    failureCode: status === 'failed' ? reason : null,
    ...(status === 'failed' ? { failureClass: classOf(reason, PAYPAL_CLASSES) } : {}),
    ...amount,
    createdAt: utcAt(refund, 'create_time'),
  };
}
