/**
 * Guarantee: a forecast is arithmetic that a person can repeat, and where the data do not suffice it is "not known". How
 * often it holds is measured on four thousand series in `forecast.long.test.ts`.
 */
import { describe, expect, it } from 'vitest';
import { forecastCrossing, forecastMonthEnd } from '../../../src/capabilities/ratios/forecast.ts';
import { dayNumber, paceOf } from '../../../src/capabilities/ratios/pace.ts';
import type { Line } from '../../../src/capabilities/ratios/programme.ts';

const LINE: Line = {
  name: 'line',
  ratio_percent: 0.5,
  confidence: 'secondary',
  source: 'test',
  next_step: 'none',
};

type Forecast = ReturnType<typeof forecastCrossing>;

describe('the forecast', () => {
  const TODAY = dayNumber(new Date('2026-11-22T00:00:00Z'));
  const steady = (perDay: number, days = 84) =>
    paceOf(
      Array.from({ length: days }, () => perDay),
      TODAY,
    );
  const dateOf = (forecast: Forecast): string =>
    forecast.kind === 'ahead' ? forecast.on.toISOString().slice(0, 10) : forecast.kind;

  it('does the arithmetic that a person can repeat', () => {
    // 84 counted in 21 days, 4 a day; 0.5 % of 24,000 payments are 120: 36 more take 9 days, from 22 to 30 November.
    const forecast = forecastCrossing(LINE, {
      today: TODAY,
      counted: 84,
      countedToday: 0,
      pace: steady(4.000_001),
      baseOf: () => 24_000,
    });
    expect(forecast).toMatchObject({ kind: 'ahead', target: 120, counted: 84, days: 8 });
    expect(dateOf(forecast)).toBe('2026-11-30');
  });

  it('begins each month again', () => {
    // November ends with 84 + 36 = 120 of 125; in December 125 are reached on its 32nd day, so not in December.
    const known = { today: TODAY, counted: 84, countedToday: 0, pace: steady(4.000_001) };
    expect(forecastCrossing(LINE, { ...known, baseOf: () => 25_000 }).kind).toBe('not_ahead');
    // 124 are reached on the 31st of December.
    expect(dateOf(forecastCrossing(LINE, { ...known, baseOf: () => 24_800 }))).toBe('2026-12-31');
  });

  it('counts what came today, and expects of today what is left of it', () => {
    // 84 and 10 of today; half of today makes 2 more, so 24 of the missing 26 are expected until the 28th, 28 until the 29th.
    const known = { today: TODAY, counted: 84, countedToday: 10, leftOfToday: 0.5 };
    const forecast = forecastCrossing(LINE, {
      ...known,
      pace: steady(4.000_001),
      baseOf: () => 24_000,
    });
    expect(dateOf(forecast)).toBe('2026-11-28');
    // 94, 2 of today, and 8 days of 4: 128.
    expect(forecastMonthEnd({ ...known, pace: steady(4) })?.expected).toBeCloseTo(128, 3);
  });

  it('knows weekdays', () => {
    // Twelve weeks with 30 on Mondays and 10 on other days, until Monday 23 November. From Tuesday on 58 take six days of 10, until
    // the 29th; days of 12.9, the mean, would make them five.
    const tuesday = TODAY + 2;
    const week = [10, 10, 10, 10, 10, 10, 30];
    const forecast = forecastCrossing(LINE, {
      today: tuesday,
      counted: 0,
      countedToday: 0,
      pace: paceOf(Array.from({ length: 12 }, () => week).flat(), tuesday),
      baseOf: () => 58 * 200,
    });
    expect(dateOf(forecast)).toBe('2026-11-29');
  });

  it('says what is crossed', () => {
    const known = { today: TODAY, counted: 84, countedToday: 1, pace: steady(4) };
    expect(forecastCrossing(LINE, { ...known, baseOf: () => 17_000 })).toEqual({
      kind: 'crossed',
      target: 85,
      counted: 85,
    });
  });

  it.each([
    ['without payments', steady(4), null, 'no_base'],
    ['without days', undefined, 30_000, 'too_few_days'],
    // Eight weeks are needed.
    ['of 55 days', steady(4, 55), 30_000, 'too_few_days'],
    ['of 56 days', steady(4, 56), 30_000, undefined],
    // Ten events are needed: 56 days with 9, and with 10.
    ['of nothing', steady(0), 30_000, 'too_few_events'],
    ['of nine events', paceOf(spaced(9), TODAY), 30_000, 'too_few_events'],
    ['of ten events', paceOf(spaced(10), TODAY), 30_000, undefined],
    // One burst of 300 in twelve weeks is one event.
    ['of one burst', paceOf([...zeros(40), 300, ...zeros(43)], TODAY), 30_000, 'too_few_events'],
  ] as const)('is not known %s', (_name, pace, base, because) => {
    const forecast = forecastCrossing(LINE, {
      today: TODAY,
      counted: 84,
      countedToday: 0,
      pace,
      baseOf: () => base,
    });
    expect(forecast.kind === 'unknown' ? forecast.because : undefined).toBe(because);
    const end = forecastMonthEnd({ today: TODAY, counted: 84, countedToday: 0, pace });
    expect(end === undefined).toBe(because !== undefined && because !== 'no_base');
  });
});

function zeros(days: number): number[] {
  return Array.from({ length: days }, () => 0);
}

/** So many single events, evenly over 56 days. */
function spaced(events: number): number[] {
  return Array.from({ length: 56 }, (_, day) =>
    Math.floor(((day + 1) * events) / 56) > Math.floor((day * events) / 56) ? 1 : 0,
  );
}
