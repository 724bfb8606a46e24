/**
 * What the charge allows, as the processor shows it now: the outcome table of the domain rules as one
 * pure function.
 *
 * Its order is the order of the questions: is our refund there already, can the processor be asked,
 * is this the alert's money at all, has it gone back already, may it go back, how much.
 */
import type { HoldReason } from '../cases/hold-reason.ts';
import { isCurrencyCode, isMovableAmount } from '../kernel/money.ts';
import type {
  Answer,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
} from './processor.ts';
import type { ChargeRules } from './refund-settings.ts';

/** What the alert claims. */
export interface ClaimedMoney {
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** What was decided. */
export interface DecidedMoney {
  /** The policy's amount; null: the alert's. */
  readonly amountMinor: number | null;
  /** A person decided: partial refunds are theirs to choose; what pays twice is not. */
  readonly byOperator: boolean;
}

/** Everything {@link assessCharge} looks at. */
export interface ChargeEvidence {
  readonly alert: ClaimedMoney;
  readonly decision: DecidedMoney;
  readonly charge: Answer<ProcessorCharge>;
  /** The refund under the key we would use. */
  readonly own: Answer<ProcessorRefund>;
  readonly capabilities: ProcessorCapabilities;
  readonly rules: ChargeRules;
}

/** What may be done about the charge. */
export type ChargeVerdict =
  /** Refund this much. */
  | {
      readonly kind: 'refund';
      readonly amountMinor: number;
      readonly externalMinor: number;
      readonly capturedMinor: number;
    }
  /** Our refund is there already (a restored backup, a second installation): book it, send nothing. */
  | {
      readonly kind: 'ours';
      readonly refund: ProcessorRefund;
      readonly externalMinor: number;
      readonly capturedMinor: number;
    }
  /** Somebody else refunded enough. */
  | {
      readonly kind: 'external';
      readonly reference: string;
      readonly externalMinor: number;
      readonly capturedMinor: number;
    }
  /** Authorised, not captured: release it. */
  | { readonly kind: 'void' }
  /** Never captured, and released already. */
  | { readonly kind: 'voided'; readonly reference: string }
  /** Nothing may be refunded; the dispute is accepted. */
  | { readonly kind: 'accept'; readonly reason: HoldReason; readonly creditClaim: boolean }
  /** A person decides. `creditClaim`: accepting is the natural end, and the alert's price comes back. */
  | { readonly kind: 'review'; readonly reason: HoldReason; readonly creditClaim: boolean }
  /** The processor could not be asked; ask again. */
  | { readonly kind: 'wait'; readonly reason: string };

/** Says what the charge allows. */
export function assessCharge(evidence: ChargeEvidence): ChargeVerdict {
  const { alert, charge, own } = evidence;
  if (own.kind === 'unavailable') return { kind: 'wait', reason: own.reason };
  if (own.kind === 'found') return assessOwn(own.value, charge);
  if (charge.kind === 'unavailable') return { kind: 'wait', reason: charge.reason };
  if (charge.kind === 'not_offered') return review('processor_cannot_be_asked');
  if (charge.kind === 'absent') return review('charge_absent');
  if (!isMovableAmount(alert.amountMinor) || !isCurrencyCode(alert.currency)) {
    return review('alert_amount_unreadable');
  }
  if (alert.currency !== charge.value.currency) return review('currency_differs');
  switch (charge.value.status) {
    case 'declined':
      return review('declined', true);
    case 'voided':
      return { kind: 'voided', reference: charge.value.reference };
    case 'authorised':
      return { kind: 'void' };
    case 'captured':
      return assessCaptured(evidence, charge.value, alert.amountMinor);
    default:
      return review('processor_cannot_be_asked');
  }
}

function review(reason: HoldReason, creditClaim = false): ChargeVerdict {
  return { kind: 'review', reason, creditClaim };
}

function assessOwn(refund: ProcessorRefund, charge: Answer<ProcessorCharge>): ChargeVerdict {
  // A key returns its first result for ever: repeating it would only repeat the failure.
  if (refund.status === 'failed') return review('key_failed');
  if (charge.kind !== 'found') {
    return { kind: 'ours', refund, externalMinor: 0, capturedMinor: refund.amountMinor };
  }
  const capturedMinor = Math.max(charge.value.amountMinor, refund.amountMinor);
  const others = charge.value.refunds.filter(({ reference }) => reference !== refund.reference);
  const externalMinor = Math.min(capturedMinor - refund.amountMinor, movedBy(others));
  return { kind: 'ours', refund, externalMinor, capturedMinor };
}

/** What refunds have moved or are about to move; failed ones moved nothing. */
function movedBy(refunds: readonly ProcessorRefund[]): number {
  return refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** What has gone back to the cardholder already. */
export interface Refunded {
  readonly settledMinor: number;
  readonly pendingMinor: number;
  /** How a person finds it: the first refund's reference, or the charge's when there is none. */
  readonly reference: string;
}

/**
 * Counts what was refunded: only what the processor lists. A charge with nothing left and no refund may
 * as well be past its refund window, and saying "refunded" about it would be false.
 */
export function refundedOf(charge: ProcessorCharge): Refunded {
  const moved = charge.refunds.filter(({ status }) => status !== 'failed');
  const pendingMinor = movedBy(moved.filter(({ status }) => status === 'pending'));
  return {
    settledMinor: movedBy(moved) - pendingMinor,
    pendingMinor,
    reference: moved[0]?.reference ?? charge.reference,
  };
}

/** Whether the bank has taken the money back: a dispute is open, nothing is left, and nobody refunded it. */
export function isChargedBack(charge: ProcessorCharge): boolean {
  const { settledMinor, pendingMinor } = refundedOf(charge);
  const isTaken = charge.refundableMinor === 0 && settledMinor + pendingMinor < charge.amountMinor;
  return charge.disputed && charge.status === 'captured' && isTaken;
}

function assessCaptured(
  evidence: ChargeEvidence,
  charge: ProcessorCharge,
  alertMinor: number,
): ChargeVerdict {
  const { capabilities, rules } = evidence;
  const { settledMinor, pendingMinor, reference } = refundedOf(charge);
  const refundedMinor = settledMinor + pendingMinor;
  const countedMinor = capabilities.pendingCounts ? refundedMinor : settledMinor;
  const capturedMinor = charge.amountMinor;
  if (countedMinor >= alertMinor) {
    const externalMinor = Math.min(countedMinor, capturedMinor);
    return { kind: 'external', reference, externalMinor, capturedMinor };
  }
  if (refundedMinor >= alertMinor) {
    return { kind: 'wait', reason: 'a refund by somebody else is pending at the processor' };
  }
  if (charge.disputed) {
    const chargedBack = isChargedBack(charge);
    return chargedBack || rules.disputed === 'ACCEPT_DISPUTE'
      ? { kind: 'accept', reason: 'disputed', creditClaim: chargedBack }
      : review('disputed');
  }
  return assessAmount(evidence, charge, { alertMinor, refundedMinor, pendingMinor });
}

interface Sums {
  readonly alertMinor: number;
  readonly refundedMinor: number;
  readonly pendingMinor: number;
}

function assessAmount(
  evidence: ChargeEvidence,
  charge: ProcessorCharge,
  sums: Sums,
): ChargeVerdict {
  const { decision, capabilities } = evidence;
  const { alertMinor, refundedMinor } = sums;
  const capturedMinor = charge.amountMinor;
  const objection = objectionTo(evidence, capturedMinor, sums);
  if (objection !== undefined) return review(objection);
  const wantedMinor = Math.min(decision.amountMinor ?? alertMinor, alertMinor - refundedMinor);
  const amountMinor = Math.min(wantedMinor, charge.refundableMinor);
  if (!isMovableAmount(amountMinor)) return review('remainder_too_small');
  if (refundedMinor + amountMinor < alertMinor) {
    return review(amountMinor < wantedMinor ? 'remainder_too_small' : 'amount_differs');
  }
  // Support refunding at the same moment: only a processor that refuses what exceeds the charge
  // stops the second one, and design.md leaves the rest to a person.
  if (amountMinor < capturedMinor && !capabilities.refusesOverRefund && !decision.byOperator) {
    return review('partial_needs_person');
  }
  return { kind: 'refund', amountMinor, externalMinor: refundedMinor, capturedMinor };
}

/** Why this alert's amount is not simply the charge's; a person may choose what a rule does not allow. */
function objectionTo(
  { decision, rules }: ChargeEvidence,
  capturedMinor: number,
  { alertMinor, refundedMinor, pendingMinor }: Sums,
): HoldReason | undefined {
  // The policy names an amount below the charge only where it allows one; a person always may.
  const isChosen =
    decision.byOperator || (decision.amountMinor !== null && decision.amountMinor < capturedMinor);
  // Above the charge (exchange rates): the sum could never reach the alert, so it could not be declared.
  if (alertMinor > capturedMinor) return 'amount_differs';
  if (alertMinor < capturedMinor && !isChosen && rules.smallerAmount !== 'ALLOW') {
    return refundedMinor > 0 ? 'partly_refunded' : 'amount_differs';
  }
  if (pendingMinor > 0) return 'partly_refunded';
  const mayTopUp = isChosen || rules.partlyRefunded === 'TOP_UP';
  return refundedMinor > 0 && !mayTopUp ? 'partly_refunded' : undefined;
}
