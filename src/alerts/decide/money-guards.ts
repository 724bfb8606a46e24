/**
 * The guards about money: what the processor shows of the charge, and what our own books hold.
 *
 * They are asked after the frame guards, and only where the alert's money has not gone back already
 * (that is answered `REFUND` without moving anything).
 */
import { formatMoney } from '../../base/kernel/money.ts';
import { claimSourceOf } from '../cases/claim.ts';
import type { DecisionFacts, FoundChargeInputs } from './facts.ts';
import type { Guard, Intent } from './guard.ts';
import { accountOf, amountToRefund, refundedMinor } from './money-state.ts';

/** What {@link moneyGuard} leaves to the default. */
interface MoneyGuard extends Partial<Omit<Guard, 'check' | 'name'>> {
  readonly name: string;
  readonly check: Guard['check'];
}

/** Most guards about money stop a refund, and leave accepting the dispute to the policy. */
function moneyGuard(guard: MoneyGuard): Guard {
  return { stops: 'refund', effect: 'review', fallbacks: 'accept', ...guard };
}

/** A guard that needs the charge as the processor shows it. */
function chargeGuard(
  guard: Omit<MoneyGuard, 'check'>,
  check: (
    charge: FoundChargeInputs,
    facts: DecisionFacts,
    intent: Intent | null,
  ) => string | undefined,
): Guard {
  return moneyGuard({
    ...guard,
    check: (facts, intent) =>
      facts.charge.kind === 'found' ? check(facts.charge, facts, intent) : undefined,
  });
}

export const MONEY_GUARDS: readonly Guard[] = [
  moneyGuard({
    name: 'processor_unavailable',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    check: ({ charge }) =>
      charge.kind === 'unavailable'
        ? `the processor could not be asked about the charge (${charge.reason})`
        : undefined,
  }),
  moneyGuard({
    name: 'refund_under_way',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    check: (facts) =>
      accountOf(facts).underWay === null
        ? undefined
        : 'a refund for this dispute is under way that does not reach the amount of this alert',
  }),
  moneyGuard({
    name: 'dispute_unclear',
    stops: 'everything',
    check: (facts) => {
      const { dispute, unclearBecause } = accountOf(facts);
      return dispute === 'unclear'
        ? `another complaint about the charge is known, and ${unclearBecause ?? 'nobody knows whether it is the same'}`
        : undefined;
    },
  }),
  moneyGuard({
    name: 'another_refund_ahead',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    check: (facts) => {
      const { dispute, isRefundAhead } = accountOf(facts);
      return dispute === 'unclear' && isRefundAhead === true
        ? 'another alert about the charge is to be refunded, and accepting this one would stop that'
        : undefined;
    },
  }),
  moneyGuard({
    name: 'refund_reversed',
    stops: 'everything',
    check: (facts) =>
      accountOf(facts).isReversed
        ? 'an earlier refund for this dispute failed after it had been confirmed'
        : undefined,
  }),
  moneyGuard({
    name: 'charge_absent',
    stops: 'everything',
    check: ({ charge }) =>
      charge.kind === 'absent' ? 'the processor does not know the charge' : undefined,
  }),
  moneyGuard({
    name: 'processor_cannot_be_asked',
    check: ({ charge }) =>
      charge.kind === 'not_offered' || charge.kind === 'none'
        ? 'the processor does not say what is left of a charge'
        : undefined,
  }),
  chargeGuard(
    { name: 'refund_pending_elsewhere', stops: 'everything', fallbacks: 'any', retry: true },
    ({ pendingMinor, currency }, facts) =>
      // One of ours was dealt with above: the alert joined it, or is held because of it.
      pendingMinor > 0 && accountOf(facts).underWay === null
        ? `a refund of ${formatMoney({ amountMinor: pendingMinor, currency })} by somebody else is pending at the processor`
        : undefined,
  ),
  moneyGuard({
    name: 'part_went_back',
    stops: 'everything',
    fallbacks: 'none',
    check: (facts, intent) =>
      intent?.action === 'ACCEPT_DISPUTE' && accountOf(facts).outMinor > 0
        ? 'money went back for this dispute, so accepting it would pay that part twice'
        : undefined,
  }),
  moneyGuard({
    name: 'another_alert_accepted',
    check: (facts) =>
      accountOf(facts).isAccepted
        ? 'another alert about the same dispute was answered ACCEPT_DISPUTE'
        : undefined,
  }),
  moneyGuard({
    name: 'refund_rejected',
    check: (facts) => {
      const { refusal } = accountOf(facts);
      if (refusal?.failureClass !== 'final') return undefined;
      const code = refusal.code === null ? '' : ` (${refusal.code})`;
      return `the processor refused for good to refund this dispute before${code}`;
    },
  }),
  chargeGuard({ name: 'declined' }, ({ status }) =>
    status === 'declined' || status === 'voided'
      ? `the payment was ${status}: there is nothing to refund`
      : undefined,
  ),
  chargeGuard({ name: 'disputed' }, ({ disputed }) =>
    disputed ? 'a dispute is open at the processor: a refund would be paid twice' : undefined,
  ),
  chargeGuard({ name: 'currency_differs' }, (charge, { alert }, intent) =>
    alert.currency === charge.currency || intent?.amount === 'whole_charge'
      ? undefined
      : `the alert is in ${alert.currency ?? 'no currency'}, the charge in ${charge.currency}`,
  ),
  chargeGuard({ name: 'amount_differs' }, amountDiffers),
  chargeGuard({ name: 'partly_refunded' }, (charge, facts, intent) => {
    const refunded = refundedMinor(facts);
    const { unnamedMinor = 0 } = accountOf(facts);
    if (unnamedMinor > 0 && isPart(charge, facts)) {
      return `${money(unnamedMinor, charge)} of the charge went back before the complaint, and nobody has said whether that was for it`;
    }
    return refunded > 0 && intent?.amount === 'full'
      ? `${money(refunded, charge)} of the charge were refunded before, and the policy asks for the full amount`
      : undefined;
  }),
  chargeGuard({ name: 'remainder_too_small' }, remainderTooSmall),
  moneyGuard({
    name: 'too_late',
    check: ({ now, deadlineAt, refundGuardMs, alert }) =>
      claimSourceOf(alert.enrolmentType) !== undefined ||
      Date.parse(deadlineAt) - Date.parse(now) >= refundGuardMs
        ? undefined
        : `less than ${Math.round(refundGuardMs / 60_000)} minutes are left before the deadline, too little to refund safely`,
  }),
];

function isPart({ amountMinor, currency }: FoundChargeInputs, { alert }: DecisionFacts): boolean {
  return alert.currency === currency && (alert.amountMinor ?? 0) < amountMinor;
}

/** Above the charge never; below it only where the policy says `alert_amount` of a captured payment. */
function amountDiffers(
  charge: FoundChargeInputs,
  { alert }: DecisionFacts,
  intent: Intent | null,
): string | undefined {
  const amountMinor = alert.amountMinor ?? 0;
  if (amountMinor === charge.amountMinor || alert.currency !== charge.currency) return undefined;
  // The policy has compared the amounts by the merchant's own tolerance.
  if (intent?.amount === 'whole_charge' && amountMinor > charge.amountMinor) return undefined;
  const smaller = amountMinor < charge.amountMinor;
  const allowed = intent?.amount === 'alert_amount' && charge.status === 'captured';
  if (smaller && allowed) return undefined;
  return `the alert is about ${money(amountMinor, charge)}, the charge about ${money(charge.amountMinor, charge)}`;
}

function remainderTooSmall(
  charge: FoundChargeInputs,
  facts: DecisionFacts,
  intent: Intent | null,
): string | undefined {
  // An authorisation that was not captured is released, not refunded.
  if (charge.status === 'authorised' || intent === null) return undefined;
  const amountMinor = amountToRefund(intent.amount, facts, charge);
  if (amountMinor >= 1 && amountMinor <= charge.refundableMinor) return undefined;
  return `${money(amountMinor, charge)} would have to be refunded, and ${money(charge.refundableMinor, charge)} are left of the charge`;
}

function money(amountMinor: number, { currency }: FoundChargeInputs): string {
  return formatMoney({ amountMinor, currency });
}
