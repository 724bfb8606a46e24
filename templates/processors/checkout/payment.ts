/**
 * Checkout.com's payments, their actions and disputes as Forestall sees them. Pure.
 *
 * https://www.checkout.com/docs/payments/manage-payments
 */
import type { ChargeStatus, ProcessorCharge, ProcessorRefund } from 'forestall';
import { minorUnitDigits } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import { classOf, integerAt, movedMinor, oursOf, rescale, textAt, utcAt } from 'forestall/adapter';
import { CHECKOUT_CLASSES } from './refusals.ts';
import { CHECKOUT_WORDS } from './words.ts';

/**
 * Decimal places of Checkout.com's units where they differ from ISO 4217.
 * https://www.checkout.com/docs/payments/accept-payments/format-the-amount-value
 */
const CHECKOUT_DIGITS: ReadonlyMap<string, number> = new Map([['CLP', 2]]);

function digitsOf(currency: string): { readonly iso: number; readonly theirs: number } {
  const iso = minorUnitDigits(currency);
  return { iso, theirs: CHECKOUT_DIGITS.get(currency) ?? iso };
}

/**
 * Minor units of ISO 4217 as Checkout.com counts them; undefined when it cannot express the amount. Of
 * amounts with three decimals it takes those that end in 0.
 */
export function checkoutAmountOf(amountMinor: number, currency: string): number | undefined {
  const { iso, theirs } = digitsOf(currency);
  if (theirs === 3 && amountMinor % 10 !== 0) return undefined;
  return rescale(amountMinor, { from: iso, to: theirs });
}

function minorOf(amount: number | null, currency: string): number | null {
  if (amount === null) return null;
  const { iso, theirs } = digitsOf(currency);
  return rescale(amount, { from: theirs, to: iso }) ?? null;
}

/** What Checkout.com lists beside a payment. */
export interface BesidePayment {
  readonly actions: readonly JsonObject[];
  readonly disputes: readonly JsonObject[];
}

/** The payment, or the reason why it cannot be read. */
export function chargeOf(payment: JsonObject, beside: BesidePayment): ProcessorCharge | string {
  const reference = textAt(payment, 'id');
  const currency = textAt(payment, 'currency');
  if (reference === null || currency === null) return 'the payment is unreadable';
  const balance = (name: string): number | null =>
    minorOf(integerAt(payment, 'balances', name), currency);
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
  if (refunds.includes(null)) return 'one of its refunds is unreadable';
  const readable = refunds.filter((refund) => refund !== null);
  const dispute = disputeOf(beside.disputes);
  const isCaptured = status === 'captured';
  const left = isCaptured && dispute !== 'taken' ? captured - movedMinor(readable) : 0;
  return {
    reference,
    status,
    amountMinor: isCaptured ? captured : authorised,
    currency,
    refundableMinor: Math.max(0, Math.min(available, left)),
    disputed: dispute !== 'over',
    ...factsOf(payment, beside.actions),
    refunds: readable,
  };
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

function isApproved(action: JsonObject): boolean {
  return action['approved'] === true;
}

/** The refund that an action is, or null when it cannot be read. */
export function refundOf(
  action: JsonObject,
  of: { readonly chargeReference: string; readonly currency: string },
): ProcessorRefund | null {
  const reference = textAt(action, 'id');
  const amountMinor = minorOf(integerAt(action, 'amount'), of.currency);
  if (reference === null || amountMinor === null) return null;
  const code = textAt(action, 'response_code');
  const status = refundStatusOf(action, code);
  return {
    reference,
    // The `reference` of the refund call; without one it is the payment's.
    idempotencyKey: textAt(action, 'reference'),
    chargeReference: of.chargeReference,
    status,
    ...(status === 'failed' && code !== null
      ? { failureCode: code, failureClass: classOf(code, CHECKOUT_CLASSES) }
      : { failureCode: null }),
    amountMinor,
    currency: of.currency,
    createdAt: utcAt(action, 'processed_on'),
  };
}

/** Codes of what was approved or waits; all others refuse. */
const APPROVED_CODE = /^10\d{3}$/;

/** One that is neither approved nor declined yet, by a code that says so, is under way. */
function refundStatusOf(action: JsonObject, code: string | null): ProcessorRefund['status'] {
  if (action['approved'] === true) return 'succeeded';
  const isDeclined = action['approved'] === false && code !== null && !APPROVED_CODE.test(code);
  return isDeclined ? 'failed' : 'pending';
}

/** What stands of the disputes. A word that is not in the table stands. */
function disputeOf(disputes: readonly JsonObject[]): 'open' | 'taken' | 'over' {
  const states = disputes.map((dispute) =>
    oursOf(CHECKOUT_WORDS['dispute.status'], textAt(dispute, 'status')),
  );
  if (states.includes('taken')) return 'taken';
  return states.some((state) => state !== 'over') ? 'open' : 'over';
}
