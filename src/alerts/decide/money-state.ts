/**
 * What the charge's account says about an alert, what an answer would move, and the outcome table about it (`ledger/verdict.ts`),
 * as the facts of a decision have them. Pure.
 *
 * The account is the ledger's view (`AccountInputs`). Decisions that versions before the ledger stored
 * carry one refund row instead; it is read as an account with that one movement.
 */
import { claimSourceOf } from '../cases/claim.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { Intent, Moment, ShownNow, Standing, Verdict } from '../ledger/verdict.ts';
import { reasonsOn, verdictOn } from '../ledger/verdict.ts';
import type {
  AccountInputs,
  CaseFacts,
  ChargeInputs,
  DecisionFacts,
  FoundChargeInputs,
  OwnRefundInputs,
} from './facts.ts';
import type { Intent as GuardedIntent } from './guard.ts';
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
export function refundedMinor(facts: CaseFacts): number {
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
 * What the outcome table looks at. A decision that was stored without it, or before there was a ledger, is read from what it
 * has: of the charge as the processor listed it, and of one movement.
 */
function standingIn(facts: CaseFacts): Standing {
  const { standing } = accountOf(facts);
  // A request for another dispute is waited for by the step that would send as well.
  return standing === undefined ? standingOfEarlier(facts) : { ...standing, isInFlight: false };
}

function standingOfEarlier(facts: CaseFacts): Standing {
  const { alert, charge } = facts;
  const account = accountOf(facts);
  const { isCovered, isAccepted, isReversed, outMinor, reference } = account;
  const { amountMinor, currency } = alert;
  const found = charge.kind === 'found' ? charge : undefined;
  const all = found?.amountMinor ?? 0;
  const disputeMinor = isForeign(facts) ? all : Math.min(amountMinor ?? all, all);
  const isUnclear = account.dispute === 'unclear';
  const objection = {
    kind: 'part_went_back',
    ...{ amountMinor: outMinor, currency: found?.currency ?? '', movementId: reference ?? '' },
  } as const;
  return {
    ...{ amountMinor, currency, isCovered, outMinor, disputeMinor },
    coveredBy: reference,
    underWay: underWayIn(facts),
    isInFlight: false,
    disputeId: isUnclear ? null : (account.disputeId ?? alert.id),
    pendingMinor: found === undefined || account.underWay !== null ? 0 : found.pendingMinor,
    missingMinor: Math.max(0, disputeMinor - outMinor),
    capturedMinor: all,
    roomMinor: found?.refundableMinor ?? 0,
    isOlderUnnamed: (account.unnamedMinor ?? 0) > 0,
    isForeign: false,
    ...{ isUnclear, isAccepted, isReversed },
    isRefundAhead: account.isRefundAhead ?? false,
    isRefusedForGood: account.refusal?.failureClass === 'final',
    networkInDoubtMs: null,
    acceptanceInDoubtMs: null,
    objection: outMinor > 0 ? objection : null,
    isThroughAnother: false,
    made: null,
  };
}

function isForeign({ alert, charge }: CaseFacts): boolean {
  return charge.kind === 'found' && alert.currency !== charge.currency;
}

function underWayIn(facts: CaseFacts): Standing['underWay'] {
  const { underWay, outMinor } = accountOf(facts);
  if (underWay === null) return null;
  const { amountMinor } = facts.alert;
  const isEnough = amountMinor !== null && !isForeign(facts) && outMinor >= amountMinor;
  return { id: underWay.id, reaches: underWay.isVoid || isEnough };
}

function momentIn(facts: CaseFacts): Moment {
  const { charge, now, deadlineAt, refundGuardMs, alert } = facts;
  const isOwed = claimSourceOf(alert.enrolmentType) !== undefined;
  return {
    charge: shownIn(charge),
    refusesOverRefund: charge.kind !== 'found' || (charge.refusesOverRefund ?? true),
    isTimeLeft: isOwed || Date.parse(deadlineAt) - Date.parse(now) >= refundGuardMs,
  };
}

function shownIn(charge: ChargeInputs): ShownNow {
  if (charge.kind === 'found') return { ...charge, isChargedBack: charge.isChargedBack ?? false };
  return { kind: charge.kind === 'none' ? 'not_offered' : charge.kind };
}

const BY = { policy: 'policy', fallback: 'fallback', operator: 'person' } as const;

/** What the charge allows of what somebody wants; with nothing wanted, whether anything holds every answer. */
export function verdictIn(facts: CaseFacts, intent: GuardedIntent | null): Verdict {
  return verdictOn(standingIn(facts), intentIn(facts, intent), momentIn(facts));
}

/** Why the table holds what somebody wants: every reason, the first one first. */
export function reasonsIn(facts: CaseFacts, wanted: GuardedIntent | null): readonly HoldReason[] {
  const standing = standingIn(facts);
  const { isCovered, underWay } = standing;
  if (isCovered || underWay !== null) {
    return isCovered || underWay?.reaches === true ? [] : ['refund_under_way'];
  }
  return reasonsOn(standing, intentIn(facts, wanted), momentIn(facts));
}

function intentIn(facts: CaseFacts, wanted: GuardedIntent | null): Intent {
  const by = BY[wanted?.occasion ?? 'policy'];
  switch (wanted?.action) {
    case 'ACCEPT_DISPUTE':
      return { action: 'ACCEPT_DISPUTE', by };
    case 'REFUND':
    case 'REFUND_AND_CANCEL': {
      const { charge } = facts;
      const { amount: named } = wanted;
      const amountMinor = charge.kind === 'found' ? amountToRefund(named, facts, charge) : null;
      return { action: 'REFUND', by, named, amountMinor };
    }
    default:
      return { action: 'REVIEW', by };
  }
}

/**
 * Whether the alert's money has gone back, or is on its way by our own refund, so that `REFUND` is
 * the true answer and nothing more is to be moved.
 */
export function isSettled(facts: DecisionFacts): boolean {
  if (facts.match.outcome !== 'single') return false;
  const { isCovered, underWay } = standingIn(facts);
  return isCovered || underWay?.reaches === true;
}

/** What a `REFUND` of this kind would move, in minor units. May be zero or less: then it may not be made. */
export function amountToRefund(
  amount: RefundAmount,
  facts: CaseFacts,
  charge: FoundChargeInputs,
): number {
  if (amount === 'full' || amount === 'whole_charge') return charge.amountMinor;
  const claimed = Math.min(facts.alert.amountMinor ?? 0, charge.amountMinor);
  return claimed - refundedMinor(facts);
}
