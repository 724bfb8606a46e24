/**
 * Rulesets of a file tried on past RDR disputes: which of them each ruleset and each rule holds for, what
 * RDR would have let through or refunded, and with how much money. Pure, one dispute after another.
 *
 * The service converts other currencies to USD by rates that it does not tell. Here the merchant's own are
 * taken, so that what depends on them is an estimate; without a rate nothing is concluded.
 */
import type { Money } from '../../../base/kernel/money.ts';
import type { RuleContent, RulesetContent } from './content.ts';
import type { Cover } from './rdr-width.ts';
import { holds, REFUNDING } from './rdr-width.ts';
import { rulesetText, ruleText } from './sentences.ts';

/** A dispute that came through RDR. */
export interface PastDispute {
  readonly alertId: string;
  readonly enrolmentId: string | null;
  /** Null: not stored with an amount. */
  readonly money: Money | null;
  readonly descriptor: string | null;
  /** What RDR did then. */
  readonly wasRefunded: boolean;
}

/**
 * What the outcome would have been. `either`: rulesets that hold disagree, and which decides is not specified.
 * `unknown`: an amount rule, and no amount, or no rate for its currency. `not in the file`: no entry means its
 * enrolment.
 */
export const TRIED_OUTCOMES = [
  'let through',
  'refunded',
  'either',
  'unknown',
  'not in the file',
] as const;
export type TriedOutcome = (typeof TRIED_OUTCOMES)[number];

/** How many disputes, and their sums in their own currencies. */
export interface DisputeTally {
  readonly disputes: number;
  readonly sums: readonly Money[];
  /** All of it in US cents by the merchant's rates; null where a rate is missing. */
  readonly usdCents: number | null;
  /** Whether the figures, or which disputes are counted, rest on the merchant's rates. */
  readonly isEstimate: boolean;
}

/** One ruleset of the file. */
export interface TriedRuleset {
  readonly key: string;
  readonly text: string;
  readonly refunds: boolean;
  /** Disputes for which all its rules together hold. */
  readonly held: DisputeTally;
  readonly rules: readonly { readonly text: string; readonly held: DisputeTally }[];
}

/** Everything together. */
export interface Trial {
  readonly rulesets: readonly TriedRuleset[];
  readonly outcomes: Readonly<Record<TriedOutcome, DisputeTally>>;
  /** Refunded then, and let through by the file. */
  readonly newlyLetThrough: DisputeTally;
  /** Not refunded then, and refunded by the file. */
  readonly newlyRefunded: DisputeTally;
  readonly refundedThen: DisputeTally;
  /** Currencies without a rate. */
  readonly withoutRate: readonly string[];
}

/** What the trial is made from. */
export interface TrialOptions {
  /** The rulesets of the file by key. */
  readonly rulesets: ReadonlyMap<string, RulesetContent>;
  /** The file's key of an enrolment, undefined where it has none. */
  readonly keyOfEnrolment: (id: string) => string | undefined;
  /** Null without a rate. */
  readonly toUsd: (money: Money) => UsdCents | null;
}

/** An amount in US cents. */
export interface UsdCents {
  /** For comparing with whole cents: between two of them, the lower one and a half. */
  readonly comparable: number;
  readonly rounded: number;
}

/** Takes disputes and counts. */
export interface OpenTrial {
  /** Returns what the outcome would have been. */
  add(dispute: PastDispute): TriedOutcome;
  result(): Trial;
}

/** Begins with nothing. */
export function openTrial(options: TrialOptions): OpenTrial {
  const { rulesets, keyOfEnrolment, toUsd } = options;
  const counts = [...rulesets].map(
    ([key, content]): Counted => ({
      key,
      content,
      held: new Counter(),
      rules: content.rules.map((rule) => ({ rule, held: new Counter() })),
    }),
  );
  const outcomes = new Map(TRIED_OUTCOMES.map((name) => [name, new Counter()]));
  const [through, refunded, then] = [new Counter(), new Counter(), new Counter()];
  const withoutRate = new Set<string>();
  const convert = ({ money }: PastDispute): UsdCents | null => {
    const usd = money === null ? null : toUsd(money);
    if (money !== null && usd === null) withoutRate.add(money.currency);
    return usd;
  };
  const judgeOn = (dispute: PastDispute, usd: UsdCents | null): TriedOutcome => {
    const key = keyOfEnrolment(dispute.enrolmentId ?? '');
    if (key === undefined) return 'not in the file';
    const cover = counts.filter(({ content }) => content.enrolments.includes(key));
    return judge(cover, dispute, usd);
  };
  return {
    add(dispute): TriedOutcome {
      const usd = convert(dispute);
      const outcome = judgeOn(dispute, usd);
      outcomes.get(outcome)?.add(dispute, usd);
      if (dispute.wasRefunded) then.add(dispute, usd);
      if (dispute.wasRefunded && outcome === 'let through') through.add(dispute, usd);
      if (!dispute.wasRefunded && outcome === 'refunded') refunded.add(dispute, usd);
      return outcome;
    },
    result: () => ({
      rulesets: counts.map(({ key, content, held, rules }) => ({
        key,
        text: rulesetText(content),
        refunds: REFUNDING.has(content.outcome),
        held: held.tally(),
        rules: rules.map((tried) => ({ text: ruleText(tried.rule), held: tried.held.tally() })),
      })),
      outcomes: talliesOf(outcomes),
      newlyLetThrough: through.tally(),
      newlyRefunded: refunded.tally(),
      refundedThen: then.tally(),
      withoutRate: [...withoutRate].sort(),
    }),
  };
}

interface Counted {
  readonly key: string;
  readonly content: RulesetContent;
  readonly held: Counter;
  readonly rules: readonly { readonly rule: RuleContent; readonly held: Counter }[];
}

/** What the rulesets of one enrolment make of a dispute; counts for which it holds. */
function judge(
  cover: readonly Counted[],
  dispute: PastDispute,
  usd: UsdCents | null,
): TriedOutcome {
  if (usd === null && cover.some(({ content }) => hasAmount(content))) return 'unknown';
  const facts = { usdCents: usd?.comparable ?? null, descriptor: dispute.descriptor };
  for (const { content, held, rules } of cover) {
    if (holds(content, facts)) held.add(dispute, usd);
    for (const one of rules) {
      if (holds({ ...content, rules: [one.rule] }, facts)) one.held.add(dispute, usd);
    }
  }
  return outcomeOf(cover.map(({ content }) => content).filter((content) => holds(content, facts)));
}

function talliesOf(
  outcomes: ReadonlyMap<TriedOutcome, Counter>,
): Readonly<Record<TriedOutcome, DisputeTally>> {
  const tallyOf = (name: TriedOutcome): DisputeTally =>
    (outcomes.get(name) ?? new Counter()).tally();
  return {
    'let through': tallyOf('let through'),
    refunded: tallyOf('refunded'),
    either: tallyOf('either'),
    unknown: tallyOf('unknown'),
    'not in the file': tallyOf('not in the file'),
  };
}

function hasAmount({ rules }: RulesetContent): boolean {
  return rules.some(({ type }) => type === 'AMOUNT');
}

/** Without a ruleset that holds, RDR refunds. */
function outcomeOf(holding: Cover): TriedOutcome {
  const refunding = holding.filter(({ outcome }) => REFUNDING.has(outcome)).length;
  if (refunding === holding.length) return 'refunded';
  return refunding === 0 ? 'let through' : 'either';
}

/** Counts disputes and adds up their money. */
class Counter {
  #disputes = 0;
  #usdCents: number | null = 0;
  #isEstimate = false;
  readonly #sums = new Map<string, number>();

  add({ money }: PastDispute, usd: UsdCents | null): void {
    this.#disputes += 1;
    if (money === null) return;
    const { amountMinor, currency } = money;
    this.#sums.set(currency, (this.#sums.get(currency) ?? 0) + amountMinor);
    if (currency !== 'USD') this.#isEstimate = true;
    this.#usdCents = this.#usdCents === null || usd === null ? null : this.#usdCents + usd.rounded;
  }

  tally(): DisputeTally {
    return {
      disputes: this.#disputes,
      sums: [...this.#sums]
        .map(([currency, amountMinor]) => ({ currency, amountMinor }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
      usdCents: this.#usdCents,
      isEstimate: this.#isEstimate,
    };
  }
}
