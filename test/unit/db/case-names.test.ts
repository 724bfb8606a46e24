/** Guarantee: a row becomes an object and back with every name changed as a whole, digits and values untouched. */
import { expect, expectTypeOf, it } from 'vitest';
import { camelCased, camelName, snakeCased } from '../../../src/base/db/case-names.ts';

const at = new Date(0);
const ROW = { id: 'c', amount_minor: 12, card_last4: null, first_seen_at: at };
const OBJECT = { id: 'c', amountMinor: 12, cardLast4: null, firstSeenAt: at };

it('turns a row into an object, and back', () => {
  expect(camelCased(ROW)).toEqual(OBJECT);
  expect(snakeCased(OBJECT)).toEqual(ROW);
  expect(camelCased(ROW).firstSeenAt).toBe(at);
  expectTypeOf(camelCased(ROW)).toEqualTypeOf(OBJECT);
  expectTypeOf(snakeCased(OBJECT)).toEqualTypeOf(ROW);
});

it.each([
  ['id', 'id'],
  ['acquirer_reference_number', 'acquirerReferenceNumber'],
  ['card_last_4', 'cardLast4'],
])('%s is %s', (column, property) => {
  expect(camelName(column)).toBe(property);
});
