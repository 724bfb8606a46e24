/** What a rule says about a text: whole values, beginnings, ends, parts, and named lists. */
import { z } from 'zod';
import type { TextField } from './field-kinds.ts';
import { FORMS, mapping, oneOrMore, text, wrongCode } from './language.ts';
import { FIELD } from './problems.ts';

/** How a text can be compared. */
export const TEXT_WORDS = ['equals', 'starts_with', 'ends_with', 'contains', 'in_list'] as const;
type TextWord = (typeof TEXT_WORDS)[number];
/** What is kept as a key can be compared as a whole only. */
const KEY_WORDS = ['equals', 'in_list'] as const;

/** The entries of the lists that a policy names. */
export type Lists = ReadonlyMap<string, readonly string[]>;

/** One way in which a text fits. */
export interface TextPart {
  /** As a sentence says it. */
  readonly said: string;
  /** What it is compared by: {@link textKey} of the value, or the field's own key. */
  readonly fits: (key: string) => boolean;
  /** Two parts with the same words here fit the same texts. */
  readonly same: string;
  /** The only text that fits; undefined: there are others. */
  readonly key?: string;
}

/** A text as it is compared: without regard to case and repeated spaces. */
export function textKey(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toUpperCase();
}

const TAKES_TEXTS = `"${FIELD}" takes a text, or a list of texts.`;

/** One text, or a list of them; never an empty one, which would match by accident. */
const texts = oneOrMore(text(TAKES_TEXTS), { error: TAKES_TEXTS }).register(FORMS, { id: 'texts' });

/** What an example gives for a text: one or several. */
export const GIVEN_TEXTS: z.ZodType<string | string[]> = z
  .union([z.array(text(TAKES_TEXTS)), text(TAKES_TEXTS)], { error: TAKES_TEXTS })
  .register(FORMS, { id: 'givenTexts' });

/** Texts by how they are compared. */
export type Comparison = Partial<Record<TextWord, string[]>>;

/** `TEXT`, `[TEXT, …]` or `{starts_with: …, in_list: …}`, compared by these words only. */
function comparisonBy(words: readonly TextWord[], id: string): z.ZodType<Comparison> {
  const comparisons = mapping(Object.fromEntries(words.map((word) => [word, texts.optional()])), {
    what: 'comparison',
    error: TAKES_TEXTS,
  })
    .register(FORMS, { minProperties: 1 })
    .refine((read) => Object.keys(read).length > 0, {
      error: `"${FIELD}" has nothing to compare with.`,
    });
  return z
    .union([comparisons, texts.transform((equals) => ({ equals }))], { error: TAKES_TEXTS })
    .register(FORMS, { id });
}

const TEXT_COMPARISON = comparisonBy(TEXT_WORDS, 'textComparison');
const KEY_COMPARISON = comparisonBy(KEY_WORDS, 'keyComparison');

const CURRENCIES: z.ZodType<Comparison> = oneOrMore(
  text(TAKES_TEXTS).register(FORMS, { type: 'string', pattern: '^[A-Z]{3}$' }),
  { error: 'write currencies as USD or [USD, EUR].' },
)
  .register(FORMS, { id: 'currencies' })
  .transform((equals, context) => {
    const wrong = equals.map(wrongCode).find((message) => message !== null);
    if (wrong !== undefined) context.addIssue(wrong);
    return { equals };
  });

/** What can be said about a text field. */
export function comparisonOf(field: TextField): z.ZodType<Comparison> {
  if (field.name === 'currency') return CURRENCIES;
  return field.keyOf === undefined ? TEXT_COMPARISON : KEY_COMPARISON;
}

/** The ways in which a text fits; any of them is enough. */
export function textParts(
  field: TextField,
  comparison: Comparison,
  lists: Lists,
): readonly TextPart[] {
  return TEXT_WORDS.flatMap((word) =>
    (comparison[word] ?? []).map((each) =>
      word === 'in_list' ? listPart(field, each, lists.get(each) ?? []) : partOf(word, each, field),
    ),
  );
}

function partOf(word: Exclude<TextWord, 'in_list'>, text: string, field: TextField): TextPart {
  const key = keyIn(field, text);
  const same = `${word} ${key}`;
  switch (word) {
    case 'equals':
      return {
        said: field.keyOf === undefined ? text : 'the one the policy names',
        fits: (value) => value === key,
        same,
        key,
      };
    case 'starts_with':
      return { said: `${text}…`, fits: (value) => value.startsWith(key), same };
    case 'ends_with':
      return { said: `…${text}`, fits: (value) => value.endsWith(key), same };
    case 'contains':
      return { said: `…${text}…`, fits: (value) => value.includes(key), same };
  }
}

function listPart(field: TextField, name: string, entries: readonly string[]): TextPart {
  const keys = new Set(entries.map((each) => keyIn(field, each)));
  return {
    said: `on the list "${name}"`,
    fits: (value) => keys.has(value),
    same: `in_list ${name}`,
  };
}

function keyIn(field: TextField, text: string): string {
  return field.keyOf === undefined ? textKey(text) : field.keyOf(text);
}
