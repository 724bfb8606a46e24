/** Adyen's words and what they are to Forestall; their sources are in this folder's README. */

/** What a notification says about a payment. `dispute_taken`: the bank has taken the money. */
export type AdyenMeaning =
  | 'authorisation'
  | 'adjustment'
  | 'capture'
  | 'capture_taken_back'
  | 'cancel'
  | 'cancel_or_refund'
  | 'refund'
  | 'refund_pending'
  | 'refund_taken_back'
  | 'refund_voided'
  | 'dispute_open'
  | 'dispute_taken'
  | 'dispute_over'
  | 'nothing';

const EVENT_CODES = {
  AUTHORISATION: 'authorisation',
  AUTHORISATION_ADJUSTMENT: 'adjustment',
  CAPTURE: 'capture',
  CAPTURE_FAILED: 'capture_taken_back',
  CANCELLATION: 'cancel',
  TECHNICAL_CANCEL: 'cancel',
  // What was not captured has expired.
  EXPIRE: 'cancel',
  CANCEL_OR_REFUND: 'cancel_or_refund',
  REFUND: 'refund',
  POSTPONED_REFUND: 'refund_pending',
  REFUND_FAILED: 'refund_taken_back',
  REFUNDED_REVERSED: 'refund_taken_back',
  VOID_PENDING_REFUND: 'refund_voided',
  NOTIFICATION_OF_CHARGEBACK: 'dispute_open',
  PREARBITRATION_OPEN: 'dispute_open',
  PREARBITRATION_DECLINED: 'dispute_open',
  SCHEME_ARBITRATION: 'dispute_open',
  CHARGEBACK: 'dispute_taken',
  SECOND_CHARGEBACK: 'dispute_taken',
  PREARBITRATION_ACCEPTED: 'dispute_taken',
  PREARBITRATION_LOST: 'dispute_taken',
  SCHEME_ARBITRATION_LOST: 'dispute_taken',
  CHARGEBACK_REVERSED: 'dispute_over',
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: 'dispute_over',
  PREARBITRATION_ISSUER_WITHDRAWN: 'dispute_over',
  PREARBITRATION_WON: 'dispute_over',
  SCHEME_ARBITRATION_WON: 'dispute_over',
  AUTORESCUE: 'nothing',
  CANCEL_AUTORESCUE: 'nothing',
  DISPUTE_DEFENSE_PERIOD_ENDED: 'nothing',
  DONATION: 'nothing',
  HANDLED_EXTERNALLY: 'nothing',
  INFORMATION_SUPPLIED: 'nothing',
  ISSUER_COMMENTS: 'nothing',
  MANUAL_REVIEW_ACCEPT: 'nothing',
  MANUAL_REVIEW_REJECT: 'nothing',
  NOTIFICATION_OF_FRAUD: 'nothing',
  OFFER_CLOSED: 'nothing',
  ORDER_CLOSED: 'nothing',
  ORDER_OPENED: 'nothing',
  PAIDOUT_REVERSED: 'nothing',
  PAYOUT_DECLINE: 'nothing',
  PAYOUT_EXPIRE: 'nothing',
  PAYOUT_THIRDPARTY: 'nothing',
  PENDING: 'nothing',
  PROCESS_RETRY: 'nothing',
  RECURRING_CONTRACT: 'nothing',
  REFUND_WITH_DATA: 'nothing',
  REPORT_AVAILABLE: 'nothing',
  // A question of the issuer's, not a dispute.
  REQUEST_FOR_INFORMATION: 'nothing',
} as const satisfies Readonly<Record<string, AdyenMeaning>>;

export const ADYEN_WORDS = {
  eventCode: EVENT_CODES,
  'refund response.status': { received: 'pending' },
} as const;
