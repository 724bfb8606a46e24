/** Guarantee: the limit for one person holds for refunds, for the sum of a complaint, and in a currency that nobody named at once (A4). */
import { expect, it } from 'vitest';
import { needsApproval } from '../../../src/alerts/guard/check-movement.ts';

const REFUND = { kind: 'refund', amountMinor: 3000, currency: 'EUR', complaintMinor: 0 } as const;

it.each<[string, Partial<Parameters<typeof needsApproval>[0]>, boolean]>([
  ['at the limit', {}, false],
  ['a cent above it', { amountMinor: 3001 }, true],
  ['at it with what the complaint got already', { amountMinor: 1000, complaintMinor: 2000 }, false],
  ['a cent above it with that', { amountMinor: 1000, complaintMinor: 2001 }, true],
  ['in a currency that nobody named', { amountMinor: 1, currency: 'USD' }, true],
  ['of a void, which moves nothing', { kind: 'void', amountMinor: 9000 }, false],
])('a refund %s', (_what, over, expected) => {
  expect(needsApproval({ ...REFUND, ...over }, { EUR: 3000 })).toBe(expected);
});

it('no limit needs nobody', () => {
  expect(needsApproval({ ...REFUND, amountMinor: 9_000_000 }, undefined)).toBe(false);
});
