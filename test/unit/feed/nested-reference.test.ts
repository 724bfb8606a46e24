/** Guarantee: nested references say which order they belong to when they would not be unique by themselves. */
import { describe, expect, it } from 'vitest';
import {
  createFinder,
  ownReference,
  wishedReferences,
  withReferences,
} from '../../../src/orders/nested-reference.ts';
import { orderBodySchema } from '../../../src/orders/order-body.ts';

function order(parts: Record<string, unknown>) {
  return orderBodySchema.parse({
    type: 'PARTIAL',
    organisation_id: 'o',
    integration_id: 'i',
    reference_id: 'A-1',
    ...parts,
  });
}

function items(...entries: Record<string, unknown>[]) {
  return wishedReferences(order({ items: entries })).map(({ reference }) => reference);
}

describe('wished references', () => {
  it.each([
    [{ reference_id: 'LAMP-BLUE', sku: 'LAMP-BLUE' }, 'A-1:LAMP-BLUE'],
    [{ reference_id: '1' }, 'A-1:1'],
    [{ reference_id: '0042' }, 'A-1:0042'],
    [{ reference_id: 'line-88213', sku: 'LAMP' }, 'line-88213'],
    [{ reference_id: 'A-1:7' }, 'A-1:7'],
    [{ reference_id: 'A-1/7', sku: 'A-1/7' }, 'A-1/7'],
    [{ reference_id: 'A-12', sku: 'A-12' }, 'A-1:A-12'], // begins alike, and is a product
  ])('%j becomes %s', (entry, expected) => {
    expect(items(entry)).toEqual([expected]);
  });

  it('tells two lines of one product apart', () => {
    expect(items({ reference_id: 'S', sku: 'S' }, { reference_id: 'S', sku: 'S' })).toEqual([
      'A-1:S',
      'A-1:S#2',
    ]);
  });

  it("keeps the processor's names of payments and refunds", () => {
    const wished = wishedReferences(
      order({
        transactions: [{ reference_id: '7', amount_in_cents: 1, currency: 'USD' }],
        refunds: [{ reference_id: '8', amount_in_cents: 1, currency: 'USD' }],
      }),
    );
    expect(wished.map(({ reference }) => reference)).toEqual(['7', '8']);
  });
});

it('offers a different reference in every round', () => {
  expect(ownReference('A-1', { reference: 'x', round: 1 })).toBe('A-1:x');
  expect(ownReference('A-1', { reference: 'A-1:x', round: 2 })).toBe('A-1:x#3');
  expect(ownReference('A-1', { reference: 'A-1:x', round: 1 })).toBe('A-1:x#2');
});

it('renames entries together with what points at them', () => {
  const given = order({
    deliveries: [{ reference_id: 'd', type: 'PHYSICAL' }],
    items: [{ reference_id: 'i', delivery_reference_id: 'd' }],
    transactions: [{ reference_id: 'ch_1', amount_in_cents: 1, currency: 'USD' }],
    refunds: [
      {
        reference_id: 're_1',
        amount_in_cents: 1,
        currency: 'USD',
        original_transaction_reference_id: 'ch_1',
      },
    ],
  });
  const names = wishedReferences(given).map((name) =>
    name.kind === 'transaction' ? { ...name, reference: 'A-1:ch_1' } : name,
  );
  const renamed = withReferences(given, names);
  expect(renamed.items).toEqual([{ reference_id: 'A-1:i', delivery_reference_id: 'A-1:d' }]);
  expect(renamed.deliveries?.[0]?.reference_id).toBe('A-1:d');
  expect(renamed.refunds?.[0]?.original_transaction_reference_id).toBe('A-1:ch_1');
});

it('finds an entry by what the merchant calls it, by its sent name and by its alias', () => {
  const find = createFinder([{ kind: 'refund', given: 'g', reference: 'r', alias: 'a' }]);
  expect(['g', 'r', 'a', 'z'].map((name) => find('refund', name))).toEqual(['r', 'r', 'r', 'z']);
  expect(find('item', 'g')).toBe('g');
});
