/** Guarantee: what the programmes say of a month is what a person works out from the sources, in all readings and at every bound. */
import { describe, expect, it } from 'vitest';
import type { Figures } from '../../../src/capabilities/ratios/assess.ts';
import { assess, itemsToCross } from '../../../src/capabilities/ratios/assess.ts';
import { openProgrammes } from '../../../src/capabilities/ratios/monitoring.ts';
import type { Line, Programme } from '../../../src/capabilities/ratios/programme.ts';
import { isInForce } from '../../../src/capabilities/ratios/programme.ts';
import type { Golden } from './golden-months.ts';
import { GOLDEN, SOURCES } from './golden-months.ts';

/** Those that come with Forestall, and those that a merchant can copy. */
const PROGRAMMES = openProgrammes(
  new URL('../../../templates/programmes/', import.meta.url).pathname,
);

function programmeOf(id: string): Programme {
  const found = PROGRAMMES.find((programme) => programme.id === id);
  if (found === undefined) throw new Error(`no programme ${id}`);
  return found;
}

function figuresOf({
  base,
  fraud = 0,
  dispute = 0,
  ofFraud = 0,
  rdr = 0,
  usd = 0,
  threeDSecure = null,
}: Golden): Figures {
  return {
    base,
    counts: { fraud, dispute, dispute_of_fraud: ofFraud, rdr },
    amountsUsdMinor: { fraud: 0, dispute: 0, dispute_of_fraud: usd * 100, rdr: 0 },
    threeDSecure,
  };
}

describe('golden months', () => {
  it('are sixty, of every source', () => {
    expect(GOLDEN).toHaveLength(60);
    expect(new Set(GOLDEN.map(({ source }) => source))).toEqual(new Set(Object.keys(SOURCES)));
  });

  it.each(
    GOLDEN.map((golden, index) => [index + 1, golden.programme, golden.reading, golden] as const),
  )('%i: %s, %s', (_index, id, reading, golden) => {
    const programme = programmeOf(id);
    expect(isInForce(programme, golden.on, golden.region)).toBe(true);
    const state = assess(programme, figuresOf(golden)).find(
      (each) => each.reading.name === reading,
    );
    expect({
      count: state?.count,
      ratio: state?.ratioPercent?.toFixed(4) ?? null,
      crossed: state?.crossed?.name ?? null,
    }).toEqual({ count: golden.count, ratio: golden.ratio, crossed: golden.crossed });
  });
});

describe('what is in force', () => {
  const idsOn = (day: string, region?: string): string[] =>
    PROGRAMMES.filter(
      (programme) => programme.scheme !== 'ANY' && isInForce(programme, day, region),
    ).map(({ id }) => id);

  it.each([
    ['2026-03-31', 'EU', ['ecp', 'efm', 'vamp-2025-06', 'vamp-acquirer-2026-01']],
    ['2026-04-01', 'EU', ['ecp', 'efm', 'vamp-2026-04', 'vamp-acquirer-2026-01']],
    ['2026-04-01', 'CEMEA', ['ecp', 'efm', 'vamp-acquirer-2026-01', 'vamp-cemea-2026-04']],
    ['2026-09-30', 'AP', ['ecp', 'efm', 'vamp-2026-04', 'vamp-acquirer-2026-01']],
    ['2026-10-01', 'AP', ['ecp', 'efm', 'merp-2026-10', 'vamp-2026-04', 'vamp-acquirer-2026-01']],
    ['2027-03-31', 'US', ['ecp', 'efm', 'vamp-2026-04', 'vamp-acquirer-2026-01']],
    ['2027-04-01', 'US', ['gmap-2027-04', 'vamp-2026-04', 'vamp-acquirer-2026-01']],
  ])('on %s in %s', (day, region, ids) => {
    expect(idsOn(day, region)).toEqual(ids);
  });

  it('is every region where none is set', () => {
    expect(idsOn('2026-04-01')).toEqual([
      'ecp',
      'efm',
      'vamp-2026-04',
      'vamp-acquirer-2026-01',
      'vamp-cemea-2026-04',
      'vamp-lac-2026-04',
    ]);
  });
});

describe('lines', () => {
  const line = (given: Partial<Line>): Line => ({
    name: 'l',
    confidence: 'primary',
    source: 's',
    next_step: 'n',
    ...given,
  });

  it.each([
    [{ ratio_percent: 0.5, count: 5 }, 1_000, 5],
    [{ ratio_percent: 0.5, count: 5 }, 1_001, 6],
    [{ ratio_percent: 0.5, count: 5 }, 10, 5],
    [{ ratio_percent: 2.2, count: 1_500 }, 100_000, 2_200],
    [{ ratio_percent: 2.2 }, 7_500, 165],
    [{ ratio_percent: 1.5, count: 1_500 }, null, null],
    [{ count: 100 }, null, 100],
    [{ ratio_percent: 0.75 }, 1, 1],
  ])('%o of %s payments take %s items', (given, base, items) => {
    expect(itemsToCross(line(given), base)).toBe(items);
  });

  it('are as near as their furthest condition', () => {
    const [once] = assess(programmeOf('vamp-2026-04'), {
      base: 1_000,
      counts: { fraud: 2, dispute: 2, dispute_of_fraud: 0, rdr: 0 },
      amountsUsdMinor: { fraud: 0, dispute: 0, dispute_of_fraud: 0, rdr: 0 },
      threeDSecure: null,
    });
    // 4 of 5, and 0.4 of 0.5 %; 4 of 1,500.
    expect(once?.lines.map(({ progress }) => progress)).toEqual([80, 0]);
  });

  it('say what they do not know, and count it as reached', () => {
    const [state] = assess(programmeOf('efm'), {
      base: 10_000,
      counts: { fraud: 0, dispute: 0, dispute_of_fraud: 60, rdr: 0 },
      amountsUsdMinor: { fraud: 0, dispute: 0, dispute_of_fraud: null, rdr: 0 },
      threeDSecure: null,
    });
    expect(state?.lines[0]).toMatchObject({
      isCrossed: true,
      unknown: ['amount', 'three_d_secure'],
    });
  });
});
