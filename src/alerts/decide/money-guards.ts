/**
 * The guards about money: the outcome table (`ledger/verdict.ts`) says which of them speaks, if any; what each says in words, and
 * what it leaves of a fallback, is here.
 *
 * They are asked after the frame guards, and only where the alert's money has not gone back already
 * (that is answered `REFUND` without moving anything).
 */
import { formatMoney } from '../../base/kernel/money.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { DecisionFacts, FoundChargeInputs } from './facts.ts';
import type { Guard, Intent } from './guard.ts';
import { accountOf, amountToRefund, reasonsIn, refundedMinor } from './money-state.ts';

/** What {@link moneyGuard} leaves to the default. */
interface MoneyGuard extends Partial<Omit<Guard, 'check' | 'name'>> {
  readonly name: HoldReason;
  readonly sentence: (facts: DecisionFacts, intent: Intent | null) => string;
}

/** Most guards about money stop a refund, and leave accepting the dispute to the policy. */
function moneyGuard({ sentence, ...guard }: MoneyGuard): Guard {
  return {
    ...{ stops: 'refund', effect: 'review', fallbacks: 'accept' },
    ...guard,
    check: (facts, intent) =>
      reasonsIn(facts, intent).includes(guard.name) ? sentence(facts, intent) : undefined,
  };
}

/** In the order of the table. */
export const MONEY_GUARDS: readonly Guard[] = [
  moneyGuard({
    name: 'processor_unavailable',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    sentence: ({ charge }) =>
      `the processor could not be asked about the charge (${charge.kind === 'unavailable' ? charge.reason : ''})`,
  }),
  moneyGuard({
    name: 'refund_under_way',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    sentence: () =>
      'a refund for this dispute is under way that does not reach the amount of this alert',
  }),
  moneyGuard({
    name: 'dispute_unclear',
    stops: 'everything',
    sentence: (facts) =>
      `another complaint about the charge is known, and ${accountOf(facts).unclearBecause ?? 'nobody knows whether it is the same'}`,
  }),
  moneyGuard({
    name: 'another_refund_ahead',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    sentence: () =>
      'another alert about the charge is to be refunded, and accepting this one would stop that',
  }),
  moneyGuard({
    name: 'refund_reversed',
    stops: 'everything',
    sentence: () => 'an earlier refund for this dispute failed after it had been confirmed',
  }),
  moneyGuard({
    name: 'charge_absent',
    stops: 'everything',
    sentence: () => 'the processor does not know the charge',
  }),
  moneyGuard({
    name: 'refund_pending_elsewhere',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    sentence: ({ charge }) =>
      charge.kind === 'found' && charge.pendingMinor > 0
        ? `a refund of ${money(charge.pendingMinor, charge)} by somebody else is pending at the processor`
        : 'the network has not said yet whether it refunded, or how much',
  }),
  moneyGuard({
    name: 'processor_cannot_be_asked',
    sentence: () => 'the processor does not say what is left of a charge',
  }),
  moneyGuard({
    name: 'another_alert_accepted',
    sentence: () => 'another alert about the same dispute was answered ACCEPT_DISPUTE',
  }),
  moneyGuard({
    name: 'refund_rejected',
    sentence: (facts) => {
      const code = accountOf(facts).refusal?.code ?? null;
      return `the processor refused for good to refund this dispute before${code === null ? '' : ` (${code})`}`;
    },
  }),
  moneyGuard({
    name: 'network_refund_unclear',
    stops: 'everything',
    fallbacks: 'any',
    retry: true,
    sentence: () =>
      'the network refunded a payment (RDR) that may be this one, and nobody can say which',
  }),
  moneyGuard({
    name: 'acceptance_unclear',
    sentence: () =>
      'an alert that was accepted for no charge may be about this one, and a refund beside it may be paid twice',
  }),
  moneyGuard({
    name: 'part_went_back',
    stops: 'everything',
    fallbacks: 'none',
    sentence: () => 'money went back for this dispute, so accepting it would pay that part twice',
  }),
  moneyGuard({
    name: 'declined',
    sentence: ({ charge }) =>
      `the payment was ${charge.kind === 'found' ? charge.status : 'declined'}: there is nothing to refund`,
  }),
  moneyGuard({
    name: 'disputed',
    sentence: () => 'a dispute is open at the processor: a refund would be paid twice',
  }),
  chargeGuard(
    'currency_differs',
    ({ currency }, { alert }) => `the alert is in ${alert.currency}, the charge in ${currency}`,
  ),
  chargeGuard(
    'amount_differs',
    (charge, { alert }) =>
      `the alert is about ${money(alert.amountMinor ?? 0, charge)}, the charge about ${money(charge.amountMinor, charge)}`,
  ),
  chargeGuard('partly_refunded', (charge, facts) => {
    const { unnamedMinor = 0 } = accountOf(facts);
    return unnamedMinor > 0
      ? `${money(unnamedMinor, charge)} of the charge went back before the complaint, and nobody has said whether that was for it`
      : `${money(refundedMinor(facts), charge)} of the charge were refunded before, and the policy asks for the full amount`;
  }),
  moneyGuard({
    name: 'network_currency',
    sentence: () => 'the network refunded (RDR) in another currency',
  }),
  chargeGuard('remainder_too_small', (charge, facts, intent) => {
    const wantedMinor = intent === null ? 0 : amountToRefund(intent.amount, facts, charge);
    return `${money(wantedMinor, charge)} would have to be refunded, and ${money(charge.refundableMinor, charge)} are left of the charge`;
  }),
  moneyGuard({
    name: 'partial_needs_person',
    sentence: () =>
      'a part of the charge would be refunded, and the processor does not refuse a refund above what is left',
  }),
  moneyGuard({
    name: 'another_processor',
    sentence: () =>
      'money of this charge went through another processor, and what this one shows may be another charge',
  }),
  moneyGuard({
    name: 'too_late',
    sentence: ({ refundGuardMs }) =>
      `less than ${Math.round(refundGuardMs / 60_000)} minutes are left before the deadline, too little to refund safely`,
  }),
];

/** A guard that speaks only of a charge as the processor shows it. */
function chargeGuard(
  name: HoldReason,
  words: (charge: FoundChargeInputs, facts: DecisionFacts, intent: Intent | null) => string,
): Guard {
  return moneyGuard({
    name,
    sentence: (facts, intent) =>
      facts.charge.kind === 'found'
        ? words(facts.charge, facts, intent)
        : 'the processor does not show the charge',
  });
}

function money(amountMinor: number, { currency }: FoundChargeInputs): string {
  return formatMoney({ amountMinor, currency });
}
