/**
 * What the description of the policy language is built from: zod, with the merchant's words about
 * what is wrong, and with what editors should know.
 *
 * The reader sees texts only. Editors read `10.40` and `true` as a number and a flag, so forms name
 * those types too.
 */
import { z } from 'zod';
import { isRecord } from '../base/kernel/is-record.ts';
import { isCurrencyCode } from '../base/kernel/money.ts';
import type { Parsed } from '../base/kernel/units.ts';
import { FIELD, OF_KEY, SEPARATOR } from './problems.ts';
import { suggestion } from './suggestion.ts';

/** Keywords of JSON Schema that a part has besides what zod knows of it; `id` makes it a definition. */
export const FORMS = z.registry<{ readonly id?: string; readonly [keyword: string]: unknown }>();

/** Must be there; otherwise `error` is said. */
export function required<Schema extends z.ZodType>(
  schema: Schema,
  error: string,
): z.ZodNonOptional<z.ZodOptional<Schema>> {
  return z.nonoptional(schema.optional(), { error });
}

/** A map of these keys; `error` is said of anything else, `what` and `of` name its keys. */
export function mapping<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  { error, what = 'key', where = '' }: { error: string; what?: string; where?: string },
): z.ZodObject<Shape, z.core.$strict> {
  const words = Object.keys(shape);
  const unknown = (key: string): string =>
    `unknown ${what} "${key}"${where}. ${suggestion(key, words)}`;
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map(unknown).join(SEPARATOR) : error,
  });
}

/** A text that is not empty. */
export function text(error: string, lengthMax?: number): z.ZodString {
  const some = z.string({ error }).min(1, { error });
  return (lengthMax === undefined ? some : some.max(lengthMax, { error })).register(FORMS, {
    type: ['string', 'number', 'boolean'],
  });
}

/** A text that is read further, for example an amount. */
export function parsed<Value>(
  parse: (text: string) => Parsed<Value>,
  form: { readonly id?: string; readonly [keyword: string]: unknown },
): z.ZodType<Value> {
  return z
    .string({ error: () => messageOf(parse('')) })
    .register(FORMS, form)
    .transform((written, context) => {
      const read = parse(written);
      if (read.ok) return read.value;
      context.addIssue(read.message);
      return z.NEVER;
    });
}

function messageOf(read: Parsed<unknown>): string {
  return read.ok ? '' : read.message;
}

/** One of it, or a list of at least one; `error` is said of what is neither. */
export function oneOrMore<Value>(
  item: z.ZodType<Value>,
  { error, empty = `the list of "${FIELD}" is empty.` }: { error: string; empty?: string },
): z.ZodType<Value[]> {
  return z.union([z.array(item).min(1, { error: empty }), item.transform((value) => [value])], {
    error,
  });
}

/** What is said of a code that is no currency; null of one that is. */
export function wrongCode(code: string): string | null {
  return isCurrencyCode(code)
    ? null
    : `"${code}" is not a currency. Write three capital letters, like USD.`;
}

/** What {@link named} reads. */
interface Named<Value> {
  /** The words that can be alone, and what each then is. */
  readonly bare: Readonly<Record<string, Value>>;
  /** By word, what reads `{WORD: …}`. */
  readonly detailed: Readonly<Record<string, z.ZodType<Value>>>;
  /** How a word is called in a message: `outcome`. */
  readonly what: string;
  /** What is said when several words are in one place. */
  readonly several: string;
  /** Words that are known elsewhere, and what is said about them here. */
  readonly refused?: ReadonlyMap<string, string>;
}

/** Reads `WORD` or `{WORD: …}`. */
export function named<Value>(about: Named<Value>): z.ZodType<Value> {
  const { bare, detailed } = about;
  const alone = Object.entries(bare).map(([word, value]) => z.literal(word).transform(() => value));
  return z.preprocess(
    (input, context) => {
      noteWrongWord(input, about, context);
      return input;
    },
    z.union([...alone, ...Object.values(detailed)]),
  );
}

/** Says which word is wrong: at its key, or at what comes after it. */
function noteWrongWord(input: unknown, about: Named<unknown>, context: z.RefinementCtx): void {
  const { bare, detailed, what, several, refused } = about;
  const keys = isRecord(input) ? Object.keys(input) : [];
  const [key, second] = keys;
  const word = typeof input === 'string' ? input : (key ?? '');
  const ofKey = key === undefined ? {} : { path: [key], params: OF_KEY };
  if (second !== undefined) {
    context.addIssue({ code: 'custom', path: [second], message: several, params: OF_KEY });
  } else if (!Object.hasOwn(bare, word)) {
    const hint = suggestion(word, Object.keys(bare));
    const unknown = word === '' ? `an ${what} is missing` : `unknown ${what} "${word}"`;
    const message = refused?.get(word) ?? `${unknown}. ${hint}`;
    context.addIssue({ code: 'custom', message, ...ofKey });
  } else if (key !== undefined && !Object.hasOwn(detailed, key)) {
    context.addIssue({ code: 'custom', path: [key], message: `${key} takes nothing after it.` });
  }
}
