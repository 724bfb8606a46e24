/** Says a decision in a sentence: what, how much, and why. */
import { utcWords } from '../../base/kernel/instant.ts';
import { formatMoney, isCurrencyCode } from '../../base/kernel/money.ts';
import type { DecidedFallback } from './decision.ts';
import type { DecisionFacts } from './facts.ts';
import type { GuardHit } from './guard.ts';
import { alertMoneyText } from './guards.ts';
import { accountOf } from './money-state.ts';
import type { PolicyAnswer, RefundAmount } from './policy.ts';

const AMOUNT_TEXT: Readonly<Record<RefundAmount, string>> = {
  full: 'in full',
  remainder: 'as the remainder of the charge',
  alert_amount: 'as the amount of the alert',
  whole_charge: 'as the whole charge',
};

/** What a decided amount is in: the charge's currency, where the charge is known. */
export function moneyCurrency({ charge, alert }: DecisionFacts): string | null {
  return charge.kind === 'found' ? charge.currency : alert.currency;
}

/** A refund or an acceptance. */
export function answerSentence(
  answer: PolicyAnswer,
  about: {
    readonly facts: DecisionFacts;
    readonly amountMinor: number | null;
    readonly why: string;
  },
): string {
  const { facts, amountMinor, why } = about;
  if (answer.action === 'ACCEPT_DISPUTE') {
    return `Accept the dispute of ${alertMoneyText(facts.alert)}: ${why}.`;
  }
  const { charge } = facts;
  const amount = moneyText(amountMinor, moneyCurrency(facts));
  return charge.kind === 'found' && charge.status === 'authorised'
    ? `Release the authorisation of ${amount}, which was never captured: ${why}.`
    : `Refund ${amount} ${AMOUNT_TEXT[answer.amount]}: ${why}.`;
}

/** The money has gone back, or is about to, without this alert. */
export function settledSentence(facts: DecisionFacts, why: string): string {
  const { isCovered, underWay, reference: known } = accountOf(facts);
  const amount = alertMoneyText(facts.alert);
  if (!isCovered && underWay !== null) {
    return `Answer REFUND once refund ${underWay.id} of the same dispute is through, which covers these ${amount}: ${why}. Nothing is refunded again.`;
  }
  const listed = facts.charge.kind === 'found' ? facts.charge.refundReference : null;
  const reference = known ?? listed ?? 'an earlier refund';
  return `Answer REFUND without moving money: ${reference} has returned these ${amount} already (${why}).`;
}

/** Why a person is asked, or why nothing is done. */
export function heldSentence(
  facts: DecisionFacts,
  held: {
    readonly hit?: GuardHit;
    /** The answer that the guard stopped. */
    readonly stopped?: string;
    /** Without a guard: why the policy asks for a person. */
    readonly why?: string;
    readonly fallback: DecidedFallback | null;
  },
): string {
  const { hit, stopped, fallback } = held;
  const amount = alertMoneyText(facts.alert);
  const reason = hit === undefined ? (held.why ?? '') : hit.sentence;
  const instead = stopped === undefined ? '' : ` This stopped ${stopped}.`;
  if (hit?.guard.effect === 'nothing') return `Nothing is done about ${amount}: ${reason}.`;
  const next =
    fallback === null
      ? 'Nothing happens by itself: without a decision the deadline is missed.'
      : `Without a decision it becomes ${fallback.answer.action} at ${utcWords(new Date(fallback.at))}.`;
  return `A person decides about ${amount}: ${reason}.${instead} ${next}`;
}

function moneyText(amountMinor: number | null, currency: string | null): string {
  if (amountMinor === null || !isCurrencyCode(currency)) return 'the amount';
  return formatMoney({ amountMinor, currency });
}
