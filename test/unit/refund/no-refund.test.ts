/** Guarantee: a charge that cannot be refunded is held with the right way out: accepted by itself only where nothing was paid. */
import { expect, it } from 'vitest';
import { holdOf } from '../../../src/alerts/refund/no-refund.ts';

const NOW = new Date('2026-03-02T08:00:00Z');
const hold = (reason: Parameters<typeof holdOf>[0]) => holdOf(reason, NOW);

it('accepts at the deadline where the payment was declined', () => {
  expect(hold('declined')).toEqual({
    reason: 'declined',
    fallback: 'ACCEPT_DISPUTE',
    answerNote: 'payment was declined',
  });
});

it.each(['network_refund_unclear', 'acceptance_unclear'] as const)('looks hourly: %s', (reason) => {
  expect(hold(reason)).toEqual({
    reason,
    fallback: 'keep',
    againAt: new Date('2026-03-02T09:00:00Z'),
  });
});

it('keeps every other reason’s fallback', () => {
  expect(hold('amount_differs')).toEqual({ reason: 'amount_differs', fallback: 'keep' });
});
