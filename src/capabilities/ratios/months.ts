/** Months and days of the cockpit, and the base that a month is expected to have. Pure. */
import type { Figures } from './assess.ts';
import { countOf, ratioPercent } from './assess.ts';
import type { PeriodFigures } from './figures.ts';
import { monthOf } from './forecast.ts';
import type { Pace } from './pace.ts';
import { dateOfDay, dayNumber, expectedOn } from './pace.ts';
import type { Programme, Reading } from './programme.ts';

/** YYYY-MM, oldest first; at least one. */
export type Months = readonly [string, ...string[]];

/** The last months, the current one included. */
export function monthsUntil(now: Date, count: number): Months {
  const month = (back: number): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
  const rest = Array.from({ length: count - 1 }, (_, index) => month(count - 2 - index));
  return [month(count - 1), ...rest];
}

/** The month after one, YYYY-MM. */
export function monthAfter(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 1)).toISOString().slice(0, 7);
}

/** YYYY-MM-DD of a day since 1970-01-01. */
export function dayText(day: number): string {
  return dateOfDay(day).toISOString().slice(0, 10);
}

/** The last day of a month, YYYY-MM. */
export function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 0, 0)).toISOString().slice(0, 10);
}

/** Per cent of a month; null without a base, and where something was not counted. */
export function historyOf(reading: Reading, figures: Figures | undefined): number | null {
  const isWhole = reading.counts.every((name) => figures?.isKnown?.(name, reading) !== false);
  return figures === undefined || !isWhole
    ? null
    : ratioPercent(countOf(reading, figures.counts), figures.base);
}

/**
 * The base of the month that a day of this month or the next one lies in: payments known, and those expected until
 * its end. Null: there is none.
 */
export function baseOfDays(
  base: Programme['base'],
  {
    byMonth,
    pace,
    today,
  }: {
    /** Oldest first; the last is the current month. */
    readonly byMonth: readonly PeriodFigures[];
    readonly pace: Pace | undefined;
    readonly today: number;
  },
): (day: number) => number | null {
  const thisMonth = monthOf(today);
  const known = byMonth.at(-1)?.payments ?? 0;
  const before = byMonth.at(-2)?.payments ?? 0;
  const rest = expectedUntilEnd(pace, today);
  const current = known + Math.max(0, rest);
  const next = expectedUntilEnd(pace, firstDayAfter(today));
  return (day) => {
    const [now, then] = base === 'before' ? [before, current] : [current, next];
    const value = Math.round(monthOf(day) > thisMonth ? then : now);
    return value === 0 ? null : value;
  };
}

/** Payments expected from a day until its month's end. Today's are expected as a whole day less what is known of it. */
function expectedUntilEnd(pace: Pace | undefined, from: number): number {
  if (pace === undefined) return 0;
  let sum = 0;
  for (let day = from; monthOf(day) === monthOf(from); day++) {
    // Half of a running day is taken as over.
    sum += day === pace.from ? expectedOn(pace, day) / 2 : expectedOn(pace, day);
  }
  return sum;
}

/** The first day of the month after that of a day. */
export function firstDayAfter(day: number): number {
  const date = dateOfDay(day);
  return dayNumber(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)));
}
