/**
 * What has gone back to the cardholder already, as far as it can be proven, and what an answer would
 * move.
 *
 * Only refunds that the processor lists, or that we hold as settled, count as refunded: a charge
 * that shows nothing left and no refund may as well be past its refund window. The two views are
 * never added up, because our own refund is in both; the larger one counts.
 */
import type { RefundState } from '../refund/refund-state.ts';
import type { DecisionFacts, FoundChargeInputs, OwnRefundInputs } from './facts.ts';
import type { RefundAmount } from './policy.ts';

/** Our refund has moved its money, or stands for a refund by somebody else. */
const SETTLED: ReadonlySet<RefundState> = new Set(['CONFIRMED', 'EXTERNAL']);

/** Our refund is on its way: another alert on the charge joins it, whatever it comes to. */
const UNDER_WAY: ReadonlySet<RefundState> = new Set([
  'INTENT',
  'SENT',
  'UNKNOWN',
  'PENDING',
  'HUMAN',
]);

/** Whether our refund of the charge is neither settled nor failed. */
export function isUnderWay(own: OwnRefundInputs): boolean {
  return UNDER_WAY.has(own.state);
}

/** Whether a refund of ours, or one of somebody else's that we booked, is settled on the charge. */
export function hasSettledRefund({ ownRefund }: DecisionFacts): boolean {
  return ownRefund !== null && SETTLED.has(ownRefund.state);
}

/** What is refunded for certain, in minor units of the charge's currency. */
export function refundedMinor(facts: DecisionFacts): number {
  const { charge, ownRefund } = facts;
  const listed = charge.kind === 'found' ? charge.refundedMinor : 0;
  const ours =
    ownRefund !== null && SETTLED.has(ownRefund.state)
      ? ownRefund.amountMinor + ownRefund.externalMinor
      : 0;
  return Math.max(listed, ours);
}

/** What is refunded or on its way there by us. */
export function coveredMinor(facts: DecisionFacts): number {
  const { ownRefund } = facts;
  const joined =
    ownRefund !== null && isUnderWay(ownRefund)
      ? ownRefund.amountMinor + ownRefund.externalMinor
      : 0;
  return Math.max(refundedMinor(facts), joined);
}

/** `none`, `part` or `full`; null when the processor did not show the charge. */
export function refundedShare(facts: DecisionFacts): 'none' | 'part' | 'full' | null {
  if (facts.charge.kind !== 'found') return null;
  const refunded = refundedMinor(facts);
  if (refunded === 0) return 'none';
  return refunded >= facts.charge.amountMinor ? 'full' : 'part';
}

/**
 * Whether the alert's money has gone back, or is on its way by our own refund, so that `REFUND` is
 * the true answer and nothing more is to be moved.
 *
 * @param smallerAllowed the alert may be about less than the charge: then reaching its amount is enough
 */
export function isSettled(facts: DecisionFacts, smallerAllowed: boolean): boolean {
  const { alert, charge, ownRefund, match } = facts;
  if (match.outcome !== 'single') return false;
  // A released authorisation charges nobody, whatever the amount was.
  if (ownRefund?.isVoid === true) return SETTLED.has(ownRefund.state) || isUnderWay(ownRefund);
  const covered = coveredMinor(facts);
  const currency = charge.kind === 'found' ? charge.currency : ownRefund?.currency;
  if (covered === 0 || alert.amountMinor === null || alert.currency !== currency) return false;
  if (covered < alert.amountMinor) return false;
  if (charge.kind !== 'found') return true;
  const wholeCharge = covered >= charge.amountMinor;
  return wholeCharge || alert.amountMinor === charge.amountMinor || smallerAllowed;
}

/** Whether the processor shows the whole charge as refunded. */
export function isWhollyRefunded(facts: DecisionFacts): boolean {
  const { charge } = facts;
  return (
    charge.kind === 'found' && charge.amountMinor > 0 && refundedMinor(facts) >= charge.amountMinor
  );
}

/** What a `REFUND` of this kind would move, in minor units. May be zero or less: then it may not be made. */
export function amountToRefund(
  amount: RefundAmount,
  facts: DecisionFacts,
  charge: FoundChargeInputs,
): number {
  if (amount === 'full') return charge.amountMinor;
  const claimed = Math.min(facts.alert.amountMinor ?? 0, charge.amountMinor);
  return claimed - refundedMinor(facts);
}
