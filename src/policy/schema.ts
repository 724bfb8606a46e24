/**
 * The JSON Schema of the policy language, for editors: derived from the table of fields and the words
 * that the reader itself goes by.
 *
 * It is as strict as the reader in names and shapes. What it cannot say (bounds that exclude each
 * other, a list or rule that is not named, a text in a wrong currency) `forestall policy check` says.
 */
import { REFUND_AMOUNTS, SIDE_ACTIONS } from '../alerts/decide/policy.ts';
import type { BrandTokenMap } from '../service/wire/brand-tokens.ts';
import { BOUND_WORDS } from './bounds.ts';
import { EXAMPLES_MAX } from './examples.ts';
import type { PolicyField, TextField } from './field-kinds.ts';
import { acceptedWords, POLICY_FIELDS } from './fields.ts';
import { LIST_ENTRIES_MAX, SAME_PART_WORDS } from './head.ts';
import { NAME_LENGTH_MAX, RULES_MAX } from './rules.ts';
import { NOTIFY_LENGTH_MAX } from './side-actions.ts';
import { KEY_WORDS, TEXT_WORDS } from './text-conditions.ts';

/** A schema, or a part of one. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Editors read `10.40` and `true` as a number and a flag; the reader takes them as text. */
const TEXT: JsonSchema = { type: ['string', 'number', 'boolean'], minLength: 1 };
const NAME: JsonSchema = { ...TEXT, maxLength: NAME_LENGTH_MAX };
const AMOUNT: JsonSchema = { type: 'string', pattern: '^\\d+(\\.\\d+)?\\s+[A-Z]{3}$' };
const DURATION: JsonSchema = { type: 'string', pattern: '^\\d{1,5}\\s*[mhd]$' };
const NUMBER: JsonSchema = {
  anyOf: [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: '^\\d{1,9}(\\.\\d{1,4})?$' },
  ],
};
const FLAG: JsonSchema = { enum: [true, false, 'true', 'false'] };
const CURRENCY: JsonSchema = { type: 'string', pattern: '^[A-Z]{3}$' };

/** One of it, or a list of at least one. */
function oneOrMore(item: JsonSchema): JsonSchema {
  return { anyOf: [item, { type: 'array', items: item, minItems: 1 }] };
}

function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function anyOf(words: readonly string[], item: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(words.map((word) => [word, item])),
    additionalProperties: false,
    minProperties: 1,
  };
}

/** The schema of the language; real names of brands are accepted beside the neutral tokens. */
export function policySchema(brands: BrandTokenMap): JsonSchema {
  const fields = [...POLICY_FIELDS.values()];
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Forestall refund policy',
    ...object(topOf(), ['rules', 'otherwise']),
    definitions: {
      ...forms(),
      ...shapes(),
      conditions: {
        type: 'object',
        minProperties: 1,
        additionalProperties: false,
        properties: {
          all: { type: 'array', minItems: 1, items: ref('conditions') },
          any: { type: 'array', minItems: 1, items: ref('conditions') },
          not: ref('conditions'),
          ...Object.fromEntries(fields.map((field) => [field.name, asked(field, brands)])),
        },
      },
      given: object(Object.fromEntries(fields.map((field) => [field.name, given(field, brands)]))),
    },
  };
}

function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

function topOf(): Record<string, JsonSchema> {
  return {
    name: NAME,
    author: NAME,
    timezone: { type: 'string', description: 'Zone of weekday and hour, like Europe/Berlin.' },
    lists: {
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'string', minLength: 1, description: 'A file with one entry per line.' },
          { type: 'array', items: TEXT, maxItems: LIST_ENTRIES_MAX },
        ],
      },
    },
    rates: {
      anyOf: [
        { type: 'string', minLength: 1, description: 'A file with the same lines.' },
        {
          type: 'object',
          required: ['base'],
          properties: { base: CURRENCY },
          patternProperties: { '^[A-Z]{3}$': { type: ['number', 'string'] } },
          additionalProperties: false,
        },
      ],
    },
    rules: { type: 'array', maxItems: RULES_MAX, items: ref('rule') },
    otherwise: ref('outcome'),
    held: ref('fallback'),
    same_part: {
      enum: Object.keys(SAME_PART_WORDS),
      description:
        'One network reports the same part of a charge twice: the same complaint, or another.',
    },
    examples: { type: 'array', maxItems: EXAMPLES_MAX, items: ref('example') },
  };
}

function shapes(): Record<string, JsonSchema> {
  const amount = { enum: [...REFUND_AMOUNTS] };
  const detailed = object({ amount, when_refused: { const: 'accept' } });
  const refund = object({ REFUND: { anyOf: [amount, detailed] } }, ['REFUND']);
  const review = object({ REVIEW: ref('fallback') }, ['REVIEW']);
  return {
    answer: { anyOf: [{ enum: ['REFUND', 'ACCEPT_DISPUTE'] }, refund] },
    outcome: { anyOf: [ref('answer'), { const: 'REVIEW' }, review] },
    fallback: object(
      {
        fallback: ref('answer'),
        at: { type: 'string', pattern: '^\\d{1,5}\\s*[mhd] before deadline$' },
      },
      ['fallback', 'at'],
    ),
    also: oneOrMore({
      anyOf: [
        { enum: [...SIDE_ACTIONS] },
        object({ notify: { ...TEXT, maxLength: NOTIFY_LENGTH_MAX } }, ['notify']),
      ],
    }),
    rule: object(
      Object.fromEntries([
        ['name', NAME],
        ['when', ref('conditions')],
        ['then', ref('outcome')],
        ['also', ref('also')],
      ]),
      ['name', 'when', 'then'],
    ),
    example: object(
      {
        name: NAME,
        given: ref('given'),
        expect: ref('outcome'),
        rule: { ...TEXT, description: 'The rule that should apply, or otherwise.' },
        also: ref('also'),
      },
      ['name', 'given', 'expect'],
    ),
  };
}

/** What a rule may say about a field. */
function asked(field: PolicyField, brands: BrandTokenMap): JsonSchema {
  const described = (form: JsonSchema): JsonSchema => ({
    description: field.about,
    allOf: [form],
  });
  switch (field.kind) {
    case 'amount':
      return described(ref('amountBounds'));
    case 'duration':
      return described(ref('durationBounds'));
    case 'number':
      return described(ref('numberBounds'));
    case 'flag':
      return described(ref('flag'));
    case 'word':
      return described(oneOrMore({ enum: [...acceptedWords(field, brands).keys()] }));
    case 'text':
      return described(ref(textForm(field)));
  }
}

function textForm(field: TextField): string {
  if (field.name === 'currency') return 'currencies';
  return field.keyOf === undefined ? 'textComparison' : 'keyComparison';
}

/** The forms that fields share. */
function forms(): Record<string, JsonSchema> {
  return {
    amount: AMOUNT,
    duration: DURATION,
    number: NUMBER,
    flag: FLAG,
    texts: oneOrMore(TEXT),
    currencies: oneOrMore(CURRENCY),
    amountBounds: oneOrMore(anyOf(BOUND_WORDS, ref('amount'))),
    durationBounds: anyOf(BOUND_WORDS, ref('duration')),
    numberBounds: anyOf(BOUND_WORDS, ref('number')),
    textComparison: { anyOf: [ref('texts'), anyOf(TEXT_WORDS, ref('texts'))] },
    keyComparison: { anyOf: [ref('texts'), anyOf(KEY_WORDS, ref('texts'))] },
  };
}

/** What an example may give for a field: a value, not a question. */
function given(field: PolicyField, brands: BrandTokenMap): JsonSchema {
  switch (field.kind) {
    case 'amount':
    case 'duration':
    case 'number':
    case 'flag':
      return ref(field.kind);
    case 'word':
      return { enum: [...acceptedWords(field, brands).keys()] };
    case 'text':
      return ref('texts');
  }
}
