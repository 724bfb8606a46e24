/** Checkout.com's words and what they are to Forestall; their sources are in this folder's README. */

export const CHECKOUT_WORDS = {
  /** `ended`: released where it was authorised, else it was never paid. */
  'payment.status': {
    Authorized: 'authorised',
    'Partially Captured': 'captured',
    Captured: 'captured',
    'Partially Refunded': 'captured',
    Refunded: 'captured',
    Voided: 'ended',
    Expired: 'ended',
    Canceled: 'ended',
    Declined: 'declined',
    Active: 'unread',
    'Authentication Requested': 'unread',
    'Card Verified': 'unread',
    Paid: 'unread',
    Pending: 'unread',
    Requested: 'unread',
    'Retry Scheduled': 'unread',
  },
  /** A return takes the money back outside of the card networks: nobody can say what is left. */
  'action.type': {
    Authorization: 'authorisation',
    Capture: 'capture',
    Refund: 'refund',
    Void: 'nothing',
    'Card Verification': 'nothing',
    Payout: 'nothing',
    Return: 'unread',
  },
  'dispute.status': {
    evidence_required: 'open',
    evidence_under_review: 'open',
    arb_evidence_submitted: 'open',
    arbitration_under_review: 'open',
    lost: 'taken',
    expired: 'taken',
    accepted: 'taken',
    resolved: 'taken',
    arbitration_lost: 'taken',
    won: 'over',
    arbitration_won: 'over',
    canceled: 'over',
  },
} as const;
