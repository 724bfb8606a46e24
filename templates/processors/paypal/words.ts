/** PayPal's words and what they are to Forestall; their sources are in this folder's README. */

export const PAYPAL_WORDS = {
  'capture.status': {
    COMPLETED: 'captured',
    PARTIALLY_REFUNDED: 'captured',
    REFUNDED: 'captured',
    DECLINED: 'declined',
    FAILED: 'declined',
    PENDING: 'unread',
  },
  'authorization.status': {
    CREATED: 'authorised',
    PENDING: 'authorised',
    VOIDED: 'voided',
    EXPIRED: 'voided',
    DENIED: 'declined',
    CAPTURED: 'unread',
    PARTIALLY_CAPTURED: 'unread',
  },
  'refund.status': {
    COMPLETED: 'succeeded',
    PENDING: 'pending',
    FAILED: 'failed',
    CANCELLED: 'failed',
  },
  'dispute.status': {
    OPEN: 'disputed',
    WAITING_FOR_BUYER_RESPONSE: 'disputed',
    WAITING_FOR_SELLER_RESPONSE: 'disputed',
    UNDER_REVIEW: 'disputed',
    OTHER: 'disputed',
    RESOLVED: 'ended',
  },
  /** How one ended: `taken` is money that the buyer has. */
  'dispute_outcome.outcome_code': {
    RESOLVED_BUYER_FAVOUR: 'taken',
    RESOLVED_WITH_PAYOUT: 'taken',
    ACCEPTED: 'taken',
    RESOLVED_SELLER_FAVOUR: 'over',
    CANCELED_BY_BUYER: 'over',
    DENIED: 'over',
    NONE: 'over',
  },
} as const;
