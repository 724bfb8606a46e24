/** Guarantee: the published JSON Schema is the one of this version, and says what the reader says. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { POLICY_FIELDS } from '../../../src/policy/fields.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { policySchema } from '../../../src/policy/schema.ts';
import { PolicyError } from '../../../src/policy/source.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';

const folder = new URL('../../../templates/policies/', import.meta.url);
const schema = policySchema(IDENTITY_BRAND_TOKENS);
const validate = new Ajv({ allowUnionTypes: true, strict: false }).compile(schema);

function readerAccepts(text: string): boolean {
  try {
    loadPolicy(text, { file: 'p.yaml' });
    return true;
  } catch (error) {
    if (error instanceof PolicyError) return false;
    throw error;
  }
}

/** As an editor would see it: with YAML's usual types. */
function schemaAccepts(text: string): boolean {
  return validate(parse(text));
}

const rule = (when: string, rest = 'then: REFUND') =>
  `rules:\n  - {name: r, when: ${when}, ${rest}}\notherwise: REVIEW\n`;
const top = (line: string) => `${line}\nrules: []\notherwise: REVIEW\n`;

test('the published file is what this version makes', () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL('policy.schema.json', folder), 'utf8'),
  );
  expect(published).toEqual(JSON.parse(JSON.stringify(schema)));
});

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  '%s is valid by both',
  (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    expect({ schema: schemaAccepts(text), faults: validate.errors ?? [] }).toEqual({
      schema: true,
      faults: [],
    });
    expect(readerAccepts(text)).toBe(true);
  },
);

/** A right and a wrong value for each kind of field. */
const VALUES = {
  text: ['[A, "b c"]', '[]'],
  word: undefined,
  amount: ['{at_most: 5.00 USD}', '5.00 USD'],
  duration: ['{above: 3d}', '{above: 3 days}'],
  number: ['{at_least: 3, below: 9.5}', '{at_least: many}'],
  flag: ['true', 'maybe'],
} as const;

describe('every condition', () => {
  test.each([...POLICY_FIELDS.values()].map((field) => [field.name, field] as const))(
    '%s is known to both, in the same form',
    (name, field) => {
      const [right, wrong] =
        field.kind === 'word' ? [`[${field.words.join(', ')}]`, 'nonsense'] : VALUES[field.kind];
      const good = rule(`{${name}: ${name === 'currency' ? '[USD, EUR]' : right}}`);
      const bad = rule(`{${name}: ${wrong}}`);
      expect([readerAccepts(good), schemaAccepts(good)]).toEqual([true, true]);
      expect([readerAccepts(bad), schemaAccepts(bad)]).toEqual([false, false]);
    },
  );
});

describe('every part', () => {
  test.each<[boolean, string]>([
    [true, top('name: Shop\nauthor: jane\ntimezone: Europe/Berlin')],
    [true, top('lists: {vips: [a, 1]}')],
    [true, top('rates: {base: USD, EUR: 1.08}')],
    [true, top('held: {fallback: ACCEPT_DISPUTE, at: 2h before deadline}')],
    [true, top('same_part: review')],
    [true, top('same_part: again')],
    [true, top('same_part: another')],
    [true, top('examples: [{name: e, given: {amount: 5 USD, weekday: monday}, expect: REVIEW}]')],
    [true, rule('{any: [{twin: true}, {not: {rdr: true}}], all: [{currency: USD}]}')],
    [true, rule('{twin: true}', 'then: {REFUND: remainder}, also: [notify, stop_fulfilment]')],
    [true, rule('{twin: true}', 'then: REVIEW, also: {notify: look}')],
    [true, rule('{reason_code: 10.40, dispatched: "true"}')],
    [true, rule('{customer_email: {equals: a@b.c}}')],
    [false, top('nmae: Shop')],
    [false, top('name: ""')],
    [false, top('rates: {EUR: 1.08}')],
    [false, top('lists: [a]')],
    [false, top('held: ACCEPT_DISPUTE')],
    [false, top('same_part: AGAIN')],
    [false, top('same_part: [again]')],
    [false, top('same_part: toString')],
    [false, top('held: {fallback: ACCEPT_DISPUTE, at: soon}')],
    [false, top('examples: [{name: e, expect: REVIEW}]')],
    [false, top('examples: [{name: e, given: {zebra: 1}, expect: REVIEW}]')],
    [false, 'rules: []\n'],
    [false, 'otherwise: REVIEW\n'],
    [false, rule('{}')],
    [false, rule('{zebra: 1}')],
    [false, rule('{any: []}')],
    [false, rule('{any: {twin: true}}')],
    [false, rule('{not: [{twin: true}]}')],
    [false, rule('{twin: true}', 'then: REFUSE')],
    [false, rule('{twin: true}', 'then: CANCEL')],
    [false, rule('{twin: true}', 'then: {REFUND: half}')],
    [false, rule('{twin: true}', 'then: {REFUND: full, REVIEW: x}')],
    [false, rule('{twin: true}', 'then: REFUND, also: fire')],
    [false, rule('{twin: true}', 'then: REFUND, also: []')],
    [false, rule('{twin: true}', 'than: REFUND')],
    [false, rule('{customer_email: {starts_with: a}}')],
    [false, rule('{descriptor: {like: a}}')],
    [false, rule('{amount: {at_most: 5}}')],
    [false, rule('{currency: usd}')],
  ])('%s by both: %j', (expected, text) => {
    expect([readerAccepts(text), schemaAccepts(text)]).toEqual([expected, expected]);
  });
});
