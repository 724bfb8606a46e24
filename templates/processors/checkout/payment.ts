/**
 * Checkout.com's words, and its payments, their actions and disputes as Forestall sees them. Pure. Sources are in this
 * folder's README: https://www.checkout.com/docs/payments/manage-payments
 */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import {
  classesOf,
  classOf,
  integerAt,
  movedMinor,
  oursOf,
  providerUnits,
  readableCharge,
  readableRefund,
  textAt,
  utcAt,
  wordsOf,
} from 'forestall/adapter';

/** The first of `error_codes`, else the status; of a refund its response code. Any other word is tried again. */
export const CHECKOUT_CLASSES = classesOf({
  retry: '403 api_calls_quota_exceeded',
  ours: '401 404 amount_invalid business_invalid business_settings_missing',
  done: 'amount_exceeds_balance',
});

export const CHECKOUT_WORDS = {
  /** `ended`: released where it was authorised, else it was never paid. */
  'payment.status': wordsOf({
    authorised: ['Authorized'],
    captured: ['Partially Captured', 'Captured', 'Partially Refunded', 'Refunded'],
    ended: ['Voided', 'Expired', 'Canceled'],
    declined: ['Declined'],
    unread: [
      'Active',
      'Authentication Requested',
      'Card Verified',
      'Paid',
      'Pending',
      'Requested',
      'Retry Scheduled',
    ],
  }),
  /** A return takes the money back outside of the card networks: it cannot be said what is left. */
  'action.type': wordsOf({
    authorisation: ['Authorization'],
    capture: ['Capture'],
    refund: ['Refund'],
    nothing: ['Void', 'Card Verification', 'Payout'],
    unread: ['Return'],
  }),
  'dispute.status': wordsOf({
    open: `evidence_required evidence_under_review arb_evidence_submitted arbitration_under_review`,
    taken: 'lost expired accepted resolved arbitration_lost',
    over: 'won arbitration_won canceled',
  }),
} as const;

/** https://www.checkout.com/docs/payments/accept-payments/format-the-amount-value */
const UNITS = providerUnits({ CLP: 2 });

/** Undefined when Checkout.com cannot express the amount. Of those with three decimals it takes those that end in 0. */
export function checkoutAmountOf(amountMinor: number, currency: string): number | undefined {
  if (UNITS.digits(currency) === 3 && amountMinor % 10 !== 0) return undefined;
  return UNITS.amountOf(amountMinor, currency);
}

/** Checkout.com's amount as minor units of ISO 4217, or null. */
export const checkoutMinorOf = UNITS.minorOf;

/** What Checkout.com lists with a payment. */
export interface BesidePayment {
  readonly actions: readonly JsonObject[];
  readonly disputes: readonly JsonObject[];
}

/** The payment, or the reason why it cannot be read. */
export function chargeOf(payment: JsonObject, beside: BesidePayment): ProcessorCharge | string {
  const reference = textAt(payment, 'id') ?? '';
  const currency = textAt(payment, 'currency') ?? '';
  const balance = (name: string): number | null =>
    UNITS.minorOf(integerAt(payment, 'balances', name), currency);
  const captured = balance('total_captured');
  const authorised = balance('total_authorized');
  const available = balance('available_to_refund');
  if (captured === null || authorised === null || available === null) {
    return 'its balances are unreadable';
  }
  const status = statusOf(payment, { captured, authorised });
  if (status === null) return `the payment is ${textAt(payment, 'status')}`;
  const known = beside.actions.map(meaningOf);
  if (known.includes('unread') || known.includes(undefined)) return 'one of its actions is unclear';
  const refunds = ofKind(beside.actions, 'refund').map((action) =>
    refundOf(action, { chargeReference: reference, currency }),
  );
  const dispute = disputeOf(beside.disputes);
  const isCaptured = status === 'captured';
  const isLeft = isCaptured && dispute !== 'taken';
  const left = isLeft ? captured - movedMinor(refunds.filter((each) => each !== null)) : 0;
  return readableCharge({
    ...{ reference, status, currency, refunds, ...factsOf(payment, beside.actions) },
    amountMinor: isCaptured ? captured : authorised,
    refundableMinor: Math.max(0, Math.min(available, left)),
    disputed: dispute !== 'over',
  });
}

type Meaning = (typeof CHECKOUT_WORDS)['action.type'][keyof (typeof CHECKOUT_WORDS)['action.type']];

function meaningOf(action: JsonObject): Meaning | undefined {
  return oursOf<Meaning>(CHECKOUT_WORDS['action.type'], textAt(action, 'type'));
}

function ofKind(actions: readonly JsonObject[], kind: Meaning): JsonObject[] {
  return actions.filter((action) => meaningOf(action) === kind);
}

function statusOf(
  payment: JsonObject,
  { captured, authorised }: { readonly captured: number; readonly authorised: number },
): ChargeStatus | null {
  const shown = oursOf(CHECKOUT_WORDS['payment.status'], textAt(payment, 'status'));
  if (shown === undefined || shown === 'unread') return null;
  // Captured in parts, or the rest released: money was taken.
  if (captured > 0) return 'captured';
  if (shown === 'ended') return authorised > 0 ? 'voided' : 'declined';
  // Says that it was captured, and shows nothing that was.
  return shown === 'captured' ? null : shown;
}

type Facts = Omit<
  ProcessorCharge,
  'reference' | 'status' | 'amountMinor' | 'currency' | 'refundableMinor' | 'disputed' | 'refunds'
>;

function factsOf(payment: JsonObject, actions: readonly JsonObject[]): Facts {
  const isApproved = (action: JsonObject): boolean => action['approved'] === true;
  const authorisation = ofKind(actions, 'authorisation').find(isApproved);
  const arns = ofKind(actions, 'capture')
    .filter(isApproved)
    .map((capture) => textAt(capture, 'processing', 'acquirer_reference_number'));
  return {
    authorisedAt: utcAt(authorisation, 'processed_on') ?? utcAt(payment, 'requested_on'),
    cardBrand: textAt(payment, 'source', 'scheme'),
    cardBin: textAt(payment, 'source', 'bin'),
    cardLast4: textAt(payment, 'source', 'last4'),
    acquirerReferenceNumber: arns.find((arn) => arn !== null) ?? null,
    authorisationCode: textAt(authorisation, 'auth_code'),
    orderReference: textAt(payment, 'reference'),
    // Checkout.com keeps stored cards, not subscriptions: the subscription is yours.
    subscriptionReference: null,
  };
}

/** The refund that an action is, or null when it cannot be read. */
export function refundOf(
  action: JsonObject,
  of: { readonly chargeReference: string; readonly currency: string },
): ProcessorRefund | null {
  const code = textAt(action, 'response_code');
  return readableRefund({
    ...of,
    reference: textAt(action, 'id'),
    // The `reference` of the refund call; without one it is the payment's.
    idempotencyKey: textAt(action, 'reference'),
    status: refundStatusOf(action, code),
    ...{ failureCode: code, failureClass: classOf(code ?? '', CHECKOUT_CLASSES) },
    amountMinor: UNITS.minorOf(integerAt(action, 'amount'), of.currency),
    createdAt: utcAt(action, 'processed_on'),
  });
}

/** Codes of what was approved or waits; all others refuse. */
const APPROVED_CODE = /^10\d{3}$/;

/** One that is neither approved nor declined yet, by a code that says so, is under way. */
function refundStatusOf(action: JsonObject, code: string | null): ProcessorRefund['status'] {
  if (action['approved'] === true) return 'succeeded';
  const isDeclined = action['approved'] === false && code !== null && !APPROVED_CODE.test(code);
  return isDeclined ? 'failed' : 'pending';
}

/** Which disputes are in force. One of a word that is not in the table is. */
function disputeOf(disputes: readonly JsonObject[]): 'open' | 'taken' | 'over' {
  const states = disputes.map((dispute) =>
    oursOf(CHECKOUT_WORDS['dispute.status'], textAt(dispute, 'status')),
  );
  if (states.includes('taken')) return 'taken';
  return states.some((state) => state !== 'over') ? 'open' : 'over';
}
