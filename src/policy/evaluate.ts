/**
 * Evaluates a condition against the facts, in three values: yes, no, and unknown.
 *
 * A rule applies only on a plain yes. What is not known stays unknown under `not` as well, so that
 * "not dispatched" never holds merely because the order is missing.
 */

import type { DecisionFacts } from '../decide/facts.ts';
import type { Truth } from '../decide/policy.ts';
import { formatMoney } from '../kernel/money.ts';
import type { AmountRange, Bound } from './bounds.ts';
import type { Condition, FieldCondition, TextCondition } from './conditions.ts';
import type { AmountField } from './fields.ts';
import { formatDuration } from './units.ts';

/** A truth and what settled it, in words. */
export interface Finding {
  readonly truth: Truth;
  readonly why: string;
}

/** Evaluates a condition. Pure. */
export function evaluate(condition: Condition, facts: DecisionFacts): Finding {
  switch (condition.kind) {
    case 'all':
      return combine(condition.of, facts, { settles: 'no', otherwise: 'yes' });
    case 'any':
      return combine(condition.of, facts, { settles: 'yes', otherwise: 'no' });
    case 'not':
      return negate(evaluate(condition.of, facts));
    default:
      return evaluateField(condition, facts);
  }
}

/** The first finding that settles it; without one, an unknown; without that, all of them. */
function combine(
  of: readonly Condition[],
  facts: DecisionFacts,
  way: { readonly settles: Truth; readonly otherwise: Truth },
): Finding {
  const findings = of.map((condition) => evaluate(condition, facts));
  const settled =
    findings.find(({ truth }) => truth === way.settles) ??
    findings.find(({ truth }) => truth === 'unknown');
  return settled ?? { truth: way.otherwise, why: findings.map(({ why }) => why).join(' and ') };
}

const OPPOSITE: Readonly<Record<Truth, Truth>> = { yes: 'no', no: 'yes', unknown: 'unknown' };

function negate({ truth, why }: Finding): Finding {
  return { truth: OPPOSITE[truth], why };
}

function evaluateField(condition: FieldCondition, facts: DecisionFacts): Finding {
  switch (condition.kind) {
    case 'amount':
      return evaluateAmount(condition.field, condition.ranges, facts);
    case 'text':
      return evaluateText(condition, facts);
    case 'duration': {
      const { field, bounds } = condition;
      const spanMs = field.read(facts);
      if (spanMs === null) return missing(field.label);
      return found(allHold(bounds, spanMs), {
        is: `${field.label} is ${formatSpan(spanMs)}`,
        wanted: bounds.map((bound) => boundText(bound, formatDuration)).join(' and '),
      });
    }
    case 'word': {
      const { field, words } = condition;
      const word = field.read(facts);
      if (word === null) return missing(field.label);
      return found(words.includes(word), {
        is: `${field.label} is ${word}`,
        wanted: words.join(' or '),
      });
    }
    case 'flag': {
      const { field, value } = condition;
      const flag = field.read(facts);
      if (flag === null) return missing(field.label);
      return { truth: flag === value ? 'yes' : 'no', why: `${field.label} is ${flag}` };
    }
  }
}

function missing(label: string): Finding {
  return { truth: 'unknown', why: `${label} is not known` };
}

/** On a yes the fact alone is told; on a no also what would have been wanted. */
function found(holds: boolean, text: { readonly is: string; readonly wanted: string }): Finding {
  return holds
    ? { truth: 'yes', why: text.is }
    : { truth: 'no', why: `${text.is}, not ${text.wanted}` };
}

function evaluateAmount(
  field: AmountField,
  ranges: readonly AmountRange[],
  facts: DecisionFacts,
): Finding {
  const value = field.read(facts);
  if (value === null) return missing(field.label);
  const is = `${field.label} is ${formatMoney(value)}`;
  const speaking = ranges.filter(({ currency }) => currency === value.currency);
  // Another currency is neither within nor outside: nothing here converts.
  if (speaking.length === 0) {
    const named = [...new Set(ranges.map(({ currency }) => currency))].join(' and ');
    return { truth: 'unknown', why: `${is} and the rule names ${named} only` };
  }
  return found(
    speaking.some(({ bounds }) => allHold(bounds, value.amountMinor)),
    {
      is,
      wanted: speaking
        .map(({ bounds, currency }) =>
          bounds
            .map((bound) =>
              boundText(bound, (amountMinor) => formatMoney({ amountMinor, currency })),
            )
            .join(' and '),
        )
        .join(', or '),
    },
  );
}

function evaluateText(wanted: TextCondition, facts: DecisionFacts): Finding {
  const { label } = wanted.field;
  const value = wanted.field.read(facts);
  if (value === null) return missing(label);
  const key = textKey(value);
  const holds =
    wanted.equals.some((text) => textKey(text) === key) ||
    wanted.startsWith.some((text) => key.startsWith(textKey(text)));
  const texts = [...wanted.equals, ...wanted.startsWith.map((text) => `${text}…`)];
  return found(holds, { is: `${label} is ${value}`, wanted: texts.join(' or ') });
}

function textKey(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toUpperCase();
}

function allHold(bounds: readonly Bound[], value: number): boolean {
  return bounds.every((bound) => holds(bound, value));
}

function holds({ word, value: bound }: Bound, value: number): boolean {
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

function boundText(bound: Bound, format: (value: number) => string): string {
  return `${bound.word.replace('_', ' ')} ${format(bound.value)}`;
}

/** A measured span, to the minute. */
function formatSpan(spanMs: number): string {
  const minutes = Math.trunc(spanMs / 60_000);
  const [days, hours] = [Math.trunc(minutes / 1440), Math.trunc((minutes % 1440) / 60)];
  if (days !== 0) return `${days}d ${Math.abs(hours)}h`;
  return hours === 0 ? `${minutes}m` : `${hours}h ${Math.abs(minutes % 60)}m`;
}
