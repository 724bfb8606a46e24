/**
 * Braintree's words, and its transactions and refunds as Forestall sees them. Pure. Sources are in this folder's README.
 *
 * https://developer.paypal.com/braintree/graphql/reference/types/transaction
 */
import type { ProcessorCharge, ProcessorRefund } from 'forestall';
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
  utcAt,
  valueAt,
  wordsOf,
} from 'forestall/adapter';

/**
 * The validations that concern the refund itself, the error classes that stop a call before it begins,
 * and the states of a failed refund. Another validation leaves it open: a key that is in use by a
 * request under way, or was used with other values, is refused as VALIDATION too.
 * https://developer.paypal.com/braintree/graphql/reference/types/refund-transaction-input
 */
export const BRAINTREE_CLASSES = classesOf({
  retry: '91506 91563 91574 915201',
  ours: '81501 81502 81503 81528 81531 91538 91547 91559 AUTHENTICATION AUTHORIZATION NOT_FOUND',
  final: '91505 915200 VOIDED',
  done: '91512 91521',
});

/** Validations of evidence and of its files: nothing was handed in. Those of a dispute that is not open any more are `done`. */
export const BRAINTREE_DISPUTE_CLASSES = classesOf({
  done: '95704 95705',
  final: `95701 95702 95703 95706 95707 95708 95711 95712 95713 95714 95720 95721 95722 95723 95724
    95725 95726 95727 84901 84902 84903 84904 84905 84906`,
});

export const BRAINTREE_WORDS = {
  /**
   * What is submitted but not yet settling can still be voided, and cannot be refunded: to Forestall it is
   * authorised. Transactions captured in parts are distinguished before this is asked.
   */
  'transaction.status': wordsOf({
    authorised: ['AUTHORIZED', 'SUBMITTED_FOR_SETTLEMENT', 'SETTLEMENT_PENDING'],
    captured: ['SETTLING', 'SETTLED'],
    voided: ['VOIDED', 'AUTHORIZATION_EXPIRED'],
    declined: ['PROCESSOR_DECLINED', 'GATEWAY_REJECTED', 'SETTLEMENT_DECLINED', 'FAILED'],
    unread: ['AUTHORIZING', 'SETTLEMENT_CONFIRMED'],
  }),
  /** A refund is settled like a charge, and may be declined on the way. */
  'refund.status': wordsOf({
    succeeded: 'SETTLED SETTLEMENT_CONFIRMED',
    pending: 'AUTHORIZED AUTHORIZING SUBMITTED_FOR_SETTLEMENT SETTLEMENT_PENDING SETTLING',
    failed: `VOIDED AUTHORIZATION_EXPIRED PROCESSOR_DECLINED GATEWAY_REJECTED SETTLEMENT_DECLINED
      FAILED`,
  }),
  /** A lost one has taken the money. */
  'dispute.status': wordsOf({
    open: ['OPEN', 'DISPUTED', 'UNDER_REVIEW'],
    lost: ['LOST', 'ACCEPTED', 'AUTO_ACCEPTED', 'EXPIRED'],
    over: ['WON'],
  }),
  /** A retrieval is a question, not a dispute. */
  'dispute.type': wordsOf({ dispute: ['CHARGEBACK', 'PRE_ARBITRATION'], question: ['RETRIEVAL'] }),
} as const;

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
  const chargeReference = referenceOf(transaction, references) ?? '';
  const currency = textAt(transaction, 'amount', 'currencyCode') ?? '';
  if (chargeReference === '' || currency === '') return 'the transaction is unreadable';
  if (isCapturedInParts(transaction)) {
    return 'the transaction was captured in parts: give the id of the capture as the reference';
  }
  const status = oursOf(BRAINTREE_WORDS['transaction.status'], textAt(transaction, 'status'));
  if (status === undefined || status === 'unread') {
    return `the transaction is ${textAt(transaction, 'status')}`;
  }
  const amountMinor = fromDecimal(textAt(transaction, 'amount', 'value'), currency);
  const refunds = objectsAt(transaction, 'refunds').map((refund) =>
    refundOf(refund, { chargeReference, references }),
  );
  const dispute = disputeOf(transaction);
  const moved = movedMinor(refunds.filter((refund) => refund !== null));
  const isLeft = status === 'captured' && dispute !== 'lost';
  const history = objectsAt(transaction, 'statusHistory');
  const authorised = history.find((event) => event['status'] === 'AUTHORIZED');
  const card = valueAt(transaction, 'paymentMethodSnapshot');
  return readableCharge({
    ...{ reference: chargeReference, status, amountMinor, currency, refunds },
    refundableMinor: isLeft ? Math.max(0, (amountMinor ?? 0) - moved) : 0,
    disputed: dispute !== 'none',
    authorisedAt: utcAt(authorised, 'timestamp') ?? utcAt(transaction, 'createdAt'),
    cardBrand: textAt(card, 'brandCode'),
    cardBin: textAt(card, 'bin'),
    cardLast4: textAt(card, 'last4'),
    // GraphQL shows no ARN of a transaction, and does not tie it to its subscription.
    ...{ acquirerReferenceNumber: null, subscriptionReference: null },
    authorisationCode: textAt(authorised, 'processorResponse', 'authorizationId'),
    orderReference: textAt(transaction, 'orderId'),
  });
}

/** The refund, or null when it cannot be read. */
export function refundOf(
  refund: unknown,
  {
    chargeReference,
    references,
  }: {
    readonly chargeReference: string;
    readonly references: BraintreeReferences;
  },
): ProcessorRefund | null {
  const currency = textAt(refund, 'amount', 'currencyCode') ?? '';
  const word = textAt(refund, 'status') ?? '';
  return readableRefund({
    reference: referenceOf(refund, references),
    // A refund inherits its transaction's order id unless it is given one; ours carries the key.
    idempotencyKey: textAt(refund, 'orderId'),
    chargeReference,
    status: oursOf(BRAINTREE_WORDS['refund.status'], word),
    ...{ failureCode: word, failureClass: classOf(word, BRAINTREE_CLASSES) },
    amountMinor: fromDecimal(textAt(refund, 'amount', 'value'), currency),
    currency,
    createdAt: utcAt(refund, 'createdAt'),
  });
}

function referenceOf(payment: unknown, references: BraintreeReferences): string | null {
  return textAt(payment, references === 'legacy' ? 'legacyId' : 'id');
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
