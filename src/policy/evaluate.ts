/**
 * Evaluates a condition against the facts, in three values: yes, no, and unknown.
 *
 * A rule applies only on a plain yes. What is not known stays unknown under `not` as well, so that
 * "not dispatched" never holds merely because the order is missing.
 */
import type { Truth } from '../alerts/decide/policy.ts';
import type { Money } from '../base/kernel/money.ts';
import { formatMoney } from '../base/kernel/money.ts';
import { convert } from '../base/kernel/rates.ts';
import { formatDuration, formatSpan } from '../base/kernel/units.ts';
import type { AmountRange, Bound } from './bounds.ts';
import type { Condition } from './conditions.ts';
import type { FactView } from './fact-view.ts';
import type { FieldCondition } from './field-conditions.ts';
import { textKey } from './text-conditions.ts';

/** A truth and what settled it, in words. */
export interface Finding {
  readonly truth: Truth;
  readonly why: string;
}

/** Evaluates a condition. Pure; takes time in proportion to the policy's text. */
export function evaluate(condition: Condition, view: FactView): Finding {
  switch (condition.kind) {
    case 'all':
      return combine(condition.inner, view, { settles: 'no', otherwise: 'yes' });
    case 'any':
      return combine(condition.inner, view, { settles: 'yes', otherwise: 'no' });
    case 'not':
      return negate(evaluate(condition.inner, view));
    default:
      return evaluateField(condition, view);
  }
}

/** The first finding that settles it; without one, an unknown; without that, all of them. */
function combine(
  conditions: readonly Condition[],
  view: FactView,
  way: { readonly settles: Truth; readonly otherwise: Truth },
): Finding {
  const findings = conditions.map((condition) => evaluate(condition, view));
  const settled =
    findings.find(({ truth }) => truth === way.settles) ??
    findings.find(({ truth }) => truth === 'unknown');
  return settled ?? { truth: way.otherwise, why: findings.map(({ why }) => why).join(' and ') };
}

const OPPOSITE: Readonly<Record<Truth, Truth>> = { yes: 'no', no: 'yes', unknown: 'unknown' };

function negate({ truth, why }: Finding): Finding {
  return { truth: OPPOSITE[truth], why };
}

function evaluateField(condition: FieldCondition, view: FactView): Finding {
  switch (condition.kind) {
    case 'text':
      return evaluateText(condition, view);
    case 'amount':
      return evaluateAmount(condition, view);
    case 'duration':
    case 'number': {
      const { field, bounds } = condition;
      const value = view.span(field);
      if (value === null) return missing(field.label);
      const isSpan = field.kind === 'duration';
      const met = boundsText(bounds, isSpan ? formatDuration : String);
      return found(allHold(bounds, value), {
        is: `${field.label} is ${isSpan ? formatSpan(value) : value}`,
        met,
      });
    }
    case 'word':
      return evaluateWord(condition, view);
    case 'flag': {
      const { field, value } = condition;
      const flag = view.flag(field);
      if (flag === null) return missing(field.label);
      return { truth: flag === value ? 'yes' : 'no', why: `${field.label} is ${flag}` };
    }
  }
}

function evaluateWord(
  { field, words }: Extract<FieldCondition, { kind: 'word' }>,
  view: FactView,
): Finding {
  const word = view.word(field);
  if (word === null) return missing(field.label);
  const because = view.because?.(field) ?? null;
  const is = `${field.label} is ${word}${because === null ? '' : ` (${because})`}`;
  return words.includes(word)
    ? { truth: 'yes', why: is }
    : { truth: 'no', why: `${is}, not ${words.join(' or ')}` };
}

function missing(label: string): Finding {
  return { truth: 'unknown', why: `${label} is not known` };
}

/** The fact, and the bounds that it keeps or does not keep. */
function found(holds: boolean, text: { readonly is: string; readonly met: string }): Finding {
  return holds
    ? { truth: 'yes', why: `${text.is}, ${text.met}` }
    : { truth: 'no', why: `${text.is}, not ${text.met}` };
}

type AmountCondition = Extract<FieldCondition, { kind: 'amount' }>;

/** One range, the value in its currency, and whether it is within. */
interface Compared {
  readonly range: AmountRange;
  readonly shown: Money;
  readonly holds: boolean;
}

function evaluateAmount(condition: AmountCondition, view: FactView): Finding {
  const { field, ranges } = condition;
  const value = view.amount(field);
  if (value === null) return missing(field.label);
  const compared = compareRanges(condition, value);
  const is = `${field.label} is ${formatMoney(value)}`;
  // Another currency is neither within nor outside, unless the merchant's own rates say so.
  if (compared.length === 0) {
    const named = [...new Set(ranges.map(({ currency }) => currency))].join(' and ');
    return { truth: 'unknown', why: `${is} and the rule names ${named} only` };
  }
  const within = compared.filter(({ holds }) => holds);
  const shown = within.length > 0 ? within.slice(0, 1) : compared;
  const [first] = shown;
  const converted =
    first === undefined || first.shown.currency === value.currency
      ? ''
      : ` (about ${formatMoney(first.shown)})`;
  return found(within.length > 0, {
    is: `${is}${converted}`,
    met: shown.map(({ range }) => rangeText(range)).join(', or '),
  });
}

function rangeText({ bounds, currency }: AmountRange): string {
  return boundsText(bounds, (amountMinor) => formatMoney({ amountMinor, currency }));
}

/** The ranges in the value's own currency; without any, those it can be converted for. */
function compareRanges({ ranges, rates }: AmountCondition, value: Money): Compared[] {
  const own = ranges.filter(({ currency }) => currency === value.currency);
  if (own.length > 0 || rates === null) {
    return own.map((range) => ({
      range,
      shown: value,
      holds: allHold(range.bounds, value.amountMinor),
    }));
  }
  return ranges.flatMap((range) => {
    const converted = convert(value, range.currency, rates);
    if (converted === null) return [];
    const { comparable, shown } = converted;
    return [{ range, shown, holds: allHold(range.bounds, comparable) }];
  });
}

/** How many of several texts a sentence shows. */
const SHOWN_MAX = 3;

function evaluateText(
  { field, parts }: Extract<FieldCondition, { kind: 'text' }>,
  view: FactView,
): Finding {
  const value = view.text(field);
  if (value === null) return missing(field.label);
  const values = typeof value === 'string' ? [value] : value;
  const keys = field.keyOf === undefined ? values.map(textKey) : values;
  const fitting = parts.find(({ fits }) => keys.some(fits));
  const wanted = parts.map(({ said }) => said).join(' or ');
  if (field.keyOf !== undefined) {
    return fitting === undefined
      ? { truth: 'no', why: `${field.label} is not ${wanted}` }
      : { truth: 'yes', why: `${field.label} is ${fitting.said}` };
  }
  const is = `${field.label} is ${shownTexts(values)}`;
  if (fitting === undefined) return { truth: 'no', why: `${is}, not ${wanted}` };
  const equal = keys.includes(textKey(fitting.said));
  return { truth: 'yes', why: equal ? is : `${is}, ${fitting.said}` };
}

function shownTexts(values: readonly string[]): string {
  if (values.length === 0) return 'none';
  const shown = values.slice(0, SHOWN_MAX).join(' and ');
  const more = values.length - SHOWN_MAX;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function allHold(bounds: readonly Bound[], value: number): boolean {
  return bounds.every((bound) => holds(bound, value));
}

/** Whether a value keeps a bound. */
export function holds({ word, value: bound }: Bound, value: number): boolean {
  switch (word) {
    case 'at_least':
      return value >= bound;
    case 'at_most':
      return value <= bound;
    case 'above':
      return value > bound;
    case 'below':
      return value < bound;
    case 'equals':
      return value === bound;
  }
}

function boundsText(bounds: readonly Bound[], format: (value: number) => string): string {
  return bounds
    .map(({ word, value }) => `${word.replace('_', ' ')} ${format(value)}`)
    .join(' and ');
}
