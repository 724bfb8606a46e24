/**
 * At what pace something is counted: its level, its weekdays and its growth, from the last four weeks. Pure.
 *
 * Days are whole UTC days. Four weeks, because every weekday then counts equally often in the mean.
 */

/** Days that a pace is taken from, at most. */
export const PACE_DAYS = 28;

/** Fewer days than this say nothing about a pace. */
const PACE_DAYS_MIN = 7;

/** Counts with which every weekday is thought to begin, so that a few events make no profile. */
const WEEKDAY_PRIOR = 10;

const DAYS_OF_WEEK = 7;
const DAY_MS = 86_400_000;

export interface Pace {
  /** The first day after those it was taken from, in days since 1970-01-01. */
  readonly from: number;
  readonly days: number;
  /** Counted in those days. */
  readonly counted: number;
  /** A day, at their middle. */
  readonly perDay: number;
  /** More a day with each day; 0 where chance explains it. */
  readonly growthPerDay: number;
  /** How much each weekday is above or below the mean, Sunday first; 1 is the mean. */
  readonly weekdays: readonly number[];
  /** How much more the days scatter than chance alone would have it; 1 at least. */
  readonly dispersion: number;
}

/** The number of a UTC day since 1970-01-01. */
export function dayNumber(moment: Date): number {
  return Math.floor(moment.getTime() / DAY_MS);
}

export function dateOfDay(day: number): Date {
  return new Date(day * DAY_MS);
}

/**
 * Takes the pace of whole days, oldest first, of which the last is the day before `from`. Undefined when they are
 * too few.
 */
export function paceOf(history: readonly number[], from: number): Pace | undefined {
  const days = history.slice(-PACE_DAYS);
  if (days.length < PACE_DAYS_MIN) return undefined;
  const counted = sum(days);
  const perDay = counted / days.length;
  const first = from - days.length;
  const weekdays = profileOf(days, first);
  const level = { from, days: days.length, counted, perDay, weekdays };
  const steady: Pace = { ...level, growthPerDay: 0, dispersion: 1 };
  // How much the days scatter is measured around the trend: else the trend itself would count as scatter.
  const slope = slopeOf(days);
  const dispersion = dispersionOf(days, { ...steady, growthPerDay: slope });
  const growthPerDay = withoutChance(slope, { perDay, dispersion });
  return { ...steady, growthPerDay, dispersion: dispersionOf(days, { ...steady, growthPerDay }) };
}

export function expectedOn(
  { from, days, perDay, growthPerDay, weekdays }: Pace,
  day: number,
): number {
  const middle = from - (days + 1) / 2;
  const level = Math.max(0, perDay + growthPerDay * (day - middle));
  return level * (weekdays[weekdayOf(day)] ?? 1);
}

/** Variance of the sum of days from `from` on, whose sum is expected to be `total` and the last of which is `day`. */
export function varianceOf(pace: Pace, total: number, day: number): number {
  if (pace.counted === 0) return total;
  // The days themselves scatter; and the pace is only as well known as it was counted.
  const level = pace.dispersion / pace.counted;
  const weeks = (day - pace.from) / 2 / DAYS_OF_WEEK + 2;
  const slope =
    pace.growthPerDay === 0 ? 0 : (pace.dispersion * weeks ** 2) / (5 * (pace.counted / 4));
  return pace.dispersion * total + total ** 2 * (level + slope);
}

function profileOf(days: readonly number[], first: number): number[] {
  if (days.length < PACE_DAYS) return Array.from({ length: DAYS_OF_WEEK }, () => 1);
  const sums = Array.from({ length: DAYS_OF_WEEK }, () => WEEKDAY_PRIOR);
  for (const [index, count] of days.entries()) {
    const weekday = weekdayOf(first + index);
    sums[weekday] = (sums[weekday] ?? 0) + count;
  }
  const mean = sum(sums) / DAYS_OF_WEEK;
  return sums.map((count) => count / mean);
}

/** How much more is counted a day with each day, by four weekly sums; 0 where there are fewer. */
function slopeOf(days: readonly number[]): number {
  if (days.length < PACE_DAYS) return 0;
  const weeks = [0, 1, 2, 3].map((week) => sum(days.slice(week * 7, week * 7 + 7)));
  // Weeks lie at -1.5, -0.5, 0.5 and 1.5; their squares sum to 5.
  const perWeek = weeks.reduce((slope, count, week) => slope + count * (week - 1.5), 0) / 5;
  return perWeek / DAYS_OF_WEEK ** 2;
}

/** The less of a slope, the less it stands out from its own uncertainty. */
function withoutChance(
  slope: number,
  { perDay, dispersion }: Pick<Pace, 'perDay' | 'dispersion'>,
): number {
  const uncertainty = Math.sqrt((dispersion * perDay * DAYS_OF_WEEK) / 5) / DAYS_OF_WEEK ** 2;
  return Math.abs(slope) <= uncertainty ? 0 : slope * (1 - (uncertainty / slope) ** 2);
}

function dispersionOf(days: readonly number[], pace: Pace): number {
  const first = pace.from - days.length;
  const chi = days.reduce((total, count, index) => {
    const expected = expectedOn(pace, first + index);
    return expected === 0 ? total : total + (count - expected) ** 2 / expected;
  }, 0);
  return Math.max(1, chi / Math.max(1, days.length - 8));
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 4) % DAYS_OF_WEEK) + DAYS_OF_WEEK) % DAYS_OF_WEEK;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
