/**
 * How near the numbers of a period are to the lines of a programme. Pure, and exact: counts are compared, never
 * rounded percentages.
 */
import type { Counted, Line, Programme, Reading } from './programme.ts';

/** The numbers of one period and one scheme. Null: not known. */
export interface Figures {
  /** Payments of the base: of the month itself, or of the month before. */
  readonly base: number | null;
  readonly counts: Readonly<Record<Counted, number>>;
  /** US cents of what is counted, by what it is; null where an amount has no rate to US dollars. */
  readonly amountsUsdMinor: Readonly<Record<Counted, number | null>>;
  /** Payments of the base that went through 3-D Secure. */
  readonly threeDSecure: number | null;
  /** Whether a thing was counted for a reading; without it everything was. What was not counted is 0. */
  readonly isKnown?: (name: Counted, reading: Reading) => boolean;
}

export interface Condition {
  readonly what: 'ratio' | 'count' | 'base' | 'amount' | 'three_d_secure';
  readonly value: number | null;
  readonly needed: number;
  /** How much of the way is gone, from 0 on; 1 and above: reached. Null: not known. */
  readonly share: number | null;
}

export interface LineState {
  readonly line: Line;
  readonly conditions: readonly Condition[];
  /** Every condition is reached; one that is not known counts as reached. */
  readonly isCrossed: boolean;
  /** Conditions that are not known, though the line depends on them. */
  readonly unknown: readonly Condition['what'][];
  /** Per cent of the way to the line: that of the condition furthest away. */
  readonly progress: number;
}

export interface ReadingState {
  readonly reading: Reading;
  readonly count: number;
  /** What of the reading was not counted: the count is the least that it can be. */
  readonly missing: readonly Counted[];
  readonly base: number | null;
  /** Null: there is no base. */
  readonly ratioPercent: number | null;
  readonly lines: readonly LineState[];
  /** The last line that is crossed; they are in order, the mildest first. */
  readonly crossed: Line | null;
}

/** Judges the period under every reading. */
export function assess(programme: Programme, figures: Figures): ReadingState[] {
  return programme.readings.map((reading) => {
    const count = countOf(reading, figures.counts);
    const lines = programme.lines.map((line) => judge(line, { reading, figures, count }));
    const ratio = ratioPercent(count, figures.base);
    const crossed = lines.findLast(({ isCrossed }) => isCrossed)?.line ?? null;
    const missing = reading.counts.filter((name) => figures.isKnown?.(name, reading) === false);
    return { reading, count, missing, base: figures.base, ratioPercent: ratio, lines, crossed };
  });
}

export function countOf({ counts }: Reading, figures: Figures['counts']): number {
  return counts.reduce((sum, name) => sum + figures[name], 0);
}

/** Per cent; null without a base. */
export function ratioPercent(count: number, base: number | null): number | null {
  return base === null || base === 0 ? null : (count * 100) / base;
}

/** The fewest counted items that cross the line, whatever the amounts; null without a base that it needs. */
export function itemsToCross({ ratio_percent, count }: Line, base: number | null): number | null {
  if (ratio_percent === undefined) return count ?? null;
  if (base === null) return null;
  // In hundred-thousandths of a per cent: the product stays a whole number.
  const byRatio = Math.ceil((Math.round(ratio_percent * 1e5) * base) / 1e7);
  return Math.max(1, byRatio, count ?? 0);
}

interface Judged {
  readonly reading: Reading;
  readonly figures: Figures;
  readonly count: number;
}

function judge(line: Line, judged: Judged): LineState {
  const conditions = conditionsOf(line, judged);
  const shares = conditions.map(({ share }) => share).filter((share) => share !== null);
  const unknown = conditions.filter(({ share }) => share === null).map(({ what }) => what);
  // Nothing known at all is no breach.
  const isCrossed = shares.length > 0 && !unknown.includes('ratio') && shares.every((s) => s >= 1);
  const least = shares.length === 0 || unknown.includes('ratio') ? 0 : Math.min(...shares);
  return { line, conditions, isCrossed, unknown, progress: Math.floor(least * 100 + 1e-9) };
}

function conditionsOf(line: Line, { reading, figures, count }: Judged): Condition[] {
  const amount = amountOf(reading, figures.amountsUsdMinor);
  const secure = figures.threeDSecure;
  const secureShare = secure === null ? null : ratioPercent(secure, figures.base);
  return [
    ...given(line.ratio_percent, (needed) => ratioCondition(count, figures.base, needed)),
    ...given(line.count, (needed) => atLeast('count', count, needed)),
    ...given(line.base_count, (needed) => atLeast('base', figures.base, needed)),
    ...given(line.amount_usd, (needed) => dollars(amount, needed, needed * 100)),
    // A cent more than the bound: what is at the bound has not crossed it.
    ...given(line.amount_above_usd, (needed) => dollars(amount, needed, needed * 100 + 1)),
    ...given(line.three_d_secure_below_percent, (needed) => below(secureShare, needed)),
  ];
}

function given(needed: number | undefined, make: (needed: number) => Condition): Condition[] {
  return needed === undefined ? [] : [make(needed)];
}

function ratioCondition(count: number, base: number | null, needed: number): Condition {
  const value = ratioPercent(count, base);
  return { what: 'ratio', value, needed, share: value === null ? null : value / needed };
}

function atLeast(what: Condition['what'], value: number | null, needed: number): Condition {
  return { what, value, needed, share: value === null ? null : value / needed };
}

function dollars(minor: number | null, needed: number, enoughMinor: number): Condition {
  if (minor === null) return { what: 'amount', value: null, needed, share: null };
  return { what: 'amount', value: minor / 100, needed, share: minor / enoughMinor };
}

function below(value: number | null, needed: number): Condition {
  if (value === null) return { what: 'three_d_secure', value, needed, share: null };
  return { what: 'three_d_secure', value, needed, share: value < needed ? 1 : 0 };
}

function amountOf({ counts }: Reading, amounts: Figures['amountsUsdMinor']): number | null {
  return counts.reduce<number | null>((sum, name) => {
    const amount = amounts[name];
    return sum === null || amount === null ? null : sum + amount;
  }, 0);
}
