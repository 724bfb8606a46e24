/** Mollie's words and what they are to Forestall; their sources are in this folder's README. */

export const MOLLIE_WORDS = {
  /** `ended`: released where it was authorised, else it was never paid. */
  'payment.status': {
    paid: 'captured',
    authorized: 'authorised',
    canceled: 'ended',
    expired: 'ended',
    failed: 'declined',
    open: 'unread',
    pending: 'unread',
  },
  'refund.status': {
    refunded: 'succeeded',
    queued: 'pending',
    pending: 'pending',
    processing: 'pending',
    failed: 'failed',
    canceled: 'failed',
  },
  'subscription.status': {
    canceled: 'cancelled',
    active: 'active',
    completed: 'active',
    pending: 'active',
    suspended: 'active',
  },
} as const;
