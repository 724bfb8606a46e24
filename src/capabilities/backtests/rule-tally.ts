/** What each rule comes to over the alerts replayed, in both policies. Pure. */
import type { PastAnswer } from '../../policy/past-decision.ts';

/** Sums by currency, in minor units. */
export type Sums = Readonly<Record<string, number>>;

/** One side of a rule. */
export interface RuleSide {
  readonly alerts: number;
  readonly refunds: number;
  readonly refunded: Sums;
  readonly accepted: number;
  readonly reviews: number;
}

/** A rule, a guard that held, or `otherwise`, before and after. */
export interface RuleTally {
  readonly kind: 'rule' | 'guard' | 'otherwise';
  /** The rule's or the guard's name; empty for `otherwise`. */
  readonly name: string;
  readonly was: RuleSide;
  readonly is: RuleSide;
}

interface Counting {
  alerts: number;
  refunds: number;
  refunded: Map<string, number>;
  accepted: number;
  reviews: number;
}

type Row = Pick<RuleTally, 'kind' | 'name'> & { readonly was: Counting; readonly is: Counting };

/** Collects: {@link RuleTallies.add} per alert and side, then {@link RuleTallies.list}. */
export interface RuleTallies {
  add(side: 'was' | 'is', answer: PastAnswer, currency: string | null): void;
  /** Those that decide most alerts first. */
  list(): RuleTally[];
}

export function createRuleTallies(): RuleTallies {
  const rows = new Map<string, Row>();
  return {
    add(side, answer, currency): void {
      const { kind, name } = whoDecided(answer);
      const key = `${kind} ${name}`;
      const row = rows.get(key) ?? { kind, name, was: counting(), is: counting() };
      rows.set(key, row);
      count(row[side], answer, currency);
    },
    list: () =>
      [...rows.values()]
        .map(({ kind, name, was, is }) => ({ kind, name, was: sideOf(was), is: sideOf(is) }))
        .sort((one, other) => weightOf(other) - weightOf(one) || compareNames(one, other)),
  };
}

/** A guard came before the rule that had spoken. */
function whoDecided({ guard, rule }: PastAnswer): Pick<RuleTally, 'kind' | 'name'> {
  if (guard !== null) return { kind: 'guard', name: guard };
  return rule === null ? { kind: 'otherwise', name: '' } : { kind: 'rule', name: rule };
}

function counting(): Counting {
  return { alerts: 0, refunds: 0, refunded: new Map(), accepted: 0, reviews: 0 };
}

function count(on: Counting, { action, amountMinor }: PastAnswer, currency: string | null): void {
  on.alerts += 1;
  if (action === 'ACCEPT_DISPUTE') on.accepted += 1;
  if (action === 'REVIEW') on.reviews += 1;
  if (action !== 'REFUND') return;
  on.refunds += 1;
  if (currency === null) return;
  on.refunded.set(currency, (on.refunded.get(currency) ?? 0) + (amountMinor ?? 0));
}

function sideOf({ refunded, ...counts }: Counting): RuleSide {
  return { ...counts, refunded: Object.fromEntries(refunded) };
}

function weightOf({ was, is }: RuleTally): number {
  return was.alerts + is.alerts;
}

function compareNames(one: RuleTally, other: RuleTally): number {
  return one.name < other.name ? -1 : 1;
}
