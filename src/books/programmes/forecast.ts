/**
 * When a line is crossed at the present pace, with the arithmetic and the spread. Pure.
 *
 * A line is crossed on the day on which the month's counted items reach what the line takes of the month's base. The
 * base of a running month is what is expected of it as a whole, because schemes judge whole months: ten items are
 * no breach on the second of a month only because few payments were made by then.
 */
import { itemsToCross } from './assess.ts';
import type { Pace } from './pace.ts';
import { dateOfDay, expectedOn, varianceOf } from './pace.ts';
import type { Line } from './programme.ts';

/** How far ahead is looked, in days: the rest of this month, and the next one. */
const HORIZON_DAYS = 62;

/** Standard deviations on either side: 19 times of 20. */
const SPREAD = 2;

export interface Known {
  /** Days since 1970-01-01; counted is what lies before it. */
  readonly today: number;
  /** Counted this month, before today. */
  readonly counted: number;
  /** Counted today so far. */
  readonly countedToday: number;
  /** Of the items; undefined: too few days. */
  readonly pace: Pace | undefined;
  /** The whole base of the month that holds a day; null: there is none. */
  readonly baseOf: (day: number) => number | null;
}

export interface Crossing {
  readonly kind: 'ahead';
  readonly on: Date;
  /** The days between which it falls 19 times of 20; null: it may not happen within the horizon. */
  readonly earliest: Date;
  readonly latest: Date | null;
  readonly target: number;
  readonly base: number | null;
  /** Counted already in the month in which it falls. */
  readonly counted: number;
  readonly days: number;
}

export type Forecast =
  | Crossing
  /** It is crossed already. */
  | { readonly kind: 'crossed'; readonly target: number; readonly counted: number }
  | { readonly kind: 'not_ahead'; readonly until: Date; readonly earliest: Date | null }
  | { readonly kind: 'unknown'; readonly because: 'too_few_days' | 'no_base' };

export function forecastCrossing(line: Line, known: Known): Forecast {
  const { today, counted, countedToday, pace, baseOf } = known;
  const target = itemsToCross(line, baseOf(today));
  if (target !== null && counted + countedToday >= target) {
    return { kind: 'crossed', target, counted: counted + countedToday };
  }
  if (pace === undefined) return { kind: 'unknown', because: 'too_few_days' };
  if (target === null) return { kind: 'unknown', because: 'no_base' };
  const passed: Record<'on' | 'earliest' | 'latest', Passing | null> = {
    on: null,
    earliest: null,
    latest: null,
  };
  for (const day of walk(known, pace)) {
    const needed = itemsToCross(line, baseOf(day.day));
    if (needed === null) break;
    const at: Passing = { ...day, target: needed, base: baseOf(day.day) };
    const spread = SPREAD * Math.sqrt(varianceOf(pace, day.expected, day.day));
    if (day.known + day.expected + spread >= needed) passed.earliest ??= at;
    if (day.known + day.expected >= needed) passed.on ??= at;
    if (day.known + Math.max(0, day.expected - spread) >= needed) passed.latest ??= at;
    if (passed.latest !== null) break;
  }
  return outcome(passed, today);
}

/** What the month of today is expected to end with, and between which counts 19 times of 20. */
export function forecastMonthEnd(
  known: Pick<Known, 'today' | 'counted' | 'countedToday' | 'pace'>,
): { readonly expected: number; readonly low: number; readonly high: number } | undefined {
  const { today, counted, countedToday, pace } = known;
  if (pace === undefined) return undefined;
  const month = monthOf(today);
  let rest = 0;
  let day = today;
  for (; monthOf(day) === month; day++) rest += expectedOn(pace, day);
  const ahead = Math.max(countedToday, rest);
  const spread = SPREAD * Math.sqrt(varianceOf(pace, ahead, day - 1));
  return {
    expected: counted + ahead,
    low: Math.max(counted + countedToday, counted + ahead - spread),
    high: counted + ahead + spread,
  };
}

interface Day {
  readonly day: number;
  /** Counted in the day's month already. */
  readonly known: number;
  /** Expected in that month from today on, the day included. */
  readonly expected: number;
}

interface Passing extends Day {
  readonly target: number;
  readonly base: number | null;
}

/** The days ahead; each month begins its count again. */
function* walk({ today, counted, countedToday }: Known, pace: Pace): Generator<Day> {
  let expected = 0;
  for (let day = today; day < today + HORIZON_DAYS; day++) {
    const isThisMonth = monthOf(day) === monthOf(today);
    if (day > today && monthOf(day) !== monthOf(day - 1)) expected = 0;
    expected +=
      day === today ? Math.max(countedToday, expectedOn(pace, day)) : expectedOn(pace, day);
    yield { day, known: isThisMonth ? counted : 0, expected };
  }
}

function outcome(
  { on, earliest, latest }: Readonly<Record<'on' | 'earliest' | 'latest', Passing | null>>,
  today: number,
): Forecast {
  if (on === null) {
    return {
      kind: 'not_ahead',
      until: dateOfDay(today + HORIZON_DAYS - 1),
      earliest: earliest === null ? null : dateOfDay(earliest.day),
    };
  }
  return {
    kind: 'ahead',
    on: dateOfDay(on.day),
    earliest: dateOfDay((earliest ?? on).day),
    latest: latest === null ? null : dateOfDay(latest.day),
    target: on.target,
    base: on.base,
    counted: on.known,
    days: on.day - today,
  };
}

/** Months since 1970, of a day. */
export function monthOf(day: number): number {
  const date = dateOfDay(day);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
