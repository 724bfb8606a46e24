/**
 * At what pace something is counted: its level today, its growth and its weekdays, from the last twelve weeks. Pure.
 *
 * Days are whole UTC days. What a day is expected to hold is `exp(level + growth * days + weekday)`, fitted to the counts by
 * weighted maximum likelihood (quasi-Poisson). A day of four weeks ago weighs half of one of yesterday, so that a change is seen
 * soon; growth and weekdays are held towards none, so that few events make neither. How much the days scatter
 * more than chance is measured on days, on three days and on weeks, because bursts last longer than a day.
 */

/** Days that a pace is taken from, at most: whole weeks. */
export const PACE_DAYS = 84;

/** Fewer days than this say nothing about a pace. */
const PACE_DAYS_MIN = 7;

/** Fewer days than this say nothing about how far a pace may be wrong. */
export const SPREAD_DAYS_MIN = 56;

/** Nor do fewer independent events: what was counted over how much more than chance it scatters. */
export const SPREAD_EVENTS_MIN = 10;

/** Days after which a day weighs half. */
const HALF_LIFE_DAYS = 28;

/** How far growth a day and the logarithm of a weekday lie from none, usually. */
const GROWTH_SD = 0.012;
const WEEKDAY_SD = 0.6;

/** So many days growth is thought to go on. */
const GROWTH_DAYS_MAX = 35;

/** By so much scatter beyond chance is taken for larger than it was measured: of bursts that come now and then few are seen. */
const BURSTS = 2.2;

/** Days taken together when scatter is measured. */
const BLOCKS = [1, 3, 7] as const;

const DAYS_OF_WEEK = 7;
const DAY_MS = 86_400_000;

/** Parameters: the level, the growth, and one of each weekday, Sunday first. */
const SIZE = 2 + DAYS_OF_WEEK;

/** Rounds of Newton's method; five are usual. */
const ROUNDS_MAX = 40;

type Vector = readonly number[];
type Matrix = readonly Vector[];

export interface Pace {
  /** The first day after those it was taken from, in days since 1970-01-01. */
  readonly from: number;
  readonly days: number;
  /** Counted in those days. */
  readonly counted: number;
  /** A day, on the first day after them; weekdays apart. */
  readonly perDay: number;
  /** The logarithm of the growth from a day to the next. */
  readonly growth: number;
  /** How much each weekday is above or below the mean, Sunday first; 1 is the mean. */
  readonly weekdays: Vector;
  /** How much more the days scatter than chance alone would have it; 1 at least. */
  readonly dispersion: number;
  /** How well the parameters are known. */
  readonly covariance: Matrix;
  /** Whether they are enough to say how far the pace may be wrong. */
  readonly isEnough: boolean;
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
export function paceOf(history: Vector, from: number): Pace | undefined {
  const counts = history.slice(-PACE_DAYS);
  if (counts.length < PACE_DAYS_MIN) return undefined;
  const counted = sum(counts);
  const days = counts.map((count, index) => dayOf(from - counts.length + index, { from, count }));
  const parameters = likeliest(days, counted / counts.length);
  const [level = 0, growth = 0, ...effects] = parameters;
  const mean = sum(effects.map(Math.exp)) / DAYS_OF_WEEK;
  const dispersion = dispersionOf(days, parameters);
  return {
    from,
    days: counts.length,
    counted,
    perDay: counted === 0 ? 0 : Math.exp(level) * mean,
    growth,
    weekdays: effects.map((effect) => Math.exp(effect) / mean),
    dispersion,
    covariance: covarianceOf(days, { parameters, dispersion }),
    isEnough: counts.length >= SPREAD_DAYS_MIN && counted / dispersion >= SPREAD_EVENTS_MIN,
  };
}

export function expectedOn({ from, perDay, growth, weekdays }: Pace, day: number): number {
  const ahead = Math.min(day - from, GROWTH_DAYS_MAX);
  return perDay * Math.exp(growth * ahead) * (weekdays[weekdayOf(day)] ?? 1);
}

/** A sum of days ahead: what is expected of it, and between which counts it lies 9 times of 10. */
export interface Ahead {
  readonly expected: number;
  readonly low: number;
  readonly high: number;
}

/** Adds days ahead up, one after the other. A part of the first day may be over already. */
export function createAhead(pace: Pace): (day: number, part?: number) => Ahead {
  let expected = 0;
  const gradient = Array.from({ length: SIZE }, () => 0);
  return (day, part = 1) => {
    const more = part * expectedOn(pace, day);
    expected += more;
    add(gradient, dayOf(day, { from: pace.from, count: 0 }), more);
    const variance = pace.dispersion * expected + dot(gradient, times(pace.covariance, gradient));
    return { expected, ...spreadOf(expected, variance) };
  };
}

/** Standard deviations on either side of 9 times of 10; more than 1.645, because the scatter itself is estimated. */
const SPREAD = 1.66;

/** Counts are skewed: their quantiles are those of a gamma distribution, by Wilson and Hilferty. */
function spreadOf(expected: number, variance: number): { low: number; high: number } {
  if (expected <= 0) return { low: 0, high: 0 };
  const relative = variance / expected ** 2;
  const at = (deviations: number): number =>
    expected * Math.max(0, 1 - relative / 9 + (deviations * Math.sqrt(relative)) / 3) ** 3;
  return { low: Math.floor(at(-SPREAD)), high: Math.ceil(at(SPREAD)) };
}

interface Day {
  readonly count: number;
  /** Days after the first one ahead: what growth is multiplied by. */
  readonly ahead: number;
  /** The place of its weekday among the parameters. */
  readonly place: number;
  readonly weight: number;
}

function dayOf(
  day: number,
  { from, count }: { readonly from: number; readonly count: number },
): Day {
  const ahead = Math.min(day - from, GROWTH_DAYS_MAX);
  const weight = 0.5 ** ((from - 1 - day) / HALF_LIFE_DAYS);
  return { count, ahead, place: 2 + weekdayOf(day), weight };
}

/** Adds a day's row of the design, times a factor: 1 for the level, its distance for growth, 1 for its weekday. */
function add(vector: number[], { ahead, place }: Day, factor: number): void {
  vector[0] = (vector[0] ?? 0) + factor;
  vector[1] = (vector[1] ?? 0) + factor * ahead;
  vector[place] = (vector[place] ?? 0) + factor;
}

/** What holds the parameters towards none, one over its variance. The level is free. */
const PRIOR: Vector = [
  1e-9,
  1 / GROWTH_SD ** 2,
  ...Array.from({ length: DAYS_OF_WEEK }, () => 1 / WEEKDAY_SD ** 2),
];

/** The likeliest parameters, by Newton's method: the likelihood is concave, so that there is one. */
function likeliest(days: readonly Day[], perDay: number): number[] {
  let parameters = [Math.log(Math.max(perDay, 1e-6)), ...Array.from({ length: SIZE - 1 }, () => 0)];
  if (perDay === 0) return parameters;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const gradient = PRIOR.map(
      (prior, index) => -prior * (index === 0 ? 0 : (parameters[index] ?? 0)),
    );
    for (const day of days) add(gradient, day, day.weight * (day.count - meanOf(day, parameters)));
    const step = solve(withPrior(informationOf(days, parameters)), gradient);
    // Steps are kept short: far from the solution a whole one may leap beyond it.
    const scale = Math.min(1, 1 / Math.max(...step.map(Math.abs)));
    parameters = parameters.map((value, index) => value + scale * (step[index] ?? 0));
    if (Math.max(...step.map(Math.abs)) < 1e-10) break;
  }
  return parameters;
}

function meanOf({ ahead, place }: Day, parameters: Vector): number {
  const [level = 0, growth = 0] = parameters;
  return Math.exp(Math.min(50, level + growth * ahead + (parameters[place] ?? 0)));
}

/** What the days say of the parameters, each by its weight. */
function informationOf(days: readonly Day[], parameters: Vector): number[][] {
  const matrix = PRIOR.map(() => PRIOR.map(() => 0));
  const at = (index: number): number[] => matrix[index] ?? [];
  for (const day of days) {
    const value = day.weight * meanOf(day, parameters);
    add(at(0), day, value);
    add(at(1), day, value * day.ahead);
    add(at(day.place), day, value);
  }
  return matrix;
}

function withPrior(matrix: Matrix): number[][] {
  return matrix.map((line, i) => line.map((value, j) => value + (i === j ? (PRIOR[i] ?? 0) : 0)));
}

/** How well the parameters are known: days that scatter more than chance say less. */
function covarianceOf(
  days: readonly Day[],
  { parameters, dispersion }: { readonly parameters: Vector; readonly dispersion: number },
): number[][] {
  const by = (weightOf: (weight: number) => number): number[][] =>
    withPrior(
      informationOf(
        days.map((day) => ({ ...day, weight: weightOf(day.weight) / dispersion })),
        parameters,
      ),
    );
  const inverse = inverseOf(by((weight) => weight));
  // A sum of weighted days scatters by the squares of the weights.
  return multiply(
    multiply(
      inverse,
      by((weight) => weight ** 2),
    ),
    inverse,
  );
}

function dispersionOf(days: readonly Day[], parameters: Vector): number {
  const found = BLOCKS.map((size) => {
    const blocks = Math.floor(days.length / size);
    // The newest ones; parameters fitted to the days take some of the scatter away.
    const fitted = size === 1 ? 5 : 2;
    if (blocks <= fitted + 1) return 1;
    let chi = 0;
    for (let block = 0; block < blocks; block++) {
      const end = days.length - block * size;
      const some = days.slice(end - size, end);
      const expected = sum(some.map((day) => meanOf(day, parameters)));
      const counted = sum(some.map(({ count }) => count));
      if (expected > 0) chi += (counted - expected) ** 2 / expected;
    }
    return chi / (blocks - fitted);
  });
  return 1 + BURSTS * (Math.max(1, ...found) - 1);
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 4) % DAYS_OF_WEEK) + DAYS_OF_WEEK) % DAYS_OF_WEEK;
}

function sum(values: Vector): number {
  return values.reduce((total, value) => total + value, 0);
}

function dot(left: Vector, right: Vector): number {
  return left.reduce((total, value, index) => total + value * (right[index] ?? 0), 0);
}

function times(matrix: Matrix, vector: Vector): number[] {
  return matrix.map((row) => dot(row, vector));
}

function multiply(left: Matrix, right: Matrix): number[][] {
  return left.map((row) =>
    row.map((_, column) =>
      row.reduce((total, value, k) => total + value * (right[k]?.[column] ?? 0), 0),
    ),
  );
}

function inverseOf(matrix: Matrix): number[][] {
  const columns = matrix.map((_, column) =>
    solve(
      matrix,
      matrix.map((__, row) => (row === column ? 1 : 0)),
    ),
  );
  return matrix.map((_, row) => columns.map((column) => column[row] ?? 0));
}

/** Solves a symmetric, positive system by Gauss's method: its pivots are on the diagonal. */
function solve(matrix: Matrix, right: Vector): number[] {
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  for (const [pivot, lead] of rows.entries()) {
    for (const [index, row] of rows.entries()) {
      if (index !== pivot) subtract(row, lead, pivot);
    }
  }
  return rows.map((row, index) => (row.at(-1) ?? 0) / (row[index] ?? 1));
}

/** Takes so much of another row that nothing is at the pivot. */
function subtract(row: number[], lead: Vector, pivot: number): void {
  const factor = (row[pivot] ?? 0) / (lead[pivot] ?? 1);
  if (factor === 0) return;
  for (let column = pivot; column < lead.length; column++) {
    row[column] = (row[column] ?? 0) - factor * (lead[column] ?? 0);
  }
}
