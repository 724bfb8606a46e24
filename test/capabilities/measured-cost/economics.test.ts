/** Guarantee: every figure of the comparison is the hand computation, and names the alerts it was counted from. */
import { describe, expect, it } from 'vitest';
import type { OutcomeRow } from '../../../src/capabilities/measured-cost/economics.ts';
import { computeEconomics, OBSERVED_MIN } from '../../../src/capabilities/measured-cost/economics.ts';
import { openCostModel, readCostModel } from '../../../src/books/costs/cost-model.ts';
import { showEconomics } from '../../../src/capabilities/measured-cost/commands.ts';

const MODEL = readCostModel(
  `
currency: USD
alert_fee: { NETA: 25, NETB: 22.50 }
chargeback_fee: 20
handling: 5
ratio: { headroom: 0, fine: 8 }
win_rate: 0.25
collect_rate: 0.8
dispute_rate: 0.5
review_refund_rate: 0.5
rates: { EUR: 1.1, JPY: 0.0066 }
merchants: { mch_big: { chargeback_fee: 10, ratio: { headroom: 100 } } }
`,
  'costs.yaml',
);

function row(n: number, change: Partial<OutcomeRow> = {}): OutcomeRow {
  return {
    alertId: `netalrt_${n}`,
    merchantId: null,
    network: 'NETA',
    amountMinor: 5_000,
    currency: 'USD',
    outcome: 'accepted',
    reviewed: false,
    dispute: null,
    ...change,
  };
}

const many = (count: number, change: Partial<OutcomeRow>, from = 0) =>
  Array.from({ length: count }, (_, index) => row(from + index, change));

describe('computeEconomics', () => {
  it('takes the model where too few outcomes are there', () => {
    const [segment] = computeEconomics(MODEL, [row(1)]).segments;
    // A dispute loses 20 + 8 + 5 and 80 % of 50.00 (a fifth is won and collected): 73.00.
    // refund 50 + 25 = 75.00; accept 25 + 0.5 × 73 = 61.50; review 5 + (75 + 61.50) / 2 = 73.25.
    expect(segment?.costMinor).toEqual({ refund: 7_500, accept: 6_150, review: 7_325 });
    expect(segment?.cheapest).toBe('accept');
    // a = 0.5 × (33 + 0.8 a), so a = 16.5 / 0.6 = 27.50.
    expect(segment?.breakEvenMinor).toBe(2_750);
    expect(segment?.disputeAfterAccept).toEqual({
      value: 0.5,
      source: 'model',
      rows: [],
      of: ['netalrt_1'],
    });
  });

  it('takes the installation’s own outcomes where there are enough, and names them', () => {
    const rows = [
      ...many(OBSERVED_MIN - 2, { dispute: 'lost' }),
      ...many(2, {}, 100),
      ...many(OBSERVED_MIN, { outcome: 'refunded', reviewed: true }, 200),
      row(300, { outcome: 'refunded', dispute: 'won' }),
    ];
    const [segment] = computeEconomics(MODEL, rows).segments;
    // 18 of 20 accepted became a dispute; 1 of 21 refunded; 1 of 19 was won.
    expect(segment?.disputeAfterAccept).toMatchObject({ value: 0.9, source: 'observed' });
    expect(segment?.disputeAfterAccept.rows).toHaveLength(18);
    expect(segment?.disputeAfterRefund.rows).toEqual(['netalrt_300']);
    expect(segment?.disputeAfterRefund.value).toBeCloseTo(1 / 21);
    expect(segment?.winRate).toMatchObject({ value: 0.25, source: 'model' });
    expect(segment?.winRate.of).toHaveLength(19);
    expect(segment?.reviewRefundRate).toMatchObject({ value: 1, source: 'observed' });
    expect(segment?.reviewed).toHaveLength(OBSERVED_MIN);
  });

  it('knows a merchant’s own terms, and fines nothing within the headroom', () => {
    const big = { merchantId: 'mch_big' };
    const cost = (disputes: number) =>
      computeEconomics(MODEL, [row(1, big)], { mch_big: disputes }).segments[0]?.costMinor.accept;
    // Fee 10, a person 5, no fine: 25 + 0.5 × (15 + 40) = 52.50; with the fine 56.50.
    expect(cost(99)).toBe(5_250);
    expect(cost(100)).toBe(5_650);
  });

  it('keeps merchants, networks and bands apart, the edge in the lower band', () => {
    const rows = [
      row(1, { amountMinor: 2_500 }),
      row(2, { amountMinor: 2_501 }),
      row(3, { amountMinor: 50_001 }),
      row(4, { network: 'NETB', amountMinor: 2_500 }),
      row(5, { merchantId: 'mch_1', amountMinor: 2_500 }),
    ];
    const names = computeEconomics(MODEL, rows).segments.map(
      ({ merchantId, network, band }) => `${merchantId} ${network} ${band}`,
    );
    expect(names).toEqual([
      'null NETA up to 25',
      'null NETA 25 to 100',
      'null NETA above 500',
      'null NETB up to 25',
      'mch_1 NETA up to 25',
    ]);
  });

  it('converts by the model’s rates, minor units included, and leaves out what has none', () => {
    const rows = [
      row(1, { currency: 'EUR', amountMinor: 1_000 }),
      row(2, { currency: 'JPY', amountMinor: 1_000 }),
      row(3, { currency: 'GBP' }),
      row(4, { amountMinor: null }),
    ];
    const { segments, leftOut } = computeEconomics(MODEL, rows);
    // 10.00 EUR are 11.00 USD; 1000 JPY are 6.60 USD; on average 8.80.
    expect(segments.map(({ averageMinor }) => averageMinor)).toEqual([880]);
    expect(leftOut).toEqual(['netalrt_3', 'netalrt_4']);
  });

  it('finds no amount at which accepting is cheaper when disputes are always lost', () => {
    const model = readCostModel('win_rate: 0', 'costs.yaml');
    expect(computeEconomics(model, [row(1)]).segments[0]?.breakEvenMinor).toBeNull();
  });
});

describe('the text', () => {
  it('shows each segment, where its figures come from, and their alerts when asked', () => {
    const economics = computeEconomics(MODEL, [row(1), row(2, { currency: 'GBP' })]);
    const text = showEconomics(economics, true);
    expect(text).toContain(
      'one alert costs: refund 75.00 USD, accept 61.50 USD, review 73.25 USD -> accept',
    );
    expect(text).toContain('refunding is cheaper than accepting up to 27.50 USD');
    expect(text).toContain('50 % (your cost model; 1 are too few to count)');
    expect(text).toContain('accepted: netalrt_1');
    expect(text).toContain('Left out: 1 alerts whose amount has no rate to USD.');
    expect(showEconomics(economics, false)).not.toContain('netalrt_1');
    expect(showEconomics({ ...economics, segments: [] }, false)).toContain('nothing to compare');
  });

  it('labels what is neither counted nor set as assumed, and stops once it is', () => {
    const bare = showEconomics(computeEconomics(openCostModel(undefined), [row(1)]), false);
    expect(bare).toContain(
      'becomes a dispute after acceptance: 100 % (ASSUMED; 1 are too few to count, and nothing is set)',
    );
    expect(bare).toContain(
      'becomes a dispute after a refund: 0 % (ASSUMED; 0 are too few to count',
    );
    expect(bare).toContain('disputes won: 30 % (ASSUMED; 0 are too few to count');
    expect(bare).toContain(
      'assumed, neither counted nor set in FORESTALL_COSTS: alert_fee NETA 25, NETB 25; chargeback_fee 20.00; handling 5.00; ratio headroom 0, fine 8; win_rate 30 %; collect_rate 100 %; dispute_rate 100 %; review_refund_rate 50 %; dispute_after_refund 0 %',
    );
    const set = readCostModel('collect_rate: 0.9\nalert_fee: { NETA: 20 }', 'costs.yaml');
    const counted = many(OBSERVED_MIN, {});
    const [segment] = computeEconomics(set, counted).segments;
    expect(segment?.disputeAfterAccept.source).toBe('observed');
    expect(Object.keys(segment?.assumed ?? {})).toEqual([
      'alert_fee',
      'chargeback_fee',
      'handling',
      'ratio',
      'win_rate',
      'review_refund_rate',
      'dispute_after_refund',
    ]);
  });
});

describe('readCostModel', () => {
  it('has a default for every term', () => {
    expect(openCostModel(undefined)).toMatchObject({
      currency: 'USD',
      terms: {
        alertFeeMinor: { NETA: 2_500, NETB: 2_500 },
        chargebackFeeMinor: 2_000,
        ratio: { headroom: 0, fineMinor: 800 },
      },
    });
  });

  it('lays a merchant’s terms over the shared ones', () => {
    expect(MODEL.merchants.get('mch_big')).toEqual({
      ...MODEL.terms,
      chargebackFeeMinor: 1_000,
      ratio: { headroom: 100, fineMinor: 800 },
    });
  });

  it.each([
    ['win_rate: 1.1', 'win_rate'],
    ['alert_fee: { NETC: 1 }', 'alert_fee'],
    ['currency: dollars', 'currency'],
    ['rates: { EUR: 0 }', 'rates.EUR'],
    ['merchants: { mch_1: { fee: 1 } }', 'merchants.mch_1'],
    ['a: [', 'is no YAML'],
  ])('refuses %s', (text, message) => {
    expect(() => readCostModel(text, 'costs.yaml')).toThrow(message);
  });
});
