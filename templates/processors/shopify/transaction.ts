/** Reads an order's transactions at Shopify as a charge and its refunds. */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  classOf,
  fromDecimal,
  movedMinor,
  objectsAt,
  oursOf,
  textAt,
  utcAt,
} from 'forestall/adapter';
import { SHOPIFY_CLASSES } from './refusals.ts';
import { SHOPIFY_WORDS } from './words.ts';

/** Transactions and refunds of an order that are read; one has far fewer. */
export const LIST_MAX = 50;

const MONEY = 'amountSet { presentmentMoney { amount currencyCode } }';

const TRANSACTION = `id kind status errorCode createdAt processedAt ${MONEY} parentTransaction { id }
  paymentDetails { ... on CardPaymentDetails { bin company number } }`;

/** A refund that `refundCreate` answers with. */
export const REFUND_FIELDS = `note createdAt transactions(first: 10) { nodes { ${TRANSACTION} } }`;

/** A transaction, and everything about its order that decides what can go back. */
export const CHARGE_FIELDS = `${TRANSACTION} gateway manualPaymentGateway order {
  id name disputes { status }
  transactions(first: ${LIST_MAX}) { ${TRANSACTION} }
  refunds(first: ${LIST_MAX}) { note transactions(first: 10) { nodes { id } } }
}`;

/** The charge, or why it cannot be read. */
export function chargeOf(transaction: JsonObject): ProcessorCharge | string {
  const reference = textAt(transaction, 'id');
  const currency = currencyOf(transaction);
  const listed = objectsAt(transaction, 'order', 'transactions');
  const refunded = objectsAt(transaction, 'order', 'refunds');
  if (reference === null || currency === null) return 'it is no transaction';
  if (isOutside(transaction))
    return 'it was paid outside of Shopify: a refund there moves no money';
  if (Math.max(listed.length, refunded.length) >= LIST_MAX) {
    return `its order has ${LIST_MAX} transactions or more`;
  }
  const amountMinor = minorOf(transaction, currency);
  const status = statusOf(transaction, listed);
  if (amountMinor === null) return 'its amount is unreadable';
  if ('problem' in status) return status.problem;
  const keys = keysOf(refunded);
  const refunds = listed
    .filter((each) => isOf(each, 'refund') && parentOf(each) === reference)
    .map((each) => refundOf(each, keys.get(textAt(each, 'id')) ?? null));
  if (refunds.includes(null)) return 'one of its refunds is unreadable';
  const readable = refunds.filter((refund) => refund !== null);
  const disputes = objectsAt(transaction, 'order', 'disputes');
  const authorised = listed.find((each) => textAt(each, 'id') === parentOf(transaction));
  return {
    reference,
    status: status.is,
    amountMinor,
    currency,
    refundableMinor: status.is === 'captured' ? Math.max(0, amountMinor - movedMinor(readable)) : 0,
    // A word that Shopify adds later is no proof that a dispute is over.
    disputed: disputes.some((each) => disputeOf(each) !== 'over'),
    authorisedAt:
      utcAt(authorised ?? transaction, 'processedAt') ?? utcAt(transaction, 'createdAt'),
    ...cardOf(transaction, authorised),
    acquirerReferenceNumber: null,
    authorisationCode: null,
    orderReference: textAt(transaction, 'order', 'name'),
    subscriptionReference: null,
    refunds: readable,
  };
}

/** Paid in another way than through a provider: Shopify books a refund of it at once, and sends nothing to a card. */
export function isOutside(transaction: JsonObject): boolean {
  return (
    transaction['manualPaymentGateway'] !== false || textAt(transaction, 'gateway') === 'gift_card'
  );
}

function disputeOf(dispute: JsonObject): string | undefined {
  return oursOf(SHOPIFY_WORDS['dispute.status'], textAt(dispute, 'status'));
}

type Status = { readonly is: ChargeStatus } | { readonly problem: string };

/** An authorisation by what followed it; a payment by itself. */
function statusOf(transaction: JsonObject, listed: readonly JsonObject[]): Status {
  const kind = oursOf(SHOPIFY_WORDS['transaction.kind'], textAt(transaction, 'kind'));
  if (kind !== 'authorisation' && kind !== 'payment') return { problem: 'it is no payment' };
  const own = stateOf(transaction);
  if (own === 'declined') return { is: 'declined' };
  if (own !== 'done') return { problem: 'whether it was paid is not known yet' };
  if (kind === 'payment') return { is: 'captured' };
  const after = listed.filter((each) => parentOf(each) === textAt(transaction, 'id'));
  const payments = after.filter((each) => isOf(each, 'payment'));
  if (payments.some((each) => stateOf(each) !== 'declined')) {
    return { problem: 'it was captured: orders must name the capture' };
  }
  const isReleased = after.some((each) => isOf(each, 'void') && stateOf(each) === 'done');
  return { is: isReleased ? 'voided' : 'authorised' };
}

function stateOf(transaction: JsonObject): string | undefined {
  return oursOf(SHOPIFY_WORDS['payment.status'], textAt(transaction, 'status'));
}

function isOf(transaction: JsonObject, ours: string): boolean {
  return oursOf(SHOPIFY_WORDS['transaction.kind'], textAt(transaction, 'kind')) === ours;
}

function parentOf(transaction: JsonObject): string | null {
  return textAt(transaction, 'parentTransaction', 'id');
}

/** The note of each refund, by the id of its transactions: there the key is found. */
function keysOf(refunds: readonly JsonObject[]): ReadonlyMap<string | null, string | null> {
  return new Map(
    refunds.flatMap((refund) =>
      objectsAt(refund, 'transactions', 'nodes').map((each) => [
        textAt(each, 'id'),
        textAt(refund, 'note'),
      ]),
    ),
  );
}

/** The refund, or null when it cannot be read. */
export function refundOf(transaction: JsonObject, key: string | null): ProcessorRefund | null {
  const reference = textAt(transaction, 'id');
  const chargeReference = parentOf(transaction);
  const currency = currencyOf(transaction);
  const status = oursOf(SHOPIFY_WORDS['refund.status'], textAt(transaction, 'status'));
  if (reference === null || chargeReference === null || currency === null) return null;
  const amountMinor = minorOf(transaction, currency);
  if (amountMinor === null || status === undefined) return null;
  const failureCode = status === 'failed' ? (textAt(transaction, 'errorCode') ?? 'FAILURE') : null;
  return {
    reference,
    idempotencyKey: key,
    chargeReference,
    status,
    failureCode,
    ...(failureCode === null ? {} : { failureClass: classOf(failureCode, SHOPIFY_CLASSES) }),
    amountMinor,
    currency,
    createdAt: utcAt(transaction, 'createdAt'),
  };
}

/** The refund that `refundCreate` shows, or null: one of this charge, under this key. */
export function shownRefundOf(
  shown: unknown,
  { chargeReference, key }: { readonly chargeReference: string; readonly key: string },
): ProcessorRefund | null {
  if (textAt(shown, 'note') !== key) return null;
  const own = objectsAt(shown, 'transactions', 'nodes').filter(
    (each) => isOf(each, 'refund') && parentOf(each) === chargeReference,
  );
  const [transaction] = own;
  return own.length === 1 && transaction !== undefined ? refundOf(transaction, key) : null;
}

/** What the customer paid in, which is what an alert names. */
function currencyOf(transaction: JsonObject): string | null {
  return textAt(transaction, 'amountSet', 'presentmentMoney', 'currencyCode');
}

function minorOf(transaction: JsonObject, currency: string): number | null {
  return fromDecimal(textAt(transaction, 'amountSet', 'presentmentMoney', 'amount'), currency);
}

/** What the card showed is on the authorisation, where there is one. */
function cardOf(
  transaction: JsonObject,
  authorised: JsonObject | undefined,
): Pick<ProcessorCharge, 'cardBrand' | 'cardBin' | 'cardLast4'> {
  const read = (name: string): string | null =>
    textAt(transaction, 'paymentDetails', name) ?? textAt(authorised, 'paymentDetails', name);
  return {
    cardBrand: read('company'),
    cardBin: read('bin'),
    cardLast4: /(\d{4})$/.exec(read('number') ?? '')?.[1] ?? null,
  };
}
