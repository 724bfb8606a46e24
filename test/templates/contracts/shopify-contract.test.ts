/**
 * Guarantee: every call of the Shopify adapter is one of the published schema, and every word that the schema lists is
 * known. A newer schema that differs in what is used fails here (`support/shopify-admin-*.graphql` says how it is made).
 */
import { GraphQLEnumType, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { READ, REFUND, VOID } from '../../../templates/processors/shopify/processor.ts';
import { SHOPIFY_CLASSES } from '../../../templates/processors/shopify/refusals.ts';
import { API_VERSION } from '../../../templates/processors/shopify/shopify-api.ts';
import { SHOPIFY_WORDS } from '../../../templates/processors/shopify/words.ts';
import { publishedSchema } from '../processors/fakes/shopify-fake.ts';

const schema = publishedSchema();

function wordsOf(name: string): string[] {
  const type = schema.getType(name);
  if (!(type instanceof GraphQLEnumType)) throw new Error(`${name} is no enum`);
  return type
    .getValues()
    .map((value) => value.name)
    .toSorted();
}

it.each([
  ['reading', READ],
  ['the refund', REFUND],
  ['the release of an authorisation', VOID],
])('%s is a call of the schema', (_what, query) => {
  expect(validate(schema, parse(query))).toEqual([]);
});

describe('words', () => {
  it.each([
    ['transaction.kind', 'OrderTransactionKind'],
    ['payment.status', 'OrderTransactionStatus'],
    ['refund.status', 'OrderTransactionStatus'],
    ['dispute.status', 'DisputeStatus'],
  ] as const)('of %s are those of %s, all of them', (field, name) => {
    expect(Object.keys(SHOPIFY_WORDS[field]).toSorted()).toEqual(wordsOf(name));
  });

  it('of a refund that failed are error codes of transactions', () => {
    const ofCalls = [
      'THROTTLED',
      'USER_ERROR',
      'ACCESS_DENIED',
      'MAX_COST_EXCEEDED',
      'SHOP_INACTIVE',
    ];
    const ofRefunds = [...SHOPIFY_CLASSES.keys()].filter((word) => !ofCalls.includes(word));
    const known = wordsOf('OrderTransactionErrorCode');
    expect(ofRefunds.filter((word) => !known.includes(word))).toEqual([]);
    expect(ofRefunds.length).toBeGreaterThan(0);
  });
});

it('are calls of the version that the schema is of', () => {
  expect(API_VERSION).toBe('2026-10');
  expect(schema.getDirective('idempotent')?.args.map(({ name }) => name)).toEqual(['key']);
});
