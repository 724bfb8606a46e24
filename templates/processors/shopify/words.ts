/** Shopify's words and what they are to Forestall; their sources are in this folder's README. */

export const SHOPIFY_WORDS = {
  'transaction.kind': {
    AUTHORIZATION: 'authorisation',
    EMV_AUTHORIZATION: 'authorisation',
    SALE: 'payment',
    CAPTURE: 'payment',
    REFUND: 'refund',
    VOID: 'void',
    CHANGE: 'other',
    SUGGESTED_REFUND: 'other',
  },
  /** Of an authorisation, a payment or a void. */
  'payment.status': {
    SUCCESS: 'done',
    FAILURE: 'declined',
    ERROR: 'declined',
    PENDING: 'unread',
    AWAITING_RESPONSE: 'unread',
    UNKNOWN: 'unread',
  },
  /** Only `FAILURE` says that no money will move. */
  'refund.status': {
    SUCCESS: 'succeeded',
    FAILURE: 'failed',
    PENDING: 'pending',
    AWAITING_RESPONSE: 'pending',
    ERROR: 'pending',
    UNKNOWN: 'pending',
  },
  /** `taken`: the money has gone back, or will. */
  'dispute.status': {
    NEEDS_RESPONSE: 'open',
    UNDER_REVIEW: 'open',
    ACCEPTED: 'taken',
    LOST: 'taken',
    PREVENTED: 'taken',
    CHARGE_REFUNDED: 'taken',
    WON: 'over',
  },
} as const;
