/** Guarantee: batches are full while all is well, and shrink until a troublemaker travels alone. */
import { describe, expect, it } from 'vitest';
import { companyLimit, nextBatch, probeLimit } from '../../../src/orders/batch-plan.ts';

function due(count: number, attempts = 0) {
  return Array.from({ length: count }, (_, index) => ({ reference_id: `A-${index}`, attempts }));
}

describe('nextBatch', () => {
  it('takes the oldest, a hundred at most', () => {
    expect(nextBatch(due(100), 100)).toHaveLength(100);
    expect(nextBatch(due(150), 100).at(-1)?.reference_id).toBe('A-99');
  });

  it.each([
    [0, 100],
    [2, 100],
    [3, 50],
    [4, 25],
    [8, 1],
    [80, 1],
  ])('an order that failed %i times travels with at most %i', (attempts, size) => {
    expect(companyLimit(attempts)).toBe(size);
    expect(nextBatch(due(100, attempts), 100)).toHaveLength(size);
  });

  it('lets the orders before a suspect go first', () => {
    const orders = [...due(60), { reference_id: 'suspect', attempts: 8 }, ...due(10)];
    expect(nextBatch(orders, 100)).toHaveLength(60);
  });

  it('never puts two orders of one reference into a batch', () => {
    const same = [
      { reference_id: 'A', attempts: 0 },
      { reference_id: 'B', attempts: 0 },
      { reference_id: 'A', attempts: 0 },
    ];
    expect(nextBatch(same, 100)).toHaveLength(2);
  });
});

it.each([
  [0, 100],
  [1, 100],
  [2, 50],
  [8, 1],
  [500, 1],
])('after %i rounds without an answer, %i orders are at risk', (streak, size) => {
  expect(probeLimit(streak)).toBe(size);
});
