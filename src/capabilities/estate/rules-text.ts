/** What `forestall estate rules try` prints for people. Pure. */
import { counted } from '../../base/kernel/counted.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { wrapWords } from '../../surface/terminal/wrap-words.ts';
import type { DisputeTally, PastDispute, Trial, TriedOutcome } from './plan/try-rulesets.ts';
import { TRIED_OUTCOMES } from './plan/try-rulesets.ts';

const WIDTH = 78;

export interface TrialAbout {
  readonly from: Date;
  readonly to: Date;
  readonly ratesFrom: string | null;
  readonly otherwise: readonly (PastDispute & { readonly outcome: TriedOutcome })[];
}

const OUTCOME_WORDS: Readonly<Record<TriedOutcome, string>> = {
  'let through': 'let through',
  refunded: 'refunded by RDR',
  either: 'one or the other: rulesets disagree, and the service does not say which decides',
  unknown: 'unknown: an amount rule, and no amount or no rate for its currency',
  'not in the file': 'on enrolments that the file does not name',
};

export function trialText(trial: Trial, about: TrialAbout): string {
  const { rulesets, outcomes, newlyLetThrough, newlyRefunded, refundedThen } = trial;
  const all = Object.values(outcomes).reduce((sum, { disputes }) => sum + disputes, 0);
  const day = (at: Date): string => at.toISOString().slice(0, 10);
  const head = `${counted(all, 'RDR dispute')} from ${day(about.from)} to ${day(about.to)}; RDR refunded ${tallyText(refundedThen)}.`;
  return [
    ...wrapWords(head, WIDTH),
    '',
    ...rulesets.flatMap(({ key, text, held, rules }) => [
      ...wrapWords(`Ruleset "${key}": ${text}.`, WIDTH),
      ...entry(`holds for ${tallyText(held)}`),
      ...(rules.length < 2 ? [] : rules).flatMap((rule) =>
        entry(`rule "${rule.text}" alone for ${tallyText(rule.held)}`),
      ),
    ]),
    rulesets.length === 0 ? 'The file has no ruleset: RDR refunds every dispute.' : '',
    'With the rulesets of the file:',
    ...TRIED_OUTCOMES.filter((outcome) => outcomes[outcome].disputes > 0).flatMap((outcome) =>
      entry(`${OUTCOME_WORDS[outcome]}: ${tallyText(outcomes[outcome])}`),
    ),
    ...entry(`refunded then, let through now: ${tallyText(newlyLetThrough)}`),
    ...entry(`not refunded then, refunded now: ${tallyText(newlyRefunded)}`),
    ...about.otherwise.flatMap(({ alertId, money, outcome }) =>
      entry(`${alertId} ${money === null ? '' : formatMoney(money)} ${outcome}`),
    ),
    '',
    ...notes(trial, about).flatMap((note) => wrapWords(note, WIDTH)),
  ].join('\n');
}

function notes({ outcomes, withoutRate }: Trial, { ratesFrom }: TrialAbout): string[] {
  const isEstimate = Object.values(outcomes).some((tally) => tally.isEstimate);
  const missing = withoutRate.length > 0;
  return [
    ...(isEstimate && ratesFrom !== null
      ? [
          `Estimate: other currencies are converted by your own rates (${ratesFrom}); the service converts by rates that it does not tell.`,
        ]
      : []),
    ...(missing
      ? [
          `No rate for ${withoutRate.join(', ')}. Name a file with --rates: "base: USD" and lines like EUR: 1.08.`,
        ]
      : []),
    'Disputes that a ruleset of that time let through count as far as they came as alerts.',
  ];
}

/** For example `3 disputes, 120.00 USD and 40.00 EUR (about 163.20 USD, an estimate)`. */
function tallyText({ disputes, sums, usdCents, isEstimate }: DisputeTally): string {
  const count = `${disputes} dispute${disputes === 1 ? '' : 's'}`;
  if (sums.length === 0) return count;
  const money = sums.map(formatMoney).join(' and ');
  const inUsd =
    isEstimate && usdCents !== null
      ? ` (about ${formatMoney({ amountMinor: usdCents, currency: 'USD' })}, an estimate)`
      : '';
  return `${count}, ${money}${inUsd}`;
}

function entry(text: string): string[] {
  return wrapWords(text, WIDTH - 4).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`);
}
