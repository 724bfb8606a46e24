/**
 * Guarantee: at a pace that continues, the day on which a line is crossed is said within one day, for 200 series of
 * different level (100 to 1,300 a day), growth and weekdays, one to seven days ahead. The series are drawn here, by a
 * generator that knows nothing of the code. Where less is counted chance alone is more than a day, and the spread says so.
 */
import { describe, expect, it } from 'vitest';
import { forecastCrossing } from '../../../src/books/programmes/forecast.ts';
import { dayNumber, paceOf } from '../../../src/books/programmes/pace.ts';
import type { Line } from '../../../src/books/programmes/programme.ts';

const LINE: Line = {
  name: 'line',
  ratio_percent: 0.5,
  confidence: 'secondary',
  source: 'test',
  next_step: 'none',
};

/** Park and Miller's generator: the same series in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A Poisson count, by the sum of 12 even numbers for large means (a normal one), by products for small ones. */
function poisson(mean: number, random: () => number): number {
  if (mean > 30) {
    let normal = -6;
    for (let i = 0; i < 12; i++) normal += random();
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  let product = random();
  let count = 0;
  for (const bound = Math.exp(-mean); product > bound; count++) product *= random();
  return count;
}

/** Sunday first. */
const WEEKDAYS = [
  [1, 1, 1, 1, 1, 1, 1],
  [0.5, 1.2, 1.2, 1.2, 1.2, 1.2, 0.5],
  [1.5, 0.9, 0.8, 0.8, 0.9, 1.0, 1.1],
];

interface Series {
  readonly counts: readonly number[];
  readonly first: number;
  /** The first day that is not known yet. */
  readonly today: number;
}

/** 28 days and what follows, from a day whose number within its month leaves room. */
function draw(seed: number): Series {
  const random = createRandom(seed * 7_919 + 17);
  const today = dayNumber(new Date(Date.UTC(2026, seed % 12, 10 + (seed % 7))));
  const first = today - 28;
  const perDay = 100 + random() * 1_200;
  const growth = (random() - 0.5) * 0.012;
  const weekdays = WEEKDAYS[seed % WEEKDAYS.length] ?? [];
  const counts = Array.from({ length: 28 + 22 }, (_, index) => {
    const weekday = new Date((first + index) * 86_400_000).getUTCDay();
    return poisson(perDay * (1 + growth * index) * (weekdays[weekday] ?? 1), random);
  });
  return { counts, first, today };
}

/** The base with which the line lies where the series truly arrives after `ahead` days. */
function worldOf({ counts, first, today }: Series, ahead: number) {
  const monthStart = dayNumber(
    new Date(
      Date.UTC(
        new Date(today * 86_400_000).getUTCFullYear(),
        new Date(today * 86_400_000).getUTCMonth(),
        1,
      ),
    ),
  );
  const before = (until: number): number =>
    counts.slice(Math.max(0, monthStart - first), until - first).reduce((a, b) => a + b, 0);
  // Reached in the middle of that day.
  const target = Math.round((before(today + ahead) + before(today + ahead + 1)) / 2);
  const base = target * 200; // 0.5 %
  return { counted: before(today), target, base };
}

/** How far the forecast lies from the truth, in days; and whether its spread holds the truth. */
function judge(seed: number): { readonly error: number; readonly isWithin: boolean } {
  const series = draw(seed);
  const ahead = 1 + (seed % 7);
  const { counted, base } = worldOf(series, ahead);
  const forecast = forecastCrossing(LINE, {
    today: series.today,
    counted,
    countedToday: 0,
    pace: paceOf(series.counts.slice(0, 28), series.today),
    baseOf: () => base,
  });
  if (forecast.kind !== 'ahead') throw new Error(`series ${seed}: ${forecast.kind}`);
  const truth = series.today + ahead;
  const latest = forecast.latest === null ? Number.POSITIVE_INFINITY : dayNumber(forecast.latest);
  return {
    error: dayNumber(forecast.on) - truth,
    isWithin: dayNumber(forecast.earliest) <= truth && truth <= latest,
  };
}

describe('the forecast', () => {
  it('says the day within one day, one to seven days ahead, on 200 series', () => {
    const judged = Array.from({ length: 200 }, (_, index) => ({
      seed: index + 1,
      ...judge(index + 1),
    }));
    expect(judged.filter(({ error }) => Math.abs(error) > 1)).toEqual([]);
    expect(judged.filter(({ error }) => error === 0).length).toBeGreaterThan(160);
    // The spread says 19 times of 20.
    expect(judged.filter(({ isWithin }) => isWithin).length).toBeGreaterThanOrEqual(190);
  });

  const TODAY = dayNumber(new Date('2026-11-22T00:00:00Z'));
  const steady = (perDay: number) =>
    paceOf(
      Array.from({ length: 28 }, () => perDay),
      TODAY,
    );

  it('does the arithmetic that a person can repeat', () => {
    // 84 counted in 21 days, 4 a day; 0.5 % of 24,000 payments are 120: 36 more take 9 days, from 22 to 30 November.
    const forecast = forecastCrossing(LINE, {
      today: TODAY,
      counted: 84,
      countedToday: 0,
      pace: steady(4),
      baseOf: () => 24_000,
    });
    expect(forecast).toMatchObject({ kind: 'ahead', target: 120, counted: 84, days: 8 });
    expect(forecast.kind === 'ahead' && forecast.on.toISOString().slice(0, 10)).toBe('2026-11-30');
  });

  it('begins each month again', () => {
    // November ends with 84 + 36 = 120 of 125; in December 125 are reached on its 32nd day, so not in December.
    const known = { today: TODAY, counted: 84, countedToday: 0, pace: steady(4) };
    expect(forecastCrossing(LINE, { ...known, baseOf: () => 25_000 }).kind).toBe('not_ahead');
    // 124 are reached on the 31st of December.
    const later = forecastCrossing(LINE, { ...known, baseOf: () => 24_800 });
    expect(later.kind === 'ahead' && later.on.toISOString().slice(0, 10)).toBe('2026-12-31');
  });

  it('says what it cannot know, and what is crossed', () => {
    const known = { today: TODAY, counted: 84, countedToday: 1, pace: steady(4) };
    expect(forecastCrossing(LINE, { ...known, baseOf: () => 17_000 })).toEqual({
      kind: 'crossed',
      target: 85,
      counted: 85,
    });
    expect(forecastCrossing(LINE, { ...known, baseOf: () => null })).toEqual({
      kind: 'unknown',
      because: 'no_base',
    });
    expect(forecastCrossing(LINE, { ...known, pace: undefined, baseOf: () => 30_000 })).toEqual({
      kind: 'unknown',
      because: 'too_few_days',
    });
  });
});
