/**
 * What a policy would have cost on the log, beside what was decided then. Pure.
 *
 * Where its choice had a chance in a trial (`explore:`) and the case has had its time, what happened is the measure: each
 * case whose arm was that choice counts with the weight 1/chance, {@link WEIGHT_MAX} at most, and the weighted mean is taken
 * for all cases of the choice (self-normalised inverse propensity). Elsewhere the price is the expected one, by the shares
 * that were counted. Two reviews cost the same no matter who asked for them: people are not foreseen.
 */
import { meanHalfWidth } from '../../base/kernel/confidence-sequence.ts';
import type { CaseCosts, CaseKind, OutcomeModel } from './outcome-model.ts';
import type { Point, Shares } from './verdict.ts';
import { costsOf, fixedOf, lostOf, mostFor, pointOf } from './verdict.ts';

export type Choice = 'refund' | 'accept' | 'review' | 'none';

/** What became of a case in its arm. */
export interface TrialCase {
  readonly arm: 'refund' | 'accept';
  /** How likely this arm was. */
  readonly propensity: number;
  /** Money went back. */
  readonly refunded: boolean;
  readonly disputed: boolean;
  /** A second alert or RDR came. */
  readonly second: boolean;
}

export interface PricedCase {
  readonly kind: CaseKind;
  /** In the model's currency. */
  readonly amountMinor: number;
  readonly was: Choice;
  readonly is: Choice;
  /** Undefined: it was in no trial, or its outcome may still come. */
  readonly trial?: TrialCase | undefined;
}

/** Minor units of the model's currency. The ends hold together, however often one looks. */
export interface Estimate {
  readonly costMinor: number;
  readonly lowMinor: number;
  readonly highMinor: number;
}

export interface PolicyPrice {
  readonly cases: number;
  /** Cases whose price under this policy comes from the trial; the others' comes from the model of outcomes. */
  readonly byTrial: number;
  readonly byModel: number;
  /** Cases of the trial whose arm was this policy's choice: what the price by the trial rests on. */
  readonly matched: number;
  /** Of those, whose weight was clipped. */
  readonly clipped: number;
  readonly weightMax: number;
  /** Nothing to decide: RDR, or closed at the service. */
  readonly nothing: number;
  /** Cases that this policy answers otherwise. */
  readonly changed: number;
  readonly was: Estimate;
  readonly is: Estimate;
  /** `is` less `was`: below zero this policy is cheaper. Of the cases that change alone. */
  readonly difference: Estimate;
  readonly verdict: 'cheaper' | 'dearer' | 'same' | 'unknown';
  /** Shares that are taken where nothing was counted: a price by the model rests on them. */
  readonly assumed: readonly (keyof Shares)[];
}

/** A rarer arm is not trusted with more: one case would decide. */
export const WEIGHT_MAX = 20;

/** With fewer matching cases a mean says nothing. */
export const MATCHED_MIN = 5;

/** How likely the interval of one estimate may be wrong, at most; as much again is allowed for the shares of the model. */
const ALPHA_OF_TRIAL = 0.025;

export interface PolicyPricing {
  add(priced: PricedCase): void;
  result(): PolicyPrice;
}

export function createPolicyPricing(model: OutcomeModel): PolicyPricing {
  const sums = { was: createSum(), is: createSum(), difference: createSum() };
  const counts = { cases: 0, byTrial: 0, matched: 0, clipped: 0, nothing: 0, changed: 0 };
  const assumed = new Set<keyof Shares>();
  const trials = new Map<string, TrialGroup>();
  const byModel = (priced: PricedCase): void => {
    const { was, is, kind } = priced;
    const costs = model(kind);
    const reason = kind.reasonCode ?? '';
    const before = expected(costs, priced.amountMinor, was);
    const after = expected(costs, priced.amountMinor, is);
    sums.was.expect(reason, before);
    sums.is.expect(reason, after);
    if (was !== is) sums.difference.expect(reason, subtract(after, before));
    for (const name of fallbacks(costs.shares, [was, is])) assumed.add(name);
  };
  const measure = (group: TrialGroup): void => {
    const [{ was, is } = { was: 'none', is: 'none' } as const] = group;
    const after = meanOf(group, is, model);
    const before = meanOf(group, was, model);
    // One side of a comparison by the trial and one by the model would compare different cases.
    if (after === undefined || before === undefined) {
      for (const each of group) byModel(each);
      return;
    }
    counts.byTrial += group.length;
    counts.matched += after.matched;
    counts.clipped += after.clipped;
    sums.was.measure(group.length, before);
    sums.is.measure(group.length, after);
    if (was === is) return;
    sums.difference.measure(group.length, after);
    sums.difference.measure(-group.length, before);
  };
  return {
    add(priced): void {
      if (priced.was === 'none' || priced.is === 'none') {
        counts.nothing += 1;
        return;
      }
      counts.cases += 1;
      if (priced.was !== priced.is) counts.changed += 1;
      if (priced.trial === undefined || priced.is === 'review') {
        byModel(priced);
        return;
      }
      const pair = `${priced.was} ${priced.is}`;
      const group = trials.get(pair) ?? [];
      group.push({ ...priced, trial: priced.trial });
      trials.set(pair, group);
    },
    result(): PolicyPrice {
      for (const group of trials.values()) measure(group);
      trials.clear();
      const difference = sums.difference.estimate();
      return {
        ...{ ...counts, byModel: counts.cases - counts.byTrial, weightMax: WEIGHT_MAX },
        ...{ was: sums.was.estimate(), is: sums.is.estimate(), difference },
        verdict: counts.changed === 0 ? 'same' : verdictOf(difference),
        assumed: [...assumed].sort(),
      };
    },
  };
}

type TrialGroup = (PricedCase & { readonly trial: TrialCase })[];

function verdictOf({ lowMinor, highMinor }: Estimate): PolicyPrice['verdict'] {
  if (highMinor < 0) return 'cheaper';
  return lowMinor > 0 ? 'dearer' : 'unknown';
}

/** A cost by the shares as they are shown, by those that speak most for accepting, and most for refunding. */
type Ends = readonly [number, number, number];

function expected(
  { terms, shares, reviewRefund }: CaseCosts,
  amount: number,
  choice: Choice,
): Ends {
  const at = (point: Point): number => {
    const { refund, accept } = costsOf(terms, point, amount);
    if (choice === 'refund') return refund;
    if (choice === 'accept') return accept;
    return terms.handlingMinor + reviewRefund * refund + (1 - reviewRefund) * accept;
  };
  const points = [
    pointOf(shares, ({ value }) => value),
    mostFor(shares, 'accept'),
    mostFor(shares, 'refund'),
  ] as const;
  return [at(points[0]), at(points[1]), at(points[2])];
}

function subtract(one: Ends, other: Ends): Ends {
  return [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
}

/** What the price of these choices rests on without a case. */
function fallbacks(shares: Shares, choices: readonly Choice[]): (keyof Shares)[] {
  const accepts = choices.some((choice) => choice !== 'refund');
  const names: (keyof Shares)[] = accepts ? ['dispute', 'contested', 'won'] : [];
  return names.filter((name) => shares[name].interval === null);
}

interface Mean {
  readonly mean: number;
  /** How far below and above it the truth may lie. */
  readonly below: number;
  readonly above: number;
  readonly matched: number;
  readonly clipped: number;
}

/** The weighted mean over the cases whose arm was the choice; undefined: too few were. */
function meanOf(group: TrialGroup, choice: Choice, model: OutcomeModel): Mean | undefined {
  const matching = group.filter(({ trial }) => trial.arm === choice);
  if (matching.length < MATCHED_MIN) return undefined;
  const weighed = matching.map((priced) => ({
    weight: Math.min(1 / priced.trial.propensity, WEIGHT_MAX),
    ...happened(model(priced.kind), priced),
  }));
  const weight = weighed.reduce((sum, each) => sum + each.weight, 0);
  const mean = (figure: (each: (typeof weighed)[number]) => number): number =>
    weighed.reduce((sum, each) => sum + each.weight * figure(each), 0) / weight;
  const cost = mean((each) => each.cost);
  // As if one case more had come, half of it without a dispute and half with one: what has not happened yet may.
  const further = weight / weighed.length;
  const beyond = mean((each) => each.plain) - cost;
  const above = mean((each) => each.disputed) - cost;
  const inside = weight * mean((each) => (each.cost - cost) ** 2);
  const variance = (inside + (further / 2) * (beyond ** 2 + above ** 2)) / (weight + further);
  // How many cases of one weight are as sure (Kish).
  const worth = weight ** 2 / weighed.reduce((sum, each) => sum + each.weight ** 2, 0);
  const halfWidth = meanHalfWidth(Math.sqrt(variance), worth, ALPHA_OF_TRIAL);
  const { least, most } = boundsOf(group, choice, model);
  return {
    mean: cost,
    below: Math.min(halfWidth, Math.max(0, cost - least)),
    above: Math.min(halfWidth, Math.max(0, most - cost)),
    matched: matching.length,
    clipped: matching.filter(({ trial }) => 1 / trial.propensity > WEIGHT_MAX).length,
  };
}

/** What it cost: what a dispute comes to is expected, that one came is not. And what it had cost without and with one. */
function happened(
  { terms, shares }: CaseCosts,
  { amountMinor, trial }: TrialGroup[number],
): { readonly cost: number; readonly plain: number; readonly disputed: number } {
  const dispute = disputeOf(terms, shares, amountMinor);
  const plain = terms.alertFeeMinor + (trial.refunded ? amountMinor : 0);
  const second = trial.second ? terms.alertFeeMinor + amountMinor : 0;
  const cost = plain + (trial.disputed ? dispute : 0) + second;
  return { cost, plain, disputed: plain + dispute };
}

function disputeOf(terms: CaseCosts['terms'], shares: Shares, amountMinor: number): number {
  const point = pointOf(shares, ({ value }) => value);
  return fixedOf(terms) + amountMinor * lostOf(terms, point);
}

/** What a case of the group costs on average when nothing comes of it, and when all does: no mean lies beyond. */
function boundsOf(
  group: TrialGroup,
  choice: Choice,
  model: OutcomeModel,
): { readonly least: number; readonly most: number } {
  let [least, most] = [0, 0];
  for (const { kind, amountMinor } of group) {
    const { terms, shares } = model(kind);
    const plain = terms.alertFeeMinor + (choice === 'refund' ? amountMinor : 0);
    least += plain / group.length;
    const all = disputeOf(terms, shares, amountMinor) + terms.alertFeeMinor + amountMinor;
    most += (plain + all) / group.length;
  }
  return { least, most };
}

interface Sum {
  /** One case by the model. */
  expect(reason: string, ends: Ends): void;
  /** So many cases by the trial; below zero: to be subtracted. */
  measure(cases: number, mean: Mean): void;
  estimate(): Estimate;
}

function createSum(): Sum {
  const byReason = new Map<string, [number, number, number]>();
  let [measured, below, above] = [0, 0, 0];
  return {
    expect(reason, ends): void {
      const sum = byReason.get(reason) ?? [0, 0, 0];
      for (const index of [0, 1, 2] as const) sum[index] += ends[index];
      byReason.set(reason, sum);
    },
    measure(cases, mean): void {
      measured += cases * mean.mean;
      below += (cases * (cases < 0 ? mean.above : mean.below)) ** 2;
      above += (cases * (cases < 0 ? mean.below : mean.above)) ** 2;
    },
    estimate(): Estimate {
      const all = [...byReason.values()];
      const sum = (pick: (ends: [number, number, number]) => number): number =>
        all.reduce((total, ends) => total + pick(ends), 0);
      return {
        costMinor: Math.round(measured + sum(([shown]) => shown)),
        lowMinor: Math.round(measured - Math.sqrt(below) + sum((ends) => Math.min(...ends))),
        highMinor: Math.round(measured + Math.sqrt(above) + sum((ends) => Math.max(...ends))),
      };
    },
  };
}
