/**
 * Series of daily counts with a known origin: steady, bursty, growing and seasonal. They are drawn here, from the process
 * that each name says, by generators that know nothing of the code; the same seed draws the same series.
 */

type Random = () => number;

/** Even numbers from 0 to 1, by a hash of a counter (Mulberry32, of the public domain). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A Poisson count, by the products of even numbers; large means are sums of smaller ones. */
export function poisson(mean: number, random: Random): number {
  let count = 0;
  for (let rest = mean; rest > 0; rest -= 20) {
    const bound = Math.exp(-Math.min(rest, 20));
    for (let product = random(); product > bound; product *= random()) count++;
  }
  return count;
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Between two bounds, evenly by ratio: as many shops have 1 to 2 a day as have 20 to 40. */
function level(random: Random, from: number, to: number): number {
  return from * (to / from) ** random();
}

/** The count of a day; 0 is the first day ahead. Days are asked for in their order. */
type Process = (random: Random) => (day: number) => number;

export const PROCESSES: Readonly<Record<'steady' | 'bursty' | 'growing' | 'seasonal', Process>> = {
  /** The same mean every day, from 0.4 to 100. */
  steady: (random) => {
    const mean = level(random, 0.4, 100);
    return () => poisson(mean, random);
  },
  /** Every other one comes in batches of 4 to 16 on average; the others have episodes of one to five days at 3 to 7 times the mean. */
  bursty: (random) => (random() < 0.5 ? batches(random) : episodes(random)),
  /** Half of them by 1.2 % a day, the others by -1.5 to 1.5 %. */
  growing: (random) => {
    const mean = level(random, 0.4, 60);
    const growth = random() < 0.5 ? 0.012 : (random() - 0.5) * 0.03;
    return (day) => poisson(mean * Math.exp(growth * day), random);
  },
  /** Every weekday has its own factor (a standard deviation of half its logarithm), and the year swings by a quarter. */
  seasonal: (random) => {
    const mean = level(random, 0.4, 100);
    const weekdays = Array.from({ length: 7 }, () => Math.exp(normal(random) * 0.5));
    const phase = random() * 2 * Math.PI;
    return (day) => {
      const year = 1 + 0.25 * Math.sin(phase + (day * 2 * Math.PI) / 365);
      return poisson(mean * (weekdays[((day % 7) + 7) % 7] ?? 1) * year, random);
    };
  },
};

function batches(random: Random): (day: number) => number {
  const perDay = 0.3 + random() * 3;
  const size = 3 + random() * 12;
  return () => {
    let count = 0;
    for (let left = poisson(perDay, random); left > 0; left--) {
      count += 1 + Math.floor(-Math.log(1 - random()) * size);
    }
    return count;
  };
}

function episodes(random: Random): (day: number) => number {
  const mean = 0.5 + random() * 20;
  const factor = 3 + random() * 4;
  const every = 10 + random() * 20;
  let left = 0;
  return () => {
    if (left <= 0 && random() < 1 / every) left = 1 + Math.floor(random() * 5);
    left--;
    return poisson(left >= 0 ? mean * factor : mean, random);
  };
}

export interface Series {
  /** Known days, oldest first: 56 to 84. */
  readonly known: readonly number[];
  /** The days that come. */
  readonly ahead: readonly number[];
}

/** Draws a series and what comes after it. */
export function drawSeries(
  process: keyof typeof PROCESSES,
  seed: number,
  daysAhead: number,
): Series {
  const random = createRandom(seed * 7_919 + process.length * 104_729);
  const days = 56 + Math.floor(random() * 29);
  const countOf = PROCESSES[process](random);
  const counts = Array.from({ length: days + daysAhead }, (_, index) => countOf(index - days));
  return { known: counts.slice(0, days), ahead: counts.slice(days) };
}
