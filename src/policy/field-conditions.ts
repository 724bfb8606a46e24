/** The question about one fact: which values it accepts. And what an example gives for the fact. */
import { z } from 'zod';
import type { Money } from '../base/kernel/money.ts';
import type { RateTable } from '../base/kernel/rates.ts';
import { parseAmount, parseDuration, parseNumber } from '../base/kernel/units.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import type { AmountRange, Bound } from './bounds.ts';
import { boundsOf, rangeOf, TAKES_BOUNDS } from './bounds.ts';
import type {
  AmountField,
  DurationField,
  FlagField,
  NumberField,
  PolicyField,
  TextField,
  WordField,
} from './field-kinds.ts';
import { acceptedWords } from './fields.ts';
import { FORMS, oneOrMore, parsed } from './language.ts';
import { FIELD } from './problems.ts';
import { suggestion } from './suggestion.ts';
import type { Lists, TextPart } from './text-conditions.ts';
import { comparisonOf, GIVEN_TEXTS, textParts } from './text-conditions.ts';

/** A question about one fact. */
export type FieldCondition =
  | { readonly kind: 'text'; readonly field: TextField; readonly parts: readonly TextPart[] }
  | { readonly kind: 'word'; readonly field: WordField; readonly words: readonly string[] }
  | {
      readonly kind: 'amount';
      readonly field: AmountField;
      readonly ranges: readonly AmountRange[];
      readonly rates: RateTable | null;
    }
  | { readonly kind: 'duration'; readonly field: DurationField; readonly bounds: readonly Bound[] }
  | { readonly kind: 'number'; readonly field: NumberField; readonly bounds: readonly Bound[] }
  | { readonly kind: 'flag'; readonly field: FlagField; readonly value: boolean };

/** What conditions take from the rest of their policy, and what is collected on the way. */
export interface CompileContext {
  readonly lists: Lists;
  /** Null: nothing is converted. */
  readonly rates: RateTable | null;
  /** The words of the conditions met so far. */
  readonly asked: Set<string>;
}

/** A question that was read, and waits for the lists and rates of its policy. */
export type Question = (context: CompileContext) => FieldCondition;

const AMOUNT = parsed(parseAmount, { id: 'amount', pattern: '^\\d+(\\.\\d+)?\\s+[A-Z]{3}$' });
const DURATION = parsed(parseDuration, { id: 'duration', pattern: '^\\d{1,5}\\s*[mhd]$' });
const NUMBER = parsed(parseNumber, {
  id: 'number',
  type: ['number', 'string'],
  minimum: 0,
  pattern: '^\\d{1,9}(\\.\\d{1,4})?$',
});
const FLAG: z.ZodType<boolean> = z
  .enum(['true', 'false'], { error: `"${FIELD}" is true or false.` })
  .register(FORMS, {
    id: 'flag',
    type: ['boolean', 'string'],
    enum: [true, false, 'true', 'false'],
  })
  .transform((written) => written === 'true');

const AMOUNT_BOUNDS = oneOrMore(rangeOf(AMOUNT), { error: TAKES_BOUNDS }).register(FORMS, {
  id: 'amountBounds',
});
const DURATION_BOUNDS = boundsOf(DURATION, 'durationBounds');
const NUMBER_BOUNDS = boundsOf(NUMBER, 'numberBounds');

/** What a rule may ask about a field. */
export function questionAbout(field: PolicyField, brands: BrandTokenMap): z.ZodType<Question> {
  switch (field.kind) {
    case 'amount':
      return AMOUNT_BOUNDS.transform((ranges) => ({ rates }) => ({
        kind: 'amount',
        field,
        ranges,
        rates,
      }));
    case 'duration':
      return DURATION_BOUNDS.transform((bounds) => () => ({ kind: 'duration', field, bounds }));
    case 'number':
      return NUMBER_BOUNDS.transform((bounds) => () => ({ kind: 'number', field, bounds }));
    case 'flag':
      return FLAG.transform((value) => () => ({ kind: 'flag', field, value }));
    case 'word': {
      const error = `"${field.name}" takes a word, or a list of words.`;
      return oneOrMore(wordOf(field, brands, error), { error }).transform((words) => () => ({
        kind: 'word',
        field,
        words,
      }));
    }
    case 'text':
      return comparisonOf(field).transform((comparison) => ({ lists }) => ({
        kind: 'text',
        field,
        parts: textParts(field, comparison, lists),
      }));
  }
}

function wordOf(field: WordField, brands: BrandTokenMap, otherwise?: string): z.ZodType<string> {
  const accepted = acceptedWords(field, brands);
  const words = [...accepted.keys()];
  return z
    .enum(words, {
      error: ({ input }) => {
        if (typeof input !== 'string' && otherwise !== undefined) return otherwise;
        const written = typeof input === 'string' ? input : '';
        return `"${written}" is no value of "${field.name}". ${suggestion(written, words)}`;
      },
    })
    .transform((word) => accepted.get(word) ?? word);
}

/** A value as an example gives it. */
export type GivenValue = Money | number | boolean | string | readonly string[];

/** What an example may give for a field: a value, not a question. */
export function givenFor(field: PolicyField, brands: BrandTokenMap): z.ZodType<GivenValue> {
  switch (field.kind) {
    case 'amount':
      return AMOUNT;
    case 'duration':
      return DURATION;
    case 'number':
      return NUMBER;
    case 'flag':
      return FLAG;
    case 'word':
      return wordOf(field, brands);
    case 'text': {
      const { keyOf } = field;
      return keyOf === undefined
        ? GIVEN_TEXTS
        : GIVEN_TEXTS.transform((given) =>
            typeof given === 'string' ? keyOf(given) : given.map(keyOf),
          );
    }
  }
}
