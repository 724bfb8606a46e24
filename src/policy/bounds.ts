/** Bounds of amounts, durations and numbers: `{at_least: 10.00 USD, below: 50.00 USD}`. */
import type { z } from 'zod';
import type { Money } from '../base/kernel/money.ts';
import { FORMS, mapping } from './language.ts';
import { FIELD } from './problems.ts';

/** How a bound compares. */
export const BOUND_WORDS = ['at_least', 'at_most', 'above', 'below', 'equals'] as const;
export type BoundWord = (typeof BOUND_WORDS)[number];

export interface Bound {
  readonly word: BoundWord;
  readonly value: number;
}

/** Bounds that hold together, in one currency. */
export interface AmountRange {
  readonly currency: string;
  readonly bounds: readonly Bound[];
}

/** Said of what holds no bounds. */
export const TAKES_BOUNDS = `"${FIELD}" takes bounds: ${BOUND_WORDS.join(', ')}.`;

/** As a sentence says them: from below, then from above. */
const SAID: readonly BoundWord[] = ['at_least', 'above', 'at_most', 'below', 'equals'];

type Written<Value> = { readonly word: BoundWord; readonly value: Value };

/** Bounds of one kind of value: at least one, with their words. */
function written<Value>(value: z.ZodType<Value>): z.ZodType<Written<Value>[]> {
  const each = value.optional();
  return mapping(
    { at_least: each, at_most: each, above: each, below: each, equals: each },
    { what: 'bound', where: ` of "${FIELD}"`, error: TAKES_BOUNDS },
  )
    .register(FORMS, { minProperties: 1 })
    .transform((read, context) => {
      const bounds = SAID.flatMap((word) => {
        const bound = read[word];
        return bound === undefined ? [] : [{ word, value: bound }];
      });
      if (bounds.length === 0) context.addIssue(TAKES_BOUNDS);
      return bounds;
    });
}

/** The bounds of a condition, together not impossible. */
export function boundsOf(value: z.ZodType<number>, id: string): z.ZodType<Bound[]> {
  return written(value)
    .refine((bounds) => !isEmptyRange(bounds), { error: EMPTY_RANGE })
    .register(FORMS, { id });
}

/** The bounds of an amount, all in one currency. */
export function rangeOf(amount: z.ZodType<Money>): z.ZodType<AmountRange> {
  return written(amount).transform((amounts, context) => {
    const currencies = new Set(amounts.map(({ value }) => value.currency));
    const bounds = amounts.map(({ word, value }) => ({ word, value: value.amountMinor }));
    if (currencies.size > 1) {
      context.addIssue(
        `the bounds of one "${FIELD}" must be in one currency. Use a list for several.`,
      );
    } else if (isEmptyRange(bounds)) context.addIssue(EMPTY_RANGE);
    return { currency: [...currencies].join(), bounds };
  });
}

const EMPTY_RANGE = `nothing can be within these bounds of "${FIELD}".`;

const LOW_WORDS: ReadonlySet<BoundWord> = new Set(['at_least', 'above', 'equals']);
const HIGH_WORDS: ReadonlySet<BoundWord> = new Set(['at_most', 'below', 'equals']);

/** Whether no number can satisfy all bounds: a slip that would silence a rule for ever. */
function isEmptyRange(bounds: readonly Bound[]): boolean {
  const lows = bounds.filter(({ word }) => LOW_WORDS.has(word));
  const highs = bounds.filter(({ word }) => HIGH_WORDS.has(word));
  return lows.some((low) =>
    highs.some((high) => {
      const strict = low.word === 'above' || high.word === 'below';
      return low.value > high.value || (strict && low.value === high.value);
    }),
  );
}
