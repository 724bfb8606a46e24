/** Guarantee: one refund reported from two sides counts once, two refunds count twice. */
import { describe, expect, it } from 'vitest';
import { orderBodySchema } from '../../../src/orders/order-body.ts';
import { isSameDispute, isSameRefund } from '../../../src/orders/report-twin.ts';

const ORDER = orderBodySchema.parse({
  type: 'PARTIAL',
  organisation_id: 'o',
  integration_id: 'i',
  reference_id: 'A',
  transactions: [{ reference_id: 'ch_1', amount_in_cents: 1_000, currency: 'USD' }],
});
const TWO = orderBodySchema.parse({
  ...ORDER,
  transactions: [
    { reference_id: 'ch_1', amount_in_cents: 1_000, currency: 'USD' },
    { reference_id: 'ch_2', amount_in_cents: 1_000, currency: 'USD' },
  ],
});
const KNOWN = {
  reference_id: 're_1',
  amount_in_cents: 400,
  currency: 'USD',
  original_transaction_reference_id: 'ch_1',
  refund_datetime: '2026-11-20T10:00:00Z',
};
const FULL = { ...KNOWN, amount_in_cents: 1_000 };
const report = { ...KNOWN, reference_id: 'note-9' };

describe('refunds', () => {
  it.each([
    ['the same moment', report, true],
    ['59 minutes 59 later', { ...report, refund_datetime: '2026-11-20T10:59:59Z' }, true],
    ['an hour later', { ...report, refund_datetime: '2026-11-20T11:00:00Z' }, true],
    ['an hour and a second later', { ...report, refund_datetime: '2026-11-20T11:00:01Z' }, false],
    ['an hour and a second before', { ...report, refund_datetime: '2026-11-20T08:59:59Z' }, false],
    ['no moment', { ...report, refund_datetime: undefined }, true],
    ['the same day', { ...report, refund_datetime: '2026-11-20' }, true],
    ['the day after', { ...report, refund_datetime: '2026-11-21' }, false],
    ['another amount', { ...report, amount_in_cents: 401 }, false],
    ['another currency', { ...report, currency: 'EUR' }, false],
    [
      'no payment named, and only one there',
      { ...report, original_transaction_reference_id: undefined },
      true,
    ],
    ['another payment', { ...report, original_transaction_reference_id: 'ch_2' }, false],
  ])('%s', (_what, reported, same) => {
    expect(isSameRefund(ORDER, KNOWN, reported)).toBe(same);
  });

  it('in full happens once, whenever it is reported', () => {
    const later = { ...FULL, reference_id: 'n', refund_datetime: '2026-12-24T10:00:00Z' };
    expect(isSameRefund(ORDER, FULL, later)).toBe(true);
  });

  it('of an order with two payments must name theirs', () => {
    const unnamed = { ...FULL, reference_id: 'n', original_transaction_reference_id: undefined };
    expect(isSameRefund(TWO, FULL, unnamed)).toBe(false);
  });
});

it.each([
  [{}, true],
  [{ stage: undefined }, true],
  [{ stage: '2ND_CHARGEBACK' }, false],
  [{ type: 'INQUIRY' }, false],
  [{ amount_in_cents: 2 }, false],
  [{ currency: 'EUR' }, false],
])('a dispute with %j', (changes, same) => {
  const known = {
    reference_id: 'd1',
    amount_in_cents: 1,
    currency: 'USD',
    stage: '1ST_CHARGEBACK',
    type: 'CHARGEBACK',
  };
  expect(isSameDispute(known, { ...known, reference_id: 'd2', ...changes })).toBe(same);
});
