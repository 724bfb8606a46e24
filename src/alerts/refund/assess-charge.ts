/**
 * What the charge allows for one alert, as the ledger and the processor show it now: the outcome table
 * as one pure function.
 *
 * Its order is the order of the questions: has the money gone back already, is some of it on its way,
 * is this the alert's dispute at all, may money go, how much.
 */

import { isCurrencyCode, isMovableAmount } from '../../base/kernel/money.ts';
import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { ChargeRules } from '../guard/refund-settings.ts';
import type { Claim, Dispute, Ledger } from '../ledger/ledger.ts';
import {
  capturedMinor,
  disputeOf,
  foreignOut,
  inFlightOf,
  isAccepted,
  isCovered,
  isOurs,
  missingMinor,
  movementBehind,
  outForDispute,
  roomMinor,
  unnamedBefore,
  unsettledFor,
} from '../ledger/ledger.ts';
import { isChargedBack } from '../ledger/reading.ts';

/** What was decided. */
export interface DecidedMoney {
  /** The policy's or the person's amount; null: the alert's. */
  readonly amountMinor: number | null;
  /** What the amount is in. @default the charge's */
  readonly currency?: string | null;
  /** A person decided: partial refunds are theirs to choose; what pays twice is not. */
  readonly byOperator: boolean;
}

/** Everything {@link assessCharge} looks at. */
export interface ChargeEvidence {
  readonly ledger: Ledger;
  readonly claim: Claim;
  readonly decision: DecidedMoney;
  /** As the processor shows it; undefined: it knows none, or cannot be asked about charges. */
  readonly charge: ProcessorCharge | undefined;
  readonly isOffered: boolean;
  readonly capabilities: ProcessorCapabilities;
  readonly rules: ChargeRules;
}

/** What may be done about the charge. */
export type ChargeVerdict =
  | { readonly kind: 'refund'; readonly amountMinor: number; readonly disputeId: string }
  /** Authorised, not captured: release it. */
  | { readonly kind: 'void'; readonly disputeId: string }
  /** The money has gone back: `REFUND` is true as it stands. */
  | { readonly kind: 'covered'; readonly movementId: string | null }
  /** Our own refund for the dispute is on its way: wait for it. */
  | { readonly kind: 'under_way'; readonly movementId: string }
  /** Nothing may be refunded; the dispute is accepted. */
  | { readonly kind: 'accept'; readonly chargedBack: boolean }
  /** A person decides. */
  | { readonly kind: 'review'; readonly reason: HoldReason }
  /** Not now; ask again. */
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly error: string };

/** Why a refund has to wait. */
type WaitReason = Extract<HoldReason, 'refund_under_way' | 'refund_pending_elsewhere'>;

/** Says what the charge allows. */
export function assessCharge(evidence: ChargeEvidence): ChargeVerdict {
  const { ledger, claim, charge, capabilities } = evidence;
  if (isCovered(ledger, claim, capabilities.pendingCounts)) {
    return { kind: 'covered', movementId: movementBehind(ledger, claim)?.id ?? null };
  }
  const own = unsettledFor(ledger, claim.disputeId)?.id;
  if (own !== undefined) return { kind: 'under_way', movementId: own };
  if (!evidence.isOffered) return review('processor_cannot_be_asked');
  if (charge === undefined) return review('charge_absent');
  if (!isMovableAmount(claim.amountMinor) || !isCurrencyCode(claim.currency)) {
    return review('alert_amount_unreadable');
  }
  const dispute = disputeOf(ledger, claim.disputeId);
  if (dispute === undefined) return review('dispute_unclear');
  if (isAccepted(ledger, dispute.id)) return review('another_alert_accepted');
  const doubt = doubtAbout(ledger);
  if (doubt !== undefined) return review(doubt);
  if (inFlightOf(ledger) !== undefined) {
    return {
      kind: 'wait',
      reason: 'refund_under_way',
      error: 'another refund of the charge waits for its answer',
    };
  }
  if (isNamedInOther(evidence.decision, charge)) return review('currency_differs');
  switch (charge.status) {
    case 'declined':
      return review('declined');
    case 'authorised':
      return isAboutAllOf(charge, evidence)
        ? { kind: 'void', disputeId: dispute.id }
        : review('amount_differs');
    case 'captured':
      return assessCaptured({
        ...evidence,
        charge,
        dispute,
        alertMinor: inChargesCurrency(evidence),
      });
    default:
      return review('processor_cannot_be_asked');
  }
}

/** What may be about this charge, and nobody can say: a refund beside it may be paid twice. */
function doubtAbout({ networkInDoubt, acceptanceInDoubt }: Ledger): HoldReason | undefined {
  if (networkInDoubt !== null) return 'network_refund_unclear';
  return acceptanceInDoubt === null ? undefined : 'acceptance_unclear';
}

/** An amount was named in another currency than the charge's, which was not known then. */
function isNamedInOther(decision: DecidedMoney, charge: ProcessorCharge): boolean {
  return (
    decision.amountMinor !== null && (decision.currency ?? charge.currency) !== charge.currency
  );
}

/**
 * Whether all of an authorisation is meant. A release gives back all of it, so it is no answer to a part, whoever
 * asks for one.
 */
function isAboutAllOf(
  { amountMinor, currency }: ProcessorCharge,
  { claim, decision }: ChargeEvidence,
): boolean {
  const named = decision.amountMinor;
  if (named !== null && named < amountMinor) return false;
  if (claim.currency === currency) return (claim.amountMinor ?? 0) >= amountMinor;
  return decision.byOperator || named !== null;
}

function review(reason: HoldReason): ChargeVerdict {
  return { kind: 'review', reason };
}

/** What the alert asks for. In another currency that cannot be compared: all of the charge. */
function inChargesCurrency({ claim, ledger }: ChargeEvidence): number {
  const captured = capturedMinor(ledger);
  return claim.currency === ledger.currency ? (claim.amountMinor ?? captured) : captured;
}

interface Captured extends ChargeEvidence {
  readonly charge: ProcessorCharge;
  readonly dispute: Dispute;
  /** In the charge's currency. */
  readonly alertMinor: number;
}

function assessCaptured(evidence: Captured): ChargeVerdict {
  const { ledger, charge, dispute, rules, claim } = evidence;
  const pendingMinor = pendingElsewhere(ledger, dispute);
  const goneMinor = outForDispute(ledger, dispute.id);
  if (pendingMinor > 0 && goneMinor >= Math.min(evidence.alertMinor, dispute.amountMinor)) {
    return {
      kind: 'wait',
      reason: 'refund_pending_elsewhere',
      error: 'a refund by somebody else is pending at the processor',
    };
  }
  if (charge.disputed) {
    const chargedBack = isChargedBack(charge);
    return chargedBack || rules.disputed === 'ACCEPT_DISPUTE'
      ? { kind: 'accept', chargedBack }
      : review('disputed');
  }
  const isForeign = claim.currency !== charge.currency;
  if (isForeign && !isAllOfIt(evidence)) return review('currency_differs');
  const isUnnamed = unnamedBefore(ledger, dispute).length > 0;
  const objection = objectionTo(evidence, { goneMinor, pendingMinor, isUnnamed });
  return objection === undefined ? assessAmount(evidence) : review(objection);
}

/** An amount was named that sends back the whole charge, whatever the alert's own currency. */
function isAllOfIt({ decision, ledger }: Captured): boolean {
  if (decision.byOperator) return true;
  return decision.amountMinor !== null && decision.amountMinor >= capturedMinor(ledger);
}

function pendingElsewhere({ movements }: Ledger, { id }: Dispute): number {
  return movements
    .filter((each) => !isOurs(each) && each.state === 'PENDING')
    .flatMap(({ covers }) => covers)
    .filter(({ disputeId }) => disputeId === id)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** Why this alert's amount is not simply the charge's; a person may choose what a rule does not allow. */
function objectionTo(
  { ledger, decision, rules, alertMinor }: Captured,
  {
    goneMinor,
    pendingMinor,
    isUnnamed,
  }: { readonly goneMinor: number; readonly pendingMinor: number; readonly isUnnamed: boolean },
): HoldReason | undefined {
  const captured = capturedMinor(ledger);
  if (decision.byOperator) return undefined;
  // The policy names an amount below the charge only where it allows one.
  const isChosen = decision.amountMinor !== null && decision.amountMinor < captured;
  const isWholeNamed = decision.amountMinor !== null && decision.amountMinor >= captured;
  // Above the charge (exchange rates): only where the policy has named the whole charge.
  if (alertMinor > captured && !isWholeNamed) return 'amount_differs';
  if (alertMinor < captured && !isChosen && rules.smallerAmount !== 'ALLOW') {
    return goneMinor > 0 ? 'partly_refunded' : 'amount_differs';
  }
  // A part may have been answered before the complaint was known: only a person can say.
  if (alertMinor < captured && isUnnamed) return 'partly_refunded';
  if (pendingMinor > 0) return 'partly_refunded';
  const mayTopUp = isChosen || rules.partlyRefunded === 'TOP_UP';
  return goneMinor > 0 && !mayTopUp ? 'partly_refunded' : undefined;
}

function assessAmount(evidence: Captured): ChargeVerdict {
  const { ledger, charge, dispute, decision, capabilities, alertMinor } = evidence;
  const captured = capturedMinor(ledger);
  const missing = missingMinor(ledger, dispute);
  const wantedMinor = Math.min(decision.amountMinor ?? missing, missing);
  if (foreignOut(ledger).length > 0) return review('network_currency');
  const amountMinor = Math.min(wantedMinor, roomMinor(ledger), charge.refundableMinor);
  if (!isMovableAmount(amountMinor)) return review('remainder_too_small');
  const reached = outForDispute(ledger, dispute.id) + amountMinor;
  // A person may send back less than the alert asks for; what is missing then stays theirs to decide.
  const isLess = reached < Math.min(alertMinor, dispute.amountMinor);
  const isChosenByPerson = decision.byOperator && decision.amountMinor !== null;
  if (isLess && !isChosenByPerson) {
    return review(amountMinor < wantedMinor ? 'remainder_too_small' : 'amount_differs');
  }
  // Support refunding at the same moment: only a processor that refuses what exceeds the charge
  // stops the second one, so the rest is left to a person.
  if (amountMinor < captured && !capabilities.refusesOverRefund && !decision.byOperator) {
    return review('partial_needs_person');
  }
  return { kind: 'refund', amountMinor, disputeId: dispute.id };
}
