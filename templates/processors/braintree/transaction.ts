/**
 * Braintree's transactions and refunds as Forestall sees them. Pure.
 *
 * https://developer.paypal.com/braintree/graphql/reference/types/transaction
 */
import type { ProcessorCharge, ProcessorRefund } from 'forestall';
import {
  classOf,
  fromDecimal,
  movedMinor,
  objectsAt,
  oursOf,
  textAt,
  utcAt,
  valueAt,
} from 'forestall/adapter';
import { BRAINTREE_CLASSES } from './refusals.ts';
import { BRAINTREE_WORDS } from './words.ts';

/**
 * Which of Braintree's two identifiers your orders carry: the short one of the SDKs and the control
 * panel, or the long one of GraphQL.
 */
export type BraintreeReferences = 'legacy' | 'global';

export const REFUND_FIELDS = 'id legacyId createdAt status orderId amount { value currencyCode }';

export const TRANSACTION_FIELDS = `
  id legacyId createdAt status orderId amount { value currencyCode }
  paymentMethodSnapshot { __typename ... on CreditCardDetails { brandCode bin last4 } }
  statusHistory {
    status timestamp ... on AuthorizedEvent { processorResponse { authorizationId } }
  }
  partialCaptureDetails { __typename ... on ParentAuthorization { childCaptures { legacyId } } }
  refunds { ${REFUND_FIELDS} }
  disputes { status type }`;

/**
 * Whether the transaction is an authorisation that was captured in parts. Then each part is a transaction
 * and a charge of its own, with its own refunds: this one can neither be refunded nor released whole.
 * https://developer.paypal.com/braintree/graphql/reference/types/partial-capture-details
 */
export function isCapturedInParts(transaction: unknown): boolean {
  const details = valueAt(transaction, 'partialCaptureDetails');
  const isParent = textAt(details, '__typename') === 'ParentAuthorization';
  // The status says the same of an authorisation whose last part was captured.
  const isConfirmed = textAt(transaction, 'status') === 'SETTLEMENT_CONFIRMED';
  return isConfirmed || (isParent && objectsAt(details, 'childCaptures').length > 0);
}

/** The transaction, or the reason why it cannot be read. */
export function chargeOf(
  transaction: unknown,
  references: BraintreeReferences,
): ProcessorCharge | string {
  const reference = referenceOf(transaction, references);
  const currency = textAt(transaction, 'amount', 'currencyCode');
  if (reference === null || currency === null) return 'the transaction is unreadable';
  if (isCapturedInParts(transaction)) {
    return 'the transaction was captured in parts: give the id of the capture as the reference';
  }
  const status = oursOf(BRAINTREE_WORDS['transaction.status'], textAt(transaction, 'status'));
  if (status === undefined || status === 'unread') {
    return `the transaction is ${textAt(transaction, 'status')}`;
  }
  const amountMinor = fromDecimal(textAt(transaction, 'amount', 'value'), currency);
  const refunds = objectsAt(transaction, 'refunds').map((refund) =>
    refundOf(refund, { chargeReference: reference, references }),
  );
  if (amountMinor === null || refunds.includes(null)) return 'an amount is unreadable';
  const readable = refunds.filter((refund) => refund !== null);
  const dispute = disputeOf(transaction);
  const leftMinor = amountMinor - movedMinor(readable);
  const history = objectsAt(transaction, 'statusHistory');
  const authorised = history.find((event) => event['status'] === 'AUTHORIZED');
  return {
    reference,
    status,
    amountMinor,
    currency,
    refundableMinor: status === 'captured' && dispute !== 'lost' ? Math.max(0, leftMinor) : 0,
    disputed: dispute !== 'none',
    authorisedAt: utcAt(authorised, 'timestamp') ?? utcAt(transaction, 'createdAt'),
    ...cardOf(valueAt(transaction, 'paymentMethodSnapshot')),
    // GraphQL shows no ARN of a transaction, and does not tie it to its subscription.
    acquirerReferenceNumber: null,
    authorisationCode: textAt(authorised, 'processorResponse', 'authorizationId'),
    orderReference: textAt(transaction, 'orderId'),
    subscriptionReference: null,
    refunds: readable,
  };
}

/** The refund, or null when it cannot be read. */
export function refundOf(
  refund: unknown,
  of: { readonly chargeReference: string; readonly references: BraintreeReferences },
): ProcessorRefund | null {
  const reference = referenceOf(refund, of.references);
  const currency = textAt(refund, 'amount', 'currencyCode');
  const shown = textAt(refund, 'status') ?? '';
  const status = oursOf(BRAINTREE_WORDS['refund.status'], shown);
  if (reference === null || currency === null || status === undefined) return null;
  const amountMinor = fromDecimal(textAt(refund, 'amount', 'value'), currency);
  if (amountMinor === null) return null;
  return {
    reference,
    // A refund inherits its transaction's order id unless it is given one; ours carries the key.
    idempotencyKey: textAt(refund, 'orderId'),
    chargeReference: of.chargeReference,
    status,
    failureCode: status === 'failed' ? shown : null,
    ...(status === 'failed' ? { failureClass: classOf(shown, BRAINTREE_CLASSES) } : {}),
    amountMinor,
    currency,
    createdAt: utcAt(refund, 'createdAt'),
  };
}

function referenceOf(payment: unknown, references: BraintreeReferences): string | null {
  return textAt(payment, references === 'legacy' ? 'legacyId' : 'id');
}

type CardFacts = Pick<ProcessorCharge, 'cardBrand' | 'cardBin' | 'cardLast4'>;

function cardOf(snapshot: unknown): CardFacts {
  return {
    cardBrand: textAt(snapshot, 'brandCode'),
    cardBin: textAt(snapshot, 'bin'),
    cardLast4: textAt(snapshot, 'last4'),
  };
}

function disputeOf(transaction: unknown): 'none' | 'open' | 'lost' {
  const states = objectsAt(transaction, 'disputes')
    .filter(
      (dispute) => oursOf(BRAINTREE_WORDS['dispute.type'], textAt(dispute, 'type')) !== 'question',
    )
    .map((dispute) => oursOf(BRAINTREE_WORDS['dispute.status'], textAt(dispute, 'status')));
  if (states.includes('lost')) return 'lost';
  return states.some((state) => state !== 'over') ? 'open' : 'none';
}
