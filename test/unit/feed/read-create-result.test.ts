/** Guarantee: no order of a batch is given another's fate. */
import { expect, it } from 'vitest';
import { readCreateResult } from '../../../src/orders/read-create-result.ts';

const batch = ['a', 'b', 'c'].map((reference_id) => ({ integration_id: 'int_1', reference_id }));

it('reads created orders by reference and refused ones by index', () => {
  const fates = readCreateResult(batch, {
    created: 2,
    failed: 1,
    results: [
      { id: 'ord_c', reference_id: 'c' },
      { id: 'ord_a', reference_id: 'a' },
    ],
    errors: [{ index: 1, code: 'MISSING_FIELD' }],
  });
  expect(fates).toMatchObject([
    { kind: 'created', orderId: 'ord_a' },
    { kind: 'refused', error: { code: 'MISSING_FIELD' } },
    { kind: 'created', orderId: 'ord_c' },
  ]);
});

it('believes the reference when it contradicts the index', () => {
  const fates = readCreateResult(batch, {
    created: 0,
    failed: 1,
    results: [],
    errors: [{ index: 0, reference_id: 'c', code: 'DUPLICATE_ITEM' }],
  });
  expect(fates.map(({ kind }) => kind)).toEqual(['unmentioned', 'unmentioned', 'refused']);
});

it('leaves the fate of what is not mentioned open', () => {
  const fates = readCreateResult(batch, {
    created: 3,
    failed: 0,
    results: [
      { id: 'ord_x' },
      { id: 'ord_a', reference_id: 'a' },
      { id: 'ord_y', reference_id: 'y' },
    ],
    errors: [],
  });
  expect(fates.map(({ kind }) => kind)).toEqual(['created', 'unmentioned', 'unmentioned']);
});
