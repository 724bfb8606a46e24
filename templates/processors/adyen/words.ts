/**
 * Adyen's words and numbers, and what they are to Forestall: events, refusals, amounts. Sources are in this folder's README.
 */
import type { FailureClass } from 'forestall';
import { classOf, integerAt, providerUnits, textAt } from 'forestall/adapter';

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

/**
 * What a refused refund means for what comes next: codes of answers, and reasons of notifications, which are compared in
 * lower case: Adyen does not promise their spelling. Any other word is tried again.
 */
export const ADYEN_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['000', 'ours'],
  ['010', 'ours'],
  ['100', 'ours'],
  ['137', 'ours'],
  ['138', 'ours'],
  ['167', 'ours'],
  ['702', 'ours'],
  ['901', 'ours'],
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
