/**
 * What rulesets make of an RDR dispute.
 *
 * With no ruleset that applies, the programme accepts and refunds. The first ruleset of the
 * enrolment (by creation) whose rules hold decides; one without rules always holds.
 */
import type { SandboxContext } from '../sandbox-context.ts';
import type {
  AlertRecord,
  AmountRule,
  DescriptorRule,
  RuleRecord,
  RulesetRecord,
} from '../state/resources.ts';

export function resolveByRulesets(context: SandboxContext, alert: AlertRecord): void {
  const ruleset = [...context.state.rulesets.values()].find(
    (candidate) => candidate.enrolment_ids.includes(alert.enrolment_id) && holds(candidate, alert),
  );
  const outcome = ruleset?.outcome ?? 'REFUND';
  const refunds = outcome === 'REFUND' || outcome === 'REFUND_AND_CANCEL';
  const cancels = outcome === 'CANCEL' || outcome === 'REFUND_AND_CANCEL';
  alert.transaction_refund_outcome = refunds ? 'REFUNDED' : 'NOT_REFUNDED';
  alert.subscription_cancel_outcome = cancels ? 'CANCELLED' : null;
}

export function holds(ruleset: RulesetRecord, alert: AlertRecord): boolean {
  if (ruleset.rules.length === 0) return true;
  const verdicts = ruleset.rules.map((rule) => ruleHolds(rule, alert));
  return ruleset.join_operator === 'AND'
    ? verdicts.every((verdict) => verdict)
    : verdicts.some((verdict) => verdict);
}

function ruleHolds(rule: RuleRecord, alert: AlertRecord): boolean {
  return rule.type === 'AMOUNT' ? amountHolds(rule, alert) : descriptorHolds(rule, alert);
}

function amountHolds(rule: AmountRule, alert: AlertRecord): boolean {
  const cents = toUsdCents(alert.transaction_amount_in_cents, alert.transaction_currency_code);
  if (cents === undefined) return false;
  const limit = rule.parameters.amount_in_cents;
  switch (rule.parameters.operator) {
    case 'GREATER_THAN':
      return cents > limit;
    case 'GREATER_THAN_OR_EQUAL':
      return cents >= limit;
    case 'LESS_THAN':
      return cents < limit;
    case 'LESS_THAN_OR_EQUAL':
      return cents <= limit;
    case 'EQUAL':
      return cents === limit;
    default:
      return cents !== limit;
  }
}

function descriptorHolds(rule: DescriptorRule, alert: AlertRecord): boolean {
  const descriptor = alert.transaction_statement_descriptor;
  if (descriptor === null) return false;
  return rule.parameters.descriptors.some(({ value, match_type: matchType }) =>
    matchType === 'EXACT_MATCH' ? descriptor === value : descriptor.startsWith(value),
  );
}

/** The amount in US cents, rounded to whole cents; undefined for a currency without a rate. */
function toUsdCents(amountMinor: number, currency: string): number | undefined {
  const minorUnitsPerUsd = MINOR_UNITS_PER_USD[currency];
  return minorUnitsPerUsd === undefined
    ? undefined
    : Math.round((amountMinor * 100) / minorUnitsPerUsd);
}

/**
 * The exchange rates of the sandbox: how many minor units of a currency make one US dollar. Fixed
 * and round, so that a test can do the sum by hand; a real network uses the rates of the day.
 */
const MINOR_UNITS_PER_USD: Readonly<Record<string, number>> = {
  USD: 100,
  EUR: 80,
  GBP: 80,
  CHF: 80,
  CAD: 125,
  AUD: 160,
  NZD: 160,
  SEK: 1000,
  NOK: 1000,
  DKK: 640,
  PLN: 400,
  CZK: 2000,
  HUF: 32_000,
  BRL: 500,
  MXN: 2000,
  INR: 8000,
  JPY: 125,
  KRW: 1250,
  KWD: 320,
  BHD: 400,
};
