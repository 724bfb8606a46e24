/** Guarantee: an integration is stopped for one reason that meets most of its orders, and for nothing less. */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/orders/refusal-window.ts';
import { createRefusalWindow } from '../../../src/orders/refusal-window.ts';

const at = new Date('2026-11-21T08:00:00Z');

function outcomes(count: number, code: string | null, integrationId = 'int_1'): Outcome[] {
  return Array.from({ length: count }, (_, index) => ({
    integrationId,
    code,
    referenceId: `${code}-${index}`,
    reason: 'because',
    at,
  }));
}

describe('stops', () => {
  it('at ten equal refusals, with the last as the example', () => {
    const window = createRefusalWindow();
    expect(window.add(outcomes(9, 'BAD'))).toEqual([]);
    expect(window.add(outcomes(1, 'BAD'))).toMatchObject([
      { integrationId: 'int_1', code: 'BAD', referenceId: 'BAD-0', since: at },
    ]);
  });

  it('for more than half of the last hundred, however many went well before', () => {
    const window = createRefusalWindow();
    window.add(outcomes(1_000, null));
    expect(window.add(outcomes(50, 'BAD'))).toEqual([]);
    expect(window.add(outcomes(1, 'BAD'))).toHaveLength(1);
  });

  it('each integration by itself', () => {
    const window = createRefusalWindow();
    const mixed = [...outcomes(40, null, 'int_2'), ...outcomes(20, 'BAD')];
    expect(window.add(mixed)).toMatchObject([{ integrationId: 'int_1' }]);
  });

  it('once: afterwards the past is forgotten', () => {
    const window = createRefusalWindow();
    expect(window.add(outcomes(50, 'BAD'))).toHaveLength(1);
    expect(window.add(outcomes(9, 'BAD'))).toEqual([]);
  });
});

describe('does not stop', () => {
  it('for half of the orders, or for refusals of many kinds', () => {
    const window = createRefusalWindow();
    expect(window.add([...outcomes(50, null), ...outcomes(50, 'BAD')])).toEqual([]);
    const kinds = ['A', 'B', 'C'].flatMap((code) => outcomes(33, code));
    expect(createRefusalWindow().add(kinds)).toEqual([]);
  });
});
