/**
 * Guarantee: refund or accept is decided by disputes that had their time, with an interval, and by one function; every
 * figure is the hand computation.
 */
import { describe, expect, it } from 'vitest';
import { openCostModel, readCostModel } from '../../../src/alerts/costs/cost-model.ts';
import { showEconomics } from '../../../src/capabilities/measured-cost/commands.ts';
import { curveOf } from '../../../src/capabilities/measured-cost/delay-curve.ts';
import type { Economics } from '../../../src/capabilities/measured-cost/economics.ts';
import { computeEconomics } from '../../../src/capabilities/measured-cost/economics.ts';
import { normal, ratioPrice } from '../../../src/capabilities/measured-cost/ratio-price.ts';
import type { AnsweredRow, Unit } from '../../../src/capabilities/measured-cost/unit.ts';
import { DAY_MS, unitsOf } from '../../../src/capabilities/measured-cost/unit.ts';
import { verdictText } from '../../../src/capabilities/measured-cost/words.ts';
import { BEGIN, lookAt, portfolios, unit } from './portfolio.ts';

const DEFAULTS = openCostModel(undefined);
const NOW = new Date(BEGIN.getTime() + 400 * DAY_MS);
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS);

/** Complaints answered so many days ago, of which the first `disputed` came back after 20 days. */
function many(
  count: number,
  given: { ageDays: number; disputed?: number; change?: Partial<Unit> },
): Unit[] {
  const { ageDays, disputed = 0, change } = given;
  return Array.from({ length: count }, (_, index) => {
    const answeredAt = daysAgo(ageDays);
    const at = new Date(answeredAt.getTime() + 20 * DAY_MS);
    const id = `netalrt_${ageDays}_${change?.answer ?? 'a'}_${change?.merchantId ?? ''}_${index}`;
    return unit({ id, answeredAt, change }, index < disputed ? at : null);
  });
}

const MODEL = readCostModel(
  'merchants: { mch_big: { chargeback_fee: 10, ratio: { headroom: 100 } } }',
  'costs.yaml',
);

function compute(units: readonly Unit[], model = DEFAULTS): Economics {
  return computeEconomics({ model, units, now: NOW });
}

const said = (units: readonly Unit[], model = DEFAULTS): string => {
  const { whole, currency } = compute(units, model);
  return whole === null ? '' : verdictText(whole, currency);
};

describe('outcomes that cannot exist yet', () => {
  it.each([19, 20, 200])('say nothing: %i alerts accepted this morning', (count) => {
    const units = many(count, { ageDays: 0.2 });
    const { whole } = compute(units);
    // By the model alone 110.00: a = 1 × (20 + 8 + 5 + 0.7 a), so a = 33 / 0.3.
    expect(whole?.breakEvenMinor).toBe(110_00);
    expect(whole?.dispute).toMatchObject({ value: 1, source: 'assumed', matured: 0, cases: count });
    expect(whole?.verdict.kind).not.toBe('accept');
    expect(said(units)).toMatch(/^not known: /);
  });

  it('are not taken for none: 55 of an eventual 90 disputes in are no reason to accept', () => {
    // A hundred of 30 days, of which 55 came in the first three weeks.
    const { whole } = compute(many(100, { ageDays: 30, disputed: 55 }));
    expect(whole?.verdict.kind).toBe('unknown');
    expect(whole?.dispute.value).toBe(1);
    // And with all 90, refunding is cheaper: (33 × 0.9) / (1 − 0.9 × 0.7) = 80.27, without a price of the ratio 67.57.
    const done = compute(many(200, { ageDays: 200, disputed: 180 }));
    expect(done.whole?.dispute).toMatchObject({ value: 0.9, source: 'observed', matured: 200 });
    expect(done.whole?.breakEvenMinor).toBe(80_27);
    expect(done.whole?.verdict.kind).toBe('refund');
  });

  it('are shown apart from those that had their time', () => {
    const units = [
      ...many(40, { ageDays: 200, disputed: 20 }),
      ...many(44, { ageDays: 40, disputed: 21 }),
    ];
    const text = showEconomics(compute(units), false);
    // 40 are over, and of the young ones 21 have come to their end.
    expect(text).toContain('41 so far; 61 of 84 have had their time');
  });
});

describe('the curve of delays', () => {
  const cases = (groups: [ageDays: number, eventDays: number | null, count: number][]) =>
    groups.flatMap(([ageDays, eventDays, count]) =>
      Array.from({ length: count }, () => ({ ageDays, eventDays, windowDays: 14 })),
    );

  it('is the product of what each week leaves, as worked by hand', () => {
    // Week 1: of 30 that lived through it 6 came, 24/30 are left. Week 2: of the 16 old enough and left 4 came: 12/16.
    const curve = curveOf(
      cases([
        [20, 3, 4],
        [20, 10, 4],
        [20, null, 12],
        [8, 3, 2],
        [8, null, 8],
      ]),
    );
    expect(curve.share).toBeCloseTo(1 - (24 / 30) * (12 / 16), 12);
    expect(curve).toMatchObject({ cases: 30, events: 10, matured: 22, elapsed: 20, isOpen: false });
    expect(curve.worth).toBeGreaterThanOrEqual(20);
    expect(curve.worth).toBeLessThan(30);
  });

  it('says the least where no week so late was lived through, and nothing of an event in a week that is not over', () => {
    const young = curveOf(
      cases([
        [8, 3, 2],
        [8, 7.5, 3],
        [8, null, 5],
      ]),
    );
    expect(young).toMatchObject({ isOpen: true, events: 5, elapsed: 0 });
  });
});

describe('shares', () => {
  it('have an interval that is narrower with more cases: 11 of 20 and 1,100 of 2,000 do not look alike', () => {
    const width = (units: Unit[]): number => {
      const { low, high } = compute(units).whole?.dispute.interval ?? { low: 0, high: 1 };
      return high - low;
    };
    const few = many(20, { ageDays: 200, disputed: 11 });
    const lots = many(2_000, { ageDays: 200, disputed: 1_100 });
    // Python's edges: 0.242863 to 0.831863, and 0.509505 to 0.590058.
    expect(width(few)).toBeCloseTo(0.589, 3);
    expect(width(lots)).toBeCloseTo(0.080553, 3);
    expect(said(few)).toMatch(/^not known between .*more accepted cases/);
    expect(said(lots)).toMatch(/^accept above/);
  });

  it('of contested disputes leave out those that nobody contested', () => {
    const lost = many(30, { ageDays: 200, disputed: 30 });
    const fought = (index: number) =>
      ({ version: index < 12 ? 2 : 1, end: index < 9 ? 'won' : 'lost' }) as const;
    const contested = many(20, { ageDays: 210, disputed: 20 }).map((each, index) => ({
      ...each,
      contest: fought(index),
    }));
    const { whole } = compute([...lost, ...contested]);
    // 9 of the 20 that were fought, not 9 of 50; 20 of 50 were fought.
    expect(whole?.won).toMatchObject({ value: 0.45, cases: 20 });
    expect(whole?.contested.value).toBeCloseTo(0.4);
    expect(whole?.packs).toEqual([
      { version: 1, won: 0, lost: 8, open: 0 },
      { version: 2, won: 9, lost: 3, open: 0 },
    ]);
    expect(compute(lost).whole?.won).toMatchObject({ source: 'assumed', cases: 0, value: 0.3 });
  });

  it('of a small segment lean on its siblings, and of a large one on itself', () => {
    const unitsOf = (merchantId: string, count: number, disputed: number) =>
      many(count, { ageDays: 200, disputed, change: { merchantId } });
    const units = [
      unitsOf('m1', 200, 100),
      unitsOf('m2', 200, 104),
      unitsOf('m3', 3, 0),
      unitsOf('m4', 300, 30),
    ].flat();
    const value = (name: string) =>
      compute(units).segments.find(
        ({ dimension, value: merchant }) => dimension === 'merchant' && merchant === name,
      )?.dispute.value ?? 0;
    expect(value('m3')).toBeGreaterThan(0.1);
    expect(value('m4')).toBeCloseTo(0.1, 1);
  });
});

describe('the verdict', () => {
  it('counts what follows an accepted alert: a second alert or RDR, with its fee and the amount', () => {
    const answeredAt = daysAgo(200);
    const at = new Date(answeredAt.getTime() + 7 * DAY_MS);
    const plain = many(400, { ageDays: 200, disputed: 120 });
    const again = plain.map((each, index) => ({
      ...each,
      outcomes: index >= 360 ? [{ kind: 'rdr', source: 'alert', at } as const] : each.outcomes,
    }));
    // 0.3 × 33 / (1 − 0.21) = 12.53; with a tenth that comes back: (9.90 + 0.1 × 25) / (0.79 − 0.1) = 17.97.
    expect(compute(plain).whole?.breakEvenMinor).toBe(12_53);
    expect(compute(again).whole?.breakEvenMinor).toBe(17_97);
    expect(compute(again).whole?.second.value).toBeCloseTo(0.1);
  });

  it('says in the same line that all of it is assumed', () => {
    const units = many(5, { ageDays: 3, change: { answer: 'unanswered' } });
    expect(said(units)).toBe('refund up to 110.00 USD (assumed: nothing has been counted yet)');
    expect(said(units, readCostModel('win_rate: 0', 'costs.yaml'))).toMatch(
      /^refund at any amount \(assumed/,
    );
  });

  it('is "not known" wherever the interval straddles, holds at 97 % of looks, and costs at most 2 % more', () => {
    const some = portfolios().filter((_, index) => index % 7 === 0);
    const looked = some.map((portfolio) => lookAt(portfolio, 40));
    const sum = (figure: (each: (typeof looked)[number]) => number) =>
      looked.reduce((total, each) => total + figure(each), 0);
    expect(sum(({ looks }) => looks)).toBe(30);
    expect(sum(({ covered }) => covered) / 30).toBeGreaterThanOrEqual(0.97);
    expect(sum(({ sureWhereStraddling }) => sureWhereStraddling)).toBe(0);
    for (const { worstRegret } of looked) expect(worstRegret).toBeLessThanOrEqual(0.02);
  });

  it('leaves out what has no rate, converts the rest, and names a merchant’s own terms', () => {
    const model = readCostModel(
      'rates: { EUR: 1.1, JPY: 0.0066 }\nmerchants: { m1: { chargeback_fee: 10 } }',
      'costs.yaml',
    );
    const money = (currency: string, amountMinor: number) => ({ money: { currency, amountMinor } });
    const units = [
      ...many(1, { ageDays: 1, change: { ...money('EUR', 1_000), merchantId: 'm1' } }),
      ...many(1, { ageDays: 2, change: money('JPY', 1_000) }),
      ...many(1, { ageDays: 3, change: money('GBP', 1_000) }),
    ];
    const { whole, leftOut, segments } = compute(units, model);
    // 11.00 and 6.60.
    expect(whole?.averageMinor).toBe(8_80);
    expect(leftOut).toHaveLength(1);
    // 10 + 8 + 5 = 23.00 of a dispute, and 0.7 of the amount: 23 / 0.3.
    const own = segments.find(({ value }) => value === 'm1');
    expect(own?.breakEvenMinor).toBe(76_67);
  });
});

describe('the price of the ratio', () => {
  it('is 0 far from a line, the item’s price beyond it, and the forecast’s slope near it', () => {
    const ahead = { expected: 10, low: 5, high: 15 };
    expect(ratioPrice({ headroom: 200, counted: 20, ahead }, 8_00)).toBe(0);
    expect(ratioPrice({ headroom: 0, counted: 100, ahead }, 8_00)).toBe(8_00);
    expect(ratioPrice({ headroom: null, counted: null, ahead: null }, 8_00)).toBeUndefined();
    // Spread 10 / 3.2898 = 3.0397; one more moves Φ(0.1645) to Φ(0.4935): (0.68918 − 0.56533) × 8.00 × 100.
    const slope = ratioPrice({ headroom: 10, counted: 90, ahead }, 8_00) ?? 0;
    expect(slope / 800_00).toBeCloseTo(0.12385, 4);
    expect(normal(1.96)).toBeCloseTo(0.9750021, 6);
  });

  it('is a term of its own', () => {
    const units = many(100, { ageDays: 200, disputed: 50 });
    const economicsAt = (minor: number) =>
      computeEconomics({ model: DEFAULTS, units, now: NOW, ratioMinor: () => minor }).whole;
    expect(economicsAt(0)?.ratioMinor).toBe(0);
    expect(economicsAt(40_00)?.ratioMinor).toBe(20_00);
    // 0.5 × (25 + 40) / 0.65 = 50.00, and far from the line 0.5 × 25 / 0.65 = 19.23.
    expect([economicsAt(40_00)?.breakEvenMinor, economicsAt(0)?.breakEvenMinor]).toEqual([
      50_00, 19_23,
    ]);
    expect(economicsAt(0)?.assumed).not.toHaveProperty('ratio');
  });
});

describe('a unit', () => {
  const row = (alertId: string, change: Partial<AnsweredRow> = {}): AnsweredRow => ({
    ...{
      alertId,
      disputeId: 'dsp_1',
      merchantId: null,
      network: 'NETA',
      programme: null,
      scheme: null,
    },
    ...{ reasonCode: null, descriptor: null, amountMinor: 5_000, currency: 'USD', reviewed: false },
    outcome: 'accepted',
    raisedAt: new Date('2026-03-01T00:00:00Z'),
    answeredAt: new Date('2026-03-02T00:00:00Z'),
    came: [],
    contestVersion: null,
    contestEnd: null,
    ...change,
  });

  it('is one complaint: twins count once, and what was raised after the answer is an outcome, no member', () => {
    const later = {
      raisedAt: new Date('2026-03-08T00:00:00Z'),
      answeredAt: new Date('2026-03-09T00:00:00Z'),
    };
    const units = unitsOf([row('a1'), row('a2'), row('a3', later), row('b1', { disputeId: null })]);
    expect(units.map(({ id, alertIds }) => [id, alertIds])).toEqual([
      ['dsp_1', ['a1', 'a2']],
      ['b1', ['b1']],
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
      assumed: expect.not.objectContaining({ chargeback_fee: '20.00' }),
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
