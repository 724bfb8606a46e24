/**
 * Adyen's words and numbers, and what they are to Forestall: events, refusals, amounts. Sources are in this folder's README.
 */
import type { FailureClass } from 'forestall';
import { classOf, integerAt, providerUnits, textAt, wordsOf } from 'forestall/adapter';

export const ADYEN_WORDS = {
  /** What a notification says about a payment. `dispute_taken`: the bank has taken the money. */
  eventCode: wordsOf({
    authorisation: 'AUTHORISATION',
    adjustment: 'AUTHORISATION_ADJUSTMENT',
    capture: 'CAPTURE',
    capture_taken_back: 'CAPTURE_FAILED',
    // What was not captured has expired.
    cancel: 'CANCELLATION TECHNICAL_CANCEL EXPIRE',
    cancel_or_refund: 'CANCEL_OR_REFUND',
    refund: 'REFUND',
    refund_pending: 'POSTPONED_REFUND',
    refund_taken_back: 'REFUND_FAILED REFUNDED_REVERSED',
    refund_voided: 'VOID_PENDING_REFUND',
    dispute_open: `NOTIFICATION_OF_CHARGEBACK PREARBITRATION_OPEN PREARBITRATION_DECLINED
      SCHEME_ARBITRATION`,
    dispute_taken: `CHARGEBACK SECOND_CHARGEBACK PREARBITRATION_ACCEPTED PREARBITRATION_LOST
      SCHEME_ARBITRATION_LOST`,
    dispute_over: `CHARGEBACK_REVERSED ISSUER_RESPONSE_TIMEFRAME_EXPIRED
      PREARBITRATION_ISSUER_WITHDRAWN PREARBITRATION_WON SCHEME_ARBITRATION_WON`,
    // A request for information is a question of the issuer's, not a dispute.
    nothing: `AUTORESCUE CANCEL_AUTORESCUE DISPUTE_DEFENSE_PERIOD_ENDED DONATION HANDLED_EXTERNALLY
      INFORMATION_SUPPLIED ISSUER_COMMENTS MANUAL_REVIEW_ACCEPT MANUAL_REVIEW_REJECT
      NOTIFICATION_OF_FRAUD OFFER_CLOSED ORDER_CLOSED ORDER_OPENED PAIDOUT_REVERSED PAYOUT_DECLINE
      PAYOUT_EXPIRE PAYOUT_THIRDPARTY PENDING PROCESS_RETRY RECURRING_CONTRACT REFUND_WITH_DATA
      REPORT_AVAILABLE REQUEST_FOR_INFORMATION`,
  }),
  'refund response.status': wordsOf({ pending: ['received'] }),
} as const;

export type AdyenMeaning = (typeof ADYEN_WORDS)['eventCode'][string];

/**
 * What a refused refund means for what comes next: codes of answers, and reasons of notifications, which are compared in
 * lower case: Adyen does not promise their spelling. Any other word is tried again.
 */
export const ADYEN_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ...['000', '010', '100', '137', '138', '167', '702', '901'].map(
    (code) => [code, 'ours'] as const,
  ),
  ['modification in different currency than authorisation', 'ours'],
  ['transaction not found', 'ours'],
  ['only possible to refund the full amount', 'final'],
  ['transaction is expired', 'final'],
  ['insufficient balance on payment', 'done'],
]);

/** The class of a code or of a notification's reason. */
export function adyenClassOf(word: string): FailureClass {
  return classOf(word.toLowerCase(), ADYEN_CLASSES);
}

/** https://docs.adyen.com/development-resources/currency-codes */
const UNITS = providerUnits({ CLP: 2, CVE: 0, IDR: 0, ISK: 2 });

/** Minor units of ISO 4217 as Adyen counts them; undefined when Adyen cannot express the amount. */
export const adyenValueOf = UNITS.amountOf;

/** An amount in minor units of ISO 4217. */
export interface AdyenAmount {
  readonly amountMinor: number;
  readonly currency: string;
}

/** The `amount` of an answer or a notification in minor units of ISO 4217, or null. */
export function amountOf(root: unknown): AdyenAmount | null {
  const currency = textAt(root, 'amount', 'currency') ?? '';
  const amountMinor = UNITS.minorOf(integerAt(root, 'amount', 'value'), currency);
  return amountMinor === null || currency === '' ? null : { amountMinor, currency };
}
