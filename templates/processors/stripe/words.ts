/** Stripe's words and what they are to Forestall; their sources are in this folder's README. */

/** `taken`: captured, authorised or released, as the charge's other fields say. */
export const STRIPE_WORDS = {
  'charge.status': { succeeded: 'taken', failed: 'declined', pending: 'unread' },
  'payment_intent.status': {
    canceled: 'voided',
    processing: 'authorised',
    requires_action: 'authorised',
    requires_capture: 'authorised',
    requires_confirmation: 'authorised',
    requires_payment_method: 'authorised',
    succeeded: 'authorised',
  },
  'refund.status': {
    succeeded: 'succeeded',
    pending: 'pending',
    requires_action: 'pending',
    failed: 'failed',
    canceled: 'failed',
  },
  /** `question`: an inquiry, which takes no money as long as Stripe says that the charge can be refunded. */
  'dispute.status': {
    needs_response: 'disputed',
    under_review: 'disputed',
    warning_needs_response: 'question',
    warning_under_review: 'question',
    appeal_needs_response: 'disputed',
    appeal_under_review: 'disputed',
    lost: 'disputed',
    prevented: 'disputed',
    warning_closed: 'over',
    won: 'over',
  },
  'subscription.status': {
    canceled: 'cancelled',
    active: 'active',
    incomplete: 'active',
    incomplete_expired: 'active',
    past_due: 'active',
    paused: 'active',
    trialing: 'active',
    unpaid: 'active',
  },
} as const;
