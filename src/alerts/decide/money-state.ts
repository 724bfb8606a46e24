/**
 * What the charge's account says about an alert, and what an answer would move. Pure.
 *
 * The account is the ledger's view (`AccountInputs`). Decisions that versions before the ledger stored
 * carry one refund row instead; it is read as an account with that one movement.
 */
import type {
  AccountInputs,
  CaseFacts,
  DecisionFacts,
  FoundChargeInputs,
  OwnRefundInputs,
} from './facts.ts';
import type { RefundAmount } from './policy.ts';

const NOTHING: AccountInputs = {
  disputeId: null,
  dispute: 'first',
  unclearBecause: null,
  isCovered: false,
  coveredMinor: 0,
  outMinor: 0,
  chargeOutMinor: 0,
  underWay: null,
  isAccepted: false,
  isReversed: false,
  refusal: null,
  refundedBy: null,
  reference: null,
};

/** The account of the alert's charge, as it was when the facts were gathered. */
export function accountOf(facts: CaseFacts): AccountInputs {
  if (facts.account !== undefined) return facts.account ?? NOTHING;
  return facts.ownRefund == null ? fromList(facts) : fromRow(facts, facts.ownRefund);
}

/** Facts of an earlier version without a refund of ours: what the processor listed is all there is. */
function fromList(facts: CaseFacts): AccountInputs {
  const listed = facts.charge.kind === 'found' ? facts.charge.refundedMinor : 0;
  return listed === 0 ? NOTHING : withCover(facts, { coveredMinor: listed, refundedBy: 'support' });
}

function fromRow(facts: CaseFacts, row: OwnRefundInputs): AccountInputs {
  const listed = facts.charge.kind === 'found' ? facts.charge.refundedMinor : 0;
  const bookedMinor = row.amountMinor + row.externalMinor;
  const isSettled = row.state === 'CONFIRMED' || row.state === 'EXTERNAL';
  const isUnderWay = ['INTENT', 'SENT', 'UNKNOWN', 'PENDING', 'HUMAN'].includes(row.state);
  const account = withCover(facts, {
    coveredMinor: Math.max(listed, isSettled ? bookedMinor : 0),
    refundedBy: row.amountMinor > 0 ? 'us' : 'support',
  });
  return {
    ...account,
    isCovered: account.isCovered || (row.isVoid && isSettled),
    outMinor: Math.max(account.coveredMinor, isUnderWay ? bookedMinor : 0),
    underWay: isUnderWay ? { id: row.id, amountMinor: bookedMinor, isVoid: row.isVoid } : null,
    isReversed: row.state === 'REVERSED',
    refusal: row.state === 'REJECTED' ? { code: null, failureClass: 'final' } : null,
    reference: row.id,
  };
}

function withCover(
  facts: CaseFacts,
  { coveredMinor, refundedBy }: Pick<AccountInputs, 'coveredMinor' | 'refundedBy'>,
): AccountInputs {
  const { alert, charge } = facts;
  const currency = charge.kind === 'found' ? charge.currency : facts.ownRefund?.currency;
  const isWhole = charge.kind === 'found' && coveredMinor >= charge.amountMinor;
  const reaches =
    alert.amountMinor !== null && alert.currency === currency && coveredMinor >= alert.amountMinor;
  return {
    ...NOTHING,
    coveredMinor,
    outMinor: coveredMinor,
    chargeOutMinor: coveredMinor,
    isCovered: coveredMinor > 0 && (isWhole || reaches),
    refundedBy,
  };
}

/** What went back for the alert's dispute for certain, in minor units of the charge's currency. */
export function refundedMinor(facts: DecisionFacts): number {
  return accountOf(facts).coveredMinor;
}

/** `none`, `part` or `full`; null when the processor did not show the charge. */
export function refundedShare(facts: DecisionFacts): 'none' | 'part' | 'full' | null {
  const { charge } = facts;
  if (charge.kind !== 'found') return null;
  const refunded = Math.max(charge.refundedMinor, refundedMinor(facts));
  if (refunded === 0) return 'none';
  return refunded >= charge.amountMinor ? 'full' : 'part';
}

/**
 * Whether the alert's money has gone back, or is on its way by our own refund, so that `REFUND` is
 * the true answer and nothing more is to be moved.
 */
export function isSettled(facts: DecisionFacts): boolean {
  if (facts.match.outcome !== 'single') return false;
  const { isCovered, underWay, outMinor } = accountOf(facts);
  if (isCovered) return true;
  if (underWay === null) return false;
  const { alert, charge } = facts;
  if (underWay.isVoid) return true;
  const isSameCurrency = charge.kind !== 'found' || alert.currency === charge.currency;
  return alert.amountMinor !== null && isSameCurrency && outMinor >= alert.amountMinor;
}

/** What a `REFUND` of this kind would move, in minor units. May be zero or less: then it may not be made. */
export function amountToRefund(
  amount: RefundAmount,
  facts: DecisionFacts,
  charge: FoundChargeInputs,
): number {
  if (amount === 'full' || amount === 'whole_charge') return charge.amountMinor;
  const claimed = Math.min(facts.alert.amountMinor ?? 0, charge.amountMinor);
  return claimed - refundedMinor(facts);
}
