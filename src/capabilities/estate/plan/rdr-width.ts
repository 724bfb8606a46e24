/**
 * Which disputes RDR may refund on an enrolment, given the rulesets that apply to it.
 *
 * Without a ruleset that holds, RDR refunds (section Ruleset). Which of several rulesets that hold
 * decides is not specified, so a dispute counts as "may be refunded" as soon as one of them refunds:
 * what is shown to be no wider is no wider in whichever order the service goes through them.
 *
 * A rule only compares, so disputes fall into finitely many classes: one sample of each is enough.
 */
import type { AmountOperator } from '../../../service/wire/ruleset.ts';
import {
  amountRuleParametersSchema,
  descriptorRuleParametersSchema,
} from '../../../service/wire/ruleset.ts';
import type { RulesetContent } from './content.ts';

/** The rulesets of one enrolment. */
export type Cover = readonly RulesetContent[];

/** What a rule can see of a dispute. Null: unknown to the rule, which then does not hold. */
export interface Dispute {
  /** Converted to US cents. */
  readonly usdCents: number | null;
  readonly descriptor: string | null;
}

export const REFUNDING: ReadonlySet<string> = new Set(['REFUND', 'REFUND_AND_CANCEL']);

/** Whether RDR may refund the dispute. */
export function mayRefund(cover: Cover, dispute: Dispute): boolean {
  const holding = cover.filter((ruleset) => holds(ruleset, dispute));
  return holding.length === 0 || holding.some(({ outcome }) => REFUNDING.has(outcome));
}

/** Whether a ruleset applies to a dispute; one without rules always does. */
export function holds({ rules, join }: RulesetContent, dispute: Dispute): boolean {
  const verdicts = rules.map(({ type, parameters }) => ruleHolds(type, parameters, dispute));
  return join === 'OR' ? verdicts.some(Boolean) : verdicts.every(Boolean);
}

function ruleHolds(type: string, parameters: object, { usdCents, descriptor }: Dispute): boolean {
  if (type === 'AMOUNT') {
    const { operator, amount_in_cents: limit } = amountRuleParametersSchema.parse(parameters);
    return usdCents !== null && COMPARE[operator](usdCents, limit);
  }
  if (descriptor === null) return false;
  return descriptorRuleParametersSchema
    .parse(parameters)
    .descriptors.some(({ value, match_type: matchType }) =>
      matchType === 'EXACT_MATCH' ? descriptor === value : descriptor.startsWith(value),
    );
}

const COMPARE: Readonly<Record<AmountOperator, (cents: number, limit: number) => boolean>> = {
  GREATER_THAN: (cents, limit) => cents > limit,
  GREATER_THAN_OR_EQUAL: (cents, limit) => cents >= limit,
  LESS_THAN: (cents, limit) => cents < limit,
  LESS_THAN_OR_EQUAL: (cents, limit) => cents <= limit,
  EQUAL: (cents, limit) => cents === limit,
  NOT_EQUAL: (cents, limit) => cents !== limit,
};

/** A dispute that `cover` may refund and none of `others` may; undefined when there is none. */
export function findWider(cover: Cover, others: readonly Cover[]): Dispute | undefined {
  return samples([cover, ...others]).find(
    (dispute) => mayRefund(cover, dispute) && !others.some((other) => mayRefund(other, dispute)),
  );
}

/** One dispute of each class that the rules tell apart. */
function samples(covers: readonly Cover[]): Dispute[] {
  const rules = covers.flat().flatMap((ruleset) => ruleset.rules);
  const limits = rules
    .filter(({ type }) => type === 'AMOUNT')
    .map(({ parameters }) => amountRuleParametersSchema.parse(parameters).amount_in_cents);
  const values = rules
    .filter(({ type }) => type !== 'AMOUNT')
    .flatMap(({ parameters }) => descriptorRuleParametersSchema.parse(parameters).descriptors)
    .map(({ value }) => value);
  const cents = limits
    .flatMap((limit) => [limit - 1, limit, limit + 1])
    .filter((amount) => amount >= 0);
  const descriptors = ['', ...values].flatMap((value) => [value, longerThan(value, values)]);
  return [...new Set([null, 0, ...cents])].flatMap((usdCents) =>
    [...new Set([null, ...descriptors])].map((descriptor) => ({ usdCents, descriptor })),
  );
}

/** A text that begins with `value` and with no value that is longer. */
function longerThan(value: string, values: readonly string[]): string {
  const longer = new Set(
    values.filter((other) => other.startsWith(value)).map((other) => other.charAt(value.length)),
  );
  let code = FIRST_LETTER;
  while (longer.has(String.fromCharCode(code))) code += 1;
  return value + String.fromCharCode(code);
}

/** "A": examples that are shown to people are easy to read. */
const FIRST_LETTER = 65;
