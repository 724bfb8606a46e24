/** Guarantee: costs and savings add up by hand, in the model's currency alone. */
import { expect, test } from 'vitest';
import { readCostModel } from '../../../src/alerts/costs/cost-model.ts';
import type { EndedAlerts } from '../../../src/capabilities/measured-cost/savings.ts';
import { computeSavings } from '../../../src/capabilities/measured-cost/savings.ts';

const MODEL = readCostModel(
  `currency: EUR
alert_fee: { NETA: 25.00, NETB: 20.00 }
chargeback_fee: 15.00
handling: 6.00
win_rate: 0.25
collect_rate: 1
dispute_rate: 0.5
review_refund_rate: 0.5
ratio: { headroom: 0, fine: 0 }
rates: { JPY: 0.006 }
merchants: { mch_2: { chargeback_fee: 35.00 } }
`,
  'costs.yaml',
);

function ended(given: Partial<EndedAlerts>): EndedAlerts {
  const usual = { merchantId: 'mch_1', network: 'NETA', outcome: 'refunded' } as const;
  return { ...usual, currency: 'EUR', count: 1, amountMinor: 0, ...given };
}

test('fees, refunds and what was avoided', () => {
  const savings = computeSavings(MODEL, [
    // 4 refunds of 100.00 in all: fees 100.00; half become disputes: 2 x (15.00 + 6.00), and 50.00 x 0.75.
    ended({ count: 4, amountMinor: 100_00 }),
    // 2 of another merchant, refunded by the network: fees 40.00; 1 x (35.00 + 6.00), and 20.00 x 0.75.
    ended({
      merchantId: 'mch_2',
      network: 'NETB',
      outcome: 'network',
      count: 2,
      amountMinor: 40_00,
    }),
    // Accepted ones cost their price and avoid nothing.
    ended({ outcome: 'accepted', count: 3, amountMinor: 900_00 }),
  ]);
  expect(savings).toEqual({
    currency: 'EUR',
    alerts: 9,
    alertFeesMinor: 100_00 + 40_00 + 75_00,
    refundedMinor: 140_00,
    avoided: 3,
    avoidedFeesMinor: 30_00 + 35_00,
    avoidedTimeMinor: 18_00,
    avoidedLossMinor: 37_50 + 15_00,
    balanceMinor: 65_00 + 18_00 + 52_50 - 215_00 - 140_00,
    unconverted: 0,
    assumed: { contest_rate: '100 %' },
  });
});

test('of two alerts about one dispute each has its price, and the money went back once', () => {
  const both = [
    ended({ count: 1, amountMinor: 100_00 }),
    ended({ network: 'NETB', outcome: 'network', count: 1, amountMinor: 100_00 }),
  ];
  const again = both.slice(1);
  expect(computeSavings(MODEL, both, { again })).toMatchObject({
    alerts: 2,
    alertFeesMinor: 25_00 + 20_00,
    refundedMinor: 100_00,
    // Half of one dispute: 15.00 and 6.00, and 50.00 x 0.75.
    avoidedFeesMinor: 7_50,
    avoidedTimeMinor: 3_00,
    avoidedLossMinor: 37_50,
  });
});

test('another currency counts by the model’s rate; without one its amount is left out and said so', () => {
  const savings = computeSavings(MODEL, [
    // 10,000 yen at 0.006 are 60.00 euros.
    ended({ currency: 'JPY', amountMinor: 10_000 }),
    ended({ currency: 'GBP', count: 2, amountMinor: 80_00 }),
  ]);
  expect(savings.refundedMinor).toBe(60_00);
  expect(savings.unconverted).toBe(2);
});
