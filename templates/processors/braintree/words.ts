/** Braintree's words and what they are to Forestall; their sources are in this folder's README. */

export const BRAINTREE_WORDS = {
  /**
   * What is submitted but not yet settling can still be voided, and cannot be refunded: to Forestall it is
   * authorised. Transactions captured in parts are distinguished before this is asked.
   */
  'transaction.status': {
    AUTHORIZED: 'authorised',
    SUBMITTED_FOR_SETTLEMENT: 'authorised',
    SETTLEMENT_PENDING: 'authorised',
    SETTLING: 'captured',
    SETTLED: 'captured',
    VOIDED: 'voided',
    AUTHORIZATION_EXPIRED: 'voided',
    PROCESSOR_DECLINED: 'declined',
    GATEWAY_REJECTED: 'declined',
    SETTLEMENT_DECLINED: 'declined',
    FAILED: 'declined',
    AUTHORIZING: 'unread',
    SETTLEMENT_CONFIRMED: 'unread',
  },
  /** A refund is settled like a charge, and may be declined on the way. */
  'refund.status': {
    SETTLED: 'succeeded',
    SETTLEMENT_CONFIRMED: 'succeeded',
    AUTHORIZED: 'pending',
    AUTHORIZING: 'pending',
    SUBMITTED_FOR_SETTLEMENT: 'pending',
    SETTLEMENT_PENDING: 'pending',
    SETTLING: 'pending',
    VOIDED: 'failed',
    AUTHORIZATION_EXPIRED: 'failed',
    PROCESSOR_DECLINED: 'failed',
    GATEWAY_REJECTED: 'failed',
    SETTLEMENT_DECLINED: 'failed',
    FAILED: 'failed',
  },
  /** A lost one has taken the money. */
  'dispute.status': {
    OPEN: 'open',
    DISPUTED: 'open',
    UNDER_REVIEW: 'open',
    LOST: 'lost',
    ACCEPTED: 'lost',
    AUTO_ACCEPTED: 'lost',
    EXPIRED: 'lost',
    WON: 'over',
  },
  /** A retrieval is a question, not a dispute. */
  'dispute.type': { CHARGEBACK: 'dispute', PRE_ARBITRATION: 'dispute', RETRIEVAL: 'question' },
} as const;
