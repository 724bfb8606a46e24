/**
 * Guarantee: a candidate policy is priced by what happened where its choice had a chance, by what was counted elsewhere;
 * figures are the hand computation, and the interval covers the truth of simulated worlds.
 */
import { describe, expect, it } from 'vitest';
import { readCostModel } from '../../../src/alerts/costs/cost-model.ts';
import { meanHalfWidth } from '../../../src/base/kernel/confidence-sequence.ts';
import { casesOf, partOf } from '../../../src/capabilities/measured-cost/of-backtest.ts';
import { modelOutcomes } from '../../../src/capabilities/measured-cost/outcome-model.ts';
import type {
  PolicyPrice,
  PricedCase,
  TrialCase,
} from '../../../src/capabilities/measured-cost/price-policy.ts';
import { createPolicyPricing } from '../../../src/capabilities/measured-cost/price-policy.ts';
import type { Unit } from '../../../src/capabilities/measured-cost/unit.ts';
import { DAY_MS } from '../../../src/capabilities/measured-cost/unit.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';
import { unit } from './portfolio.ts';

/** A dispute costs 15 + 5 + its amount: none is contested. An alert costs 10. */
const MODEL = readCostModel(
  `alert_fee: { NETA: 10, NETB: 10 }
chargeback_fee: 15
handling: 5
contest_rate: 0
dispute_rate: 0.5
review_refund_rate: 0.5
ratio: { headroom: 100000, fine: 0 }
`,
  'costs.yaml',
);
const NOW = new Date('2027-06-01T00:00:00Z');

function price(cases: readonly PricedCase[], units: readonly Unit[] = []): PolicyPrice {
  const pricing = createPolicyPricing(modelOutcomes({ model: MODEL, units, now: NOW }));
  for (const each of cases) pricing.add(each);
  return pricing.result();
}

function priced(given: Partial<PricedCase>, reasonCode = '10.4'): PricedCase {
  const kind = { merchantId: null, network: 'NETA', scheme: 'SCHEME_A', reasonCode };
  return { kind, amountMinor: 100_00, was: 'refund', is: 'accept', ...given };
}

const drawn = (given: Partial<TrialCase>): PricedCase =>
  priced({
    trial: {
      arm: 'accept',
      propensity: 0.1,
      refunded: false,
      disputed: false,
      second: false,
      ...given,
    },
  });

const back = { arm: 'refund', propensity: 0.9, refunded: true } as const;

/** 14 cases that a trial drew: the candidate accepts all of them. */
const TRIAL: readonly PricedCase[] = [
  drawn({ disputed: true }),
  drawn({}),
  drawn({}),
  drawn({ propensity: 0.2, disputed: true }),
  drawn({ propensity: 0.2 }),
  // 1/0.02 would be 50.
  drawn({ propensity: 0.02 }),
  drawn({ ...back, disputed: true }),
  ...Array.from({ length: 4 }, () => drawn(back)),
  ...Array.from({ length: 3 }, () => drawn({ ...back, propensity: 0.8 })),
];

describe('by the trial', () => {
  it('each case of the arm counts with one over its chance, 20 at most, and stands for all', () => {
    const found = price(TRIAL);
    // Accepted: (10 × (130 + 10 + 10) + 5 × (130 + 10) + 20 × 10) / 60 = 40.00 each, times 14.
    expect(found.is.costMinor).toBe(14 * 40_00);
    // Refunded: 1/0.9 × (230 + 4 × 110) + 1/0.8 × 330 = 1,156.94 of a weight of 9.3056, 124.328 each.
    expect(found.was.costMinor).toBe(174_060);
    expect(found.difference.costMinor).toBe(56_000 - 174_060);
    expect(found).toMatchObject({ cases: 14, byTrial: 14, byModel: 0, matched: 6, clipped: 1 });
    expect(found).toMatchObject({ weightMax: 20, changed: 14, nothing: 0, assumed: [] });
  });

  it('with the interval of an independent computation (Python)', () => {
    const { is, was, difference } = price(TRIAL);
    expect([is.lowMinor, is.highMinor]).toEqual([14_000, 270_543]);
    expect([was.lowMinor, was.highMinor]).toEqual([154_000, 287_338]);
    expect([difference.lowMinor, difference.highMinor]).toEqual([-238_874, 97_419]);
    expect(meanHalfWidth(1, 200, 0.05)).toBeCloseTo(0.214638, 6);
  });

  it('says nothing of an arm that fewer than five cases had', () => {
    const few = TRIAL.filter(({ trial }, index) => trial?.arm === 'refund' || index < 4);
    const found = price(few);
    expect(found).toMatchObject({ byTrial: 0, byModel: 12, matched: 0 });
    // 10 + half of 120; and 110.
    expect([found.is.costMinor, found.was.costMinor]).toEqual([12 * 70_00, 12 * 110_00]);
  });
});

describe('by the model', () => {
  it('each answer costs what is expected of it', () => {
    const found = price([
      priced({}),
      priced({ is: 'review' }),
      priced({ is: 'refund' }),
      priced({ was: 'accept', is: 'accept', amountMinor: 40_00 }),
      priced({ was: 'none', is: 'none' }),
    ]);
    // 70; 5 + (110 + 70) / 2 = 95; 110; 10 + (20 + 40) / 2 = 40.
    expect(found.is.costMinor).toBe(70_00 + 95_00 + 110_00 + 40_00);
    expect(found.was.costMinor).toBe(3 * 110_00 + 40_00);
    expect(found.difference.costMinor).toBe(-40_00 - 15_00);
    expect(found).toMatchObject({ cases: 4, nothing: 1, changed: 2, byModel: 4 });
    expect(found.assumed).toEqual(['contested', 'dispute', 'won']);
  });

  it('with the shares of the reason code, whose ends are the ends of the price', () => {
    const answeredAt = new Date(NOW.getTime() - 200 * DAY_MS);
    const at = new Date(answeredAt.getTime() + 20 * DAY_MS);
    const unitsOf = (reasonCode: string, count: number, disputed: number): Unit[] =>
      Array.from({ length: count }, (_, index) =>
        unit(
          { id: `${reasonCode}-${index}`, answeredAt, change: { reasonCode } },
          index < disputed ? at : null,
        ),
      );
    const units = [...unitsOf('10.4', 100, 60), ...unitsOf('13.1', 100, 20)];
    const found = price([priced({}, '13.1')], units);
    const whole = price([priced({}, '99.9')], units);
    // About a fifth of 120, and of what never came up 80 of 200.
    expect(found.is.costMinor).toBeGreaterThan(10_00 + 0.19 * 120_00);
    expect(found.is.costMinor).toBeLessThan(10_00 + 0.25 * 120_00);
    expect(whole.is.costMinor).toBe(10_00 + 48_00);
    expect(found.is.lowMinor).toBeLessThan(found.is.costMinor);
    expect(found.is.highMinor).toBeGreaterThan(found.is.costMinor);
    expect(found.verdict).toBe('cheaper');
    expect(found.assumed).toEqual(['contested', 'won']);
  });

  it('a policy that answers nothing otherwise costs the same', () => {
    expect(price([priced({ is: 'refund' })])).toMatchObject({
      verdict: 'same',
      difference: { costMinor: 0, lowMinor: 0, highMinor: 0 },
    });
  });
});

describe('which cases are the trial’s', () => {
  const answered = (ageDays: number): Date => new Date(NOW.getTime() - ageDays * DAY_MS);
  const arms = [{ alertId: 'a', arm: 'accept', propensity: 0.1 } as const];

  it('are those whose window is over, whatever came of them', () => {
    const at = (ageDays: number, disputeAfter: number | null) => {
      const answeredAt = answered(ageDays);
      const disputeAt =
        disputeAfter === null ? null : new Date(answeredAt.getTime() + disputeAfter * DAY_MS);
      const units = [unit({ id: 'a', answeredAt }, disputeAt)];
      return casesOf({ model: MODEL, now: NOW, units, arms }).get('a')?.trial;
    };
    expect(at(119, 20)).toBeUndefined();
    expect(at(120, 20)).toMatchObject({ arm: 'accept', disputed: true, refunded: false });
    expect(at(200, 130)).toMatchObject({ disputed: false });
    expect(at(200, null)).toMatchObject({ disputed: false, second: false });
  });

  it('a twin is of the same complaint, and has its arm', () => {
    const change = { alertIds: ['a', 'b'] };
    const units = [unit({ id: 'dsp', answeredAt: answered(200), change })];
    const known = casesOf({ model: MODEL, now: NOW, units, arms });
    expect(known.get('b')).toEqual(known.get('a'));
    expect(known.get('b')?.unitId).toBe('dsp');
  });
});

describe('in words', () => {
  it('the verdict, both prices, and the share of each way', () => {
    const { lines } = partOf(price([...TRIAL, priced({}), priced({ is: 'refund' })]), {
      currency: 'USD',
      leftOut: 2,
    });
    expect(lines.map(({ label }) => label)).toEqual([
      ...['Verdict', 'This policy', 'Compared with', 'By the trial', 'By the outcomes counted'],
      'Left out',
    ]);
    const says = new Map(lines.map(({ label, says: text }) => [label, text]));
    expect(says.get('By the trial')).toBe(
      '88 % of 16 cases, from 6 cases whose arm was this policy’s answer; each counts with 1 over its chance, a weight is 20 at most, which 1 would pass',
    );
    expect(says.get('By the outcomes counted')).toContain('13 % of 16 cases');
    expect(says.get('By the outcomes counted')).toContain('assumed, because nothing was counted');
    expect(says.get('Left out')).toBe('2 cases whose amount has no rate to USD');
    expect(partOf(price([]), { currency: 'USD', leftOut: 0 }).lines).toEqual([
      { label: 'Cases', says: 'none of these can be priced' },
    ]);
  });
});

/** A merchant of whom it is known what accepting costs: by reason code. */
interface World {
  readonly cases: readonly PricedCase[];
  readonly units: readonly Unit[];
  /** What accepting all of 13.1 costs more than refunding them. */
  readonly truthMinor: number;
}

const TRUE_SHARES: Readonly<Record<string, number>> = { '10.4': 0.7, '13.1': 0.25 };
const LEAK = 0.03;

function simulate(seed: number, count: number): World {
  const random = createRandom(seed);
  const all = Array.from({ length: count }, (_, index) => oneCase(random, `u${index}`));
  return {
    cases: all.map((each) => each.priced),
    units: all.map((each) => each.unit),
    truthMinor: all.reduce((sum, each) => sum + each.truthMinor, 0),
  };
}

const LONG_AGO = new Date(NOW.getTime() - 200 * DAY_MS);
const CAME_BACK = new Date(LONG_AGO.getTime() + 20 * DAY_MS);

/** Small ones are in the trial; of the others a third was accepted. The candidate accepts all of 13.1. */
function oneCase(random: () => number, id: string) {
  const reasonCode = random() < 0.5 ? '10.4' : '13.1';
  const amountMinor = 10_00 + Math.floor(random() * 120_00);
  const isTrial = amountMinor <= 60_00;
  const isAccepted = random() < (isTrial ? 0.1 : 0.3);
  const share = TRUE_SHARES[reasonCode] ?? 0;
  const disputed = random() < (isAccepted ? share : LEAK);
  const is = reasonCode === '13.1' ? 'accept' : 'refund';
  const was = !isTrial && isAccepted ? 'accept' : 'refund';
  const more = share * (20_00 + amountMinor) - amountMinor - LEAK * (20_00 + amountMinor);
  const accept = { arm: 'accept', propensity: 0.1, refunded: false } as const;
  const refund = { arm: 'refund', propensity: 0.9, refunded: true } as const;
  const trial = { ...(isAccepted ? accept : refund), disputed, second: false };
  const change: Partial<Unit> = { reasonCode, answer: isAccepted ? 'accepted' : 'refunded' };
  return {
    truthMinor: more * (Number(is === 'accept') - Number(was === 'accept')),
    priced: priced({ amountMinor, was, is, ...(isTrial ? { trial } : {}) }, reasonCode),
    unit: unit({ id, answeredAt: LONG_AGO, amountMinor, change }, disputed ? CAME_BACK : null),
  };
}

describe('a world whose truth is known', () => {
  it.each([
    ['much', 1_500, 60],
    ['little', 300, 60],
  ])('is within the interval at 97 of 100 looks or more, with %s data', (_much, count, worlds) => {
    let [inside, relativeError] = [0, 0];
    for (let seed = 1; seed <= worlds; seed++) {
      const { cases, units, truthMinor } = simulate(seed, count);
      const { difference, byTrial } = price(cases, units);
      expect(byTrial).toBeGreaterThan(0);
      if (difference.lowMinor <= truthMinor && truthMinor <= difference.highMinor) inside += 1;
      relativeError += (difference.costMinor - truthMinor) / Math.abs(truthMinor) / worlds;
    }
    expect(inside / worlds).toBeGreaterThanOrEqual(0.97);
    // Neither way leans to a side.
    expect(Math.abs(relativeError)).toBeLessThan(0.05);
  });
});
