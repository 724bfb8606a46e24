/**
 * Replays stored alerts under a policy, as they were known when they were decided: each decision is
 * taken again from the facts stored with the old one. Pure; rows come in, figures come out.
 *
 * What it cannot know: caps, the breaker and approvals apply before any policy and are not
 * replayed; what people decided is not foreseen; and facts that an earlier version did not store
 * are not known.
 */
import { decide } from '../../alerts/decide/decide.ts';
import type { Decision } from '../../alerts/decide/decision.ts';
import type { DecisionFacts } from '../../alerts/decide/facts.ts';
import type { Policy } from '../../alerts/decide/policy.ts';
import type { ReplayPart, ReplayReader } from '../../alerts/decide/replay-reader.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { PastAnswer, PastDecision } from '../../policy/past-decision.ts';
import type { RuleTally, Sums } from './rule-tally.ts';
import { createRuleTallies } from './rule-tally.ts';

/** What an alert and a chargeback cost, in one currency; other currencies are not converted. */
export interface Fees {
  readonly alertFee: Money;
  readonly chargebackFee: Money;
}

/** What a policy comes to over the alerts replayed. */
export interface Tally {
  readonly refunds: number;
  readonly refunded: Sums;
  readonly accepted: number;
  readonly acceptedMoney: Sums;
  readonly reviews: number;
  readonly reviewedMoney: Sums;
  /** Of the reviews: what becomes of them without a decision. */
  readonly fallbackRefund: number;
  readonly fallbackAccept: number;
  readonly withoutFallback: number;
  /** Nothing to decide: RDR, or closed at the service. */
  readonly nothing: number;
  /** Alerts that a person must save: a review without a fallback, or with one that was due at once. */
  readonly deadlinesAtRisk: number;
  /** Reviews that a guard asked for, by its name. */
  readonly heldByGuard: Readonly<Record<string, number>>;
  /** Alert fees, and chargeback fees of every dispute accepted at once or in the end. */
  readonly fees: Sums;
}

/** One decision that came out otherwise. */
export interface Changed {
  readonly alertId: string;
  readonly decidedAt: string;
  readonly amount: Money | null;
  readonly was: PastAnswer;
  readonly is: PastAnswer;
}

export interface BacktestResult {
  readonly alerts: number;
  /** Decisions stored before items, customer and history were; conditions about those are unknown. */
  readonly olderRows: number;
  readonly was: Tally;
  readonly is: Tally;
  /** Who decided how many, in both. */
  readonly rules: readonly RuleTally[];
  readonly changed: readonly Changed[];
  /** What capabilities say of it. Absent in backtests of earlier versions. */
  readonly parts?: readonly ReplayPart[];
}

/** What is replayed. */
export interface BacktestOptions {
  readonly policy: Policy;
  /** Compared with this policy; without one, with what was decided then. */
  readonly against?: Policy | undefined;
  readonly fees: Fees;
  /** @default none */
  readonly readers?: readonly ReplayReader[];
}

/** Collects the figures: {@link Backtest.add} per decision, then {@link Backtest.result}. */
export interface Backtest {
  add(past: PastDecision): void;
  result(): BacktestResult;
}

export function createBacktest({ policy, against, fees, readers = [] }: BacktestOptions): Backtest {
  const was = createTally(fees);
  const is = createTally(fees);
  const rules = createRuleTallies();
  const changed: Changed[] = [];
  let alerts = 0;
  let olderRows = 0;
  return {
    add(past): void {
      const { facts } = past;
      alerts += 1;
      if (facts.history === undefined) olderRows += 1;
      const before = against === undefined ? past.answer : answerOf(decide(against, facts));
      const after = answerOf(decide(policy, facts));
      was.add(before, facts);
      is.add(after, facts);
      rules.add('was', before, facts.alert.currency);
      rules.add('is', after, facts.alert.currency);
      const replayed = { alertId: past.alertId, facts, was: before, is: after };
      for (const reader of readers) reader.add(replayed);
      if (isSame(before, after)) return;
      const { alertId, decidedAt } = past;
      changed.push({ alertId, decidedAt, amount: moneyIn(facts), was: before, is: after });
    },
    result: () => ({
      alerts,
      olderRows,
      was: was.sum(),
      is: is.sum(),
      rules: rules.list(),
      changed,
      parts: readers.map((reader) => reader.result()),
    }),
  };
}

function answerOf({ action, amountMinor, fallback, rule, guard }: Decision): PastAnswer {
  return {
    action,
    amountMinor,
    fallback: action === 'REVIEW' ? (fallback?.answer.action ?? null) : null,
    fallbackAt: action === 'REVIEW' ? (fallback?.at ?? null) : null,
    rule,
    guard,
  };
}

/** The same money by the same way; another rule that says the same is no change. */
function isSame(one: PastAnswer, other: PastAnswer): boolean {
  return (
    one.action === other.action &&
    one.amountMinor === other.amountMinor &&
    one.fallback === other.fallback &&
    one.fallbackAt === other.fallbackAt
  );
}

function moneyIn({ alert: { amountMinor, currency } }: DecisionFacts): Money | null {
  return amountMinor === null || currency === null ? null : { amountMinor, currency };
}

function createTally(fees: Fees): {
  add(answer: PastAnswer, facts: DecisionFacts): void;
  sum(): Tally;
} {
  const counts = { REFUND: 0, ACCEPT_DISPUTE: 0, REVIEW: 0, NONE: 0 };
  const fallbacks = { REFUND: 0, ACCEPT_DISPUTE: 0, none: 0 };
  const refunded = new Map<string, number>();
  const accepted = new Map<string, number>();
  const reviewed = new Map<string, number>();
  const feeSums = new Map<string, number>();
  const held = new Map<string, number>();
  let deadlinesAtRisk = 0;
  const review = (answer: PastAnswer, facts: DecisionFacts): void => {
    addMoney(reviewed, moneyIn(facts));
    fallbacks[answer.fallback ?? 'none'] += 1;
    if (answer.guard !== null) held.set(answer.guard, (held.get(answer.guard) ?? 0) + 1);
    if (answer.fallbackAt === null || answer.fallbackAt <= facts.now) deadlinesAtRisk += 1;
  };
  return {
    add(answer, facts): void {
      const money = moneyIn(facts);
      counts[answer.action] += 1;
      addMoney(feeSums, fees.alertFee);
      if (answer.action === 'REFUND') {
        addMoney(
          refunded,
          money === null ? null : { ...money, amountMinor: answer.amountMinor ?? 0 },
        );
      }
      if (answer.action === 'ACCEPT_DISPUTE') addMoney(accepted, money);
      if (answer.action === 'REVIEW') review(answer, facts);
      if (answer.action === 'ACCEPT_DISPUTE' || answer.fallback === 'ACCEPT_DISPUTE') {
        addMoney(feeSums, fees.chargebackFee);
      }
    },
    sum: () => ({
      refunds: counts.REFUND,
      refunded: Object.fromEntries(refunded),
      accepted: counts.ACCEPT_DISPUTE,
      acceptedMoney: Object.fromEntries(accepted),
      reviews: counts.REVIEW,
      reviewedMoney: Object.fromEntries(reviewed),
      fallbackRefund: fallbacks.REFUND,
      fallbackAccept: fallbacks.ACCEPT_DISPUTE,
      withoutFallback: fallbacks.none,
      nothing: counts.NONE,
      deadlinesAtRisk,
      heldByGuard: Object.fromEntries(held),
      fees: Object.fromEntries(feeSums),
    }),
  };
}

function addMoney(sums: Map<string, number>, money: Money | null): void {
  if (money === null) return;
  sums.set(money.currency, (sums.get(money.currency) ?? 0) + money.amountMinor);
}
