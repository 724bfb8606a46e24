/** The values a condition accepts, as sets that can be compared: words, ranges, and texts. Pure. */
import { formatMoney } from '../base/kernel/money.ts';
import { formatDuration } from '../base/kernel/units.ts';
import type { Bound } from './bounds.ts';
import type { FieldCondition } from './field-conditions.ts';
import type { TextPart } from './text-conditions.ts';

/** From where to where; an end is in it or not. */
interface Range {
  readonly low: number;
  readonly lowIn: boolean;
  readonly high: number;
  readonly highIn: boolean;
}

export type Constraint =
  | { readonly kind: 'words'; readonly words: ReadonlySet<string> }
  /** `unit`: a currency, `ms`, or a plain number. Amounts are whole minor units. */
  | { readonly kind: 'ranges'; readonly unit: string; readonly ranges: readonly Range[] }
  | { readonly kind: 'texts'; readonly isMany: boolean; readonly parts: readonly TextPart[] };

/** Undefined: it is no such set. */
export function constraintOf(condition: FieldCondition): Constraint | undefined {
  switch (condition.kind) {
    case 'word':
      return { kind: 'words', words: new Set(condition.words) };
    case 'flag':
      return { kind: 'words', words: new Set([String(condition.value)]) };
    case 'duration':
      return { kind: 'ranges', unit: 'ms', ranges: [rangeOf(condition.bounds, false)] };
    case 'number':
      return { kind: 'ranges', unit: 'number', ranges: [rangeOf(condition.bounds, false)] };
    case 'amount': {
      const currencies = new Set(condition.ranges.map(({ currency }) => currency));
      const [unit] = currencies;
      // Several currencies, and what is converted, are other sets for each alert.
      if (currencies.size !== 1 || unit === undefined || condition.rates !== null) return undefined;
      const ranges = merged(condition.ranges.map(({ bounds }) => rangeOf(bounds, true)));
      return { kind: 'ranges', unit, ranges };
    }
    case 'text': {
      const { field, parts } = condition;
      return field.keyOf === undefined
        ? { kind: 'texts', isMany: !SINGLE.has(field.name), parts }
        : undefined;
    }
  }
}

/** Texts of which an alert has one. Of others it may have several at once: both of two conditions can hold. */
const SINGLE = new Set([
  ...['currency', 'alert_id', 'descriptor', 'issuer', 'card_bin', 'card_last4', 'reason_code'],
  ...['authorisation_code', 'acquirer_reference_number', 'enrolment', 'integration'],
  ...['transaction_reference', 'note', 'order_reference', 'order_number', 'customer_account'],
]);

const EVERYTHING: Range = { low: -Infinity, lowIn: false, high: Infinity, highIn: false };

function rangeOf(bounds: readonly Bound[], isWhole: boolean): Range {
  return bounds.map((bound) => boundRange(bound, isWhole ? 1 : 0)).reduce(meet, EVERYTHING);
}

/** @param step 1: of whole numbers, for which "above 5" is "at least 6" */
function boundRange({ word, value }: Bound, step: 0 | 1): Range {
  const isWhole = step === 1;
  switch (word) {
    case 'equals':
      return { low: value, lowIn: true, high: value, highIn: true };
    case 'at_least':
      return { ...EVERYTHING, low: value, lowIn: true };
    case 'above':
      return { ...EVERYTHING, low: value + step, lowIn: isWhole };
    case 'at_most':
      return { ...EVERYTHING, high: value, highIn: true };
    case 'below':
      return { ...EVERYTHING, high: value - step, highIn: isWhole };
  }
}

function meet(one: Range, other: Range): Range {
  const low = Math.max(one.low, other.low);
  const high = Math.min(one.high, other.high);
  const both = [one, other];
  return {
    low,
    lowIn: both.every((range) => range.low < low || range.lowIn),
    high,
    highIn: both.every((range) => range.high > high || range.highIn),
  };
}

function isEmpty({ low, lowIn, high, highIn }: Range): boolean {
  return low > high || (low === high && !(lowIn && highIn));
}

function merged(ranges: readonly Range[]): Range[] {
  return ranges.filter((range) => !isEmpty(range));
}

/** Undefined: it cannot be told. */
export function intersect(one: Constraint, other: Constraint): Constraint | 'empty' | undefined {
  if (one.kind === 'words' && other.kind === 'words') {
    const words = new Set([...one.words].filter((word) => other.words.has(word)));
    return words.size === 0 ? 'empty' : { kind: 'words', words };
  }
  if (one.kind === 'ranges' && other.kind === 'ranges') {
    const isAlike = one.unit === other.unit;
    const met = one.ranges.flatMap((range) => other.ranges.map((each) => meet(range, each)));
    const ranges = isAlike ? merged(met) : [];
    return ranges.length === 0 ? 'empty' : { ...one, ranges };
  }
  return one.kind === 'texts' && other.kind === 'texts' ? textsIn(one, other) : undefined;
}

type Texts = Extract<Constraint, { kind: 'texts' }>;

function textsIn(one: Texts, other: Texts): Constraint | 'empty' | undefined {
  if (isWithin(one, other)) return one;
  if (isWithin(other, one)) return other;
  const isPlain = [...one.parts, ...other.parts].every(({ key }) => key !== undefined);
  if (one.isMany || !isPlain) return undefined;
  const parts = one.parts.filter((part) => other.parts.some((each) => implies(part, each)));
  return parts.length === 0 ? 'empty' : { ...one, parts };
}

/** Whether whatever fits the one fits the other. */
function implies(part: TextPart, other: TextPart): boolean {
  return part.same === other.same || (part.key !== undefined && other.fits(part.key));
}

/** Whether all of it is in the other, for sure. */
export function isWithin(one: Constraint, other: Constraint): boolean {
  if (one.kind === 'words' && other.kind === 'words') {
    return [...one.words].every((word) => other.words.has(word));
  }
  if (one.kind === 'texts' && other.kind === 'texts') {
    return one.parts.every((part) => other.parts.some((each) => implies(part, each)));
  }
  const rest = minus(one, other);
  return rest?.kind === 'ranges' && rest.ranges.length === 0;
}

/** What the other leaves of it; undefined: it cannot be told, or nothing of words is left. */
export function minus(one: Constraint, other: Constraint): Constraint | undefined {
  if (one.kind === 'words' && other.kind === 'words') {
    return {
      kind: 'words',
      words: new Set([...one.words].filter((word) => !other.words.has(word))),
    };
  }
  if (one.kind !== 'ranges' || other.kind !== 'ranges' || one.unit !== other.unit) return undefined;
  let left = one.ranges;
  for (const cut of other.ranges)
    left = left.flatMap((range) => outside(range, cut, isWholeUnit(one.unit)));
  return { ...one, ranges: left };
}

function isWholeUnit(unit: string): boolean {
  return unit !== 'ms' && unit !== 'number';
}

function outside(range: Range, cut: Range, isWhole: boolean): Range[] {
  const step = isWhole ? 1 : 0;
  const below = meet(range, {
    low: -Infinity,
    lowIn: false,
    high: cut.low - step,
    highIn: isWhole || !cut.lowIn,
  });
  const above = meet(range, {
    low: cut.high + step,
    lowIn: isWhole || !cut.highIn,
    high: Infinity,
    highIn: false,
  });
  return merged([below, above]);
}

/** What the field may be besides; undefined: it cannot be told. */
export function complement(
  constraint: Constraint,
  condition: FieldCondition,
): Constraint | undefined {
  if (constraint.kind === 'words') {
    const all = condition.kind === 'word' ? condition.field.words : ['true', 'false'];
    return { kind: 'words', words: new Set(all.filter((word) => !constraint.words.has(word))) };
  }
  if (constraint.kind === 'texts') return undefined;
  return minus({ ...constraint, ranges: [EVERYTHING] }, constraint);
}

/** A value that is in it for sure, as an example gives it. */
export function sampleOf(constraint: Constraint): string | undefined {
  if (constraint.kind === 'words') return [...constraint.words][0];
  if (constraint.kind === 'texts')
    return quoted(constraint.parts.find(({ key }) => key !== undefined)?.said);
  const { unit, ranges } = constraint;
  const values = ranges.flatMap((range) => wholeIn(range, unit === 'ms' ? 60_000 : 1) ?? []);
  const [value] = values;
  if (value === undefined) return undefined;
  if (unit === 'ms') return formatDuration(value);
  return unit === 'number' ? String(value) : formatMoney({ amountMinor: value, currency: unit });
}

function quoted(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `"${text}"`;
}

/** The least multiple of the step in it from 0 on: counts have no fractions. */
function wholeIn(range: Range, step: number): number | undefined {
  const from = Math.max(0, Number.isFinite(range.low) ? Math.ceil(range.low / step) * step : 0);
  const value = from === range.low && !range.lowIn ? from + step : from;
  const isIn = value < range.high || (value === range.high && range.highIn);
  return isIn ? value : undefined;
}
