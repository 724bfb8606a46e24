/**
 * When a line is crossed at the present pace, with the arithmetic and the spread. Pure.
 *
 * A line is crossed on the day on which the month's counted items reach what the line takes of the month's base. The
 * base of a running month is what is expected of it as a whole, because schemes judge whole months: ten items are
 * no breach on the second of a month only because few payments were made by then.
 */
import { itemsToCross } from './assess.ts';
import type { Ahead, Pace } from './pace.ts';
import { createAhead, dateOfDay, SPREAD_DAYS_MIN } from './pace.ts';
import type { Line } from './programme.ts';

/** How far ahead is looked, in days: the rest of this month, and the next one. */
const HORIZON_DAYS = 62;

export interface Known {
  /** Days since 1970-01-01; counted is what lies before it. */
  readonly today: number;
  /** Counted this month, before today. */
  readonly counted: number;
  /** Counted today so far. */
  readonly countedToday: number;
  /** How much of today is ahead, from 0 to 1; 1: all of it. */
  readonly leftOfToday?: number;
  /** Of the items; undefined: too few days. */
  readonly pace: Pace | undefined;
  /** The whole base of the month that holds a day; null: there is none. */
  readonly baseOf: (day: number) => number | null;
}

export interface Crossing {
  readonly kind: 'ahead';
  readonly on: Date;
  /** The days between which it falls 9 times of 10; null: it may not happen within the horizon. */
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
  | { readonly kind: 'unknown'; readonly because: 'too_few_days' | 'too_few_events' | 'no_base' };

export function forecastCrossing(line: Line, known: Known): Forecast {
  const { today, counted, countedToday, pace, baseOf } = known;
  const target = itemsToCross(line, baseOf(today));
  if (target !== null && counted + countedToday >= target) {
    return { kind: 'crossed', target, counted: counted + countedToday };
  }
  const because = whyUnknown(pace);
  if (pace === undefined || because !== undefined) {
    return { kind: 'unknown', because: because ?? 'too_few_days' };
  }
  if (target === null) return { kind: 'unknown', because: 'no_base' };
  return outcome(passings(line, known, pace), today);
}

type Passings = Record<'on' | 'earliest' | 'latest', Passing | null>;

/** On which days the line is reached: as expected, and at the ends of what 9 times of 10 comes. */
function passings(line: Line, known: Known, pace: Pace): Passings {
  const passed: Passings = { on: null, earliest: null, latest: null };
  for (const day of walk(known, pace)) {
    const base = known.baseOf(day.day);
    const needed = itemsToCross(line, base);
    if (needed === null) break;
    const at: Passing = { ...day, target: needed, base };
    const missing = needed - day.known;
    if (day.ahead.high >= missing) passed.earliest ??= at;
    if (day.ahead.expected >= missing) passed.on ??= at;
    if (day.ahead.low >= missing) passed.latest ??= at;
    if (passed.latest !== null) break;
  }
  return passed;
}

/** Why nothing can be said of what is ahead; undefined: something can. */
function whyUnknown(pace: Pace | undefined): 'too_few_days' | 'too_few_events' | undefined {
  if (pace === undefined || pace.days < SPREAD_DAYS_MIN) return 'too_few_days';
  return pace.isEnough ? undefined : 'too_few_events';
}

/** What the month of today is expected to end with, and between which counts 9 times of 10. Undefined: not known. */
export function forecastMonthEnd(known: Omit<Known, 'baseOf'>): Ahead | undefined {
  const { today, counted, countedToday, leftOfToday, pace } = known;
  if (pace === undefined || whyUnknown(pace) !== undefined) return undefined;
  const add = createAhead(pace);
  let ahead = add(today, leftOfToday);
  for (let day = today + 1; monthOf(day) === monthOf(today); day++) ahead = add(day);
  const sure = counted + countedToday;
  return {
    expected: sure + ahead.expected,
    low: sure + ahead.low,
    high: sure + ahead.high,
  };
}

/** The same of the month after that. */
export function forecastNextMonth({
  today,
  pace,
}: Pick<Known, 'today' | 'pace'>): Ahead | undefined {
  if (pace === undefined || whyUnknown(pace) !== undefined) return undefined;
  const add = createAhead(pace);
  const next = monthOf(today) + 1;
  let ahead: Ahead | undefined;
  for (let day = today; monthOf(day) <= next; day++) if (monthOf(day) === next) ahead = add(day);
  return ahead;
}

interface Day {
  readonly day: number;
  /** Counted in the day's month already. */
  readonly known: number;
  /** From now on until the day's end, in its month. */
  readonly ahead: Ahead;
}

interface Passing extends Day {
  readonly target: number;
  readonly base: number | null;
}

/** The days ahead; each month begins its count again. */
function* walk({ today, counted, countedToday, leftOfToday }: Known, pace: Pace): Generator<Day> {
  let add = createAhead(pace);
  for (let day = today; day < today + HORIZON_DAYS; day++) {
    const isThisMonth = monthOf(day) === monthOf(today);
    if (day > today && monthOf(day) !== monthOf(day - 1)) add = createAhead(pace);
    const ahead = add(day, day === today ? leftOfToday : 1);
    yield { day, known: isThisMonth ? counted + countedToday : 0, ahead };
  }
}

function outcome({ on, earliest, latest }: Readonly<Passings>, today: number): Forecast {
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
