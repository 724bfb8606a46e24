/** The ratios that are promised, and how they are made from the rounds. */

/** What one round measured. Rates are events per second, waits milliseconds. */
export interface Round {
  readonly ceiling: number;
  /** Our receiver without its store: the ceiling goes through Express, as a first program would. */
  readonly door: number;
  readonly inserting: number;
  readonly ingest: number;
  readonly both: number;
  readonly drain: number;
  readonly waitInserting: number;
  readonly waitOwn: number;
  readonly insertingFew: number;
  readonly ingestFew: number;
  /** Our receiver at few connections, with an empty commit in place of storing. */
  readonly committingFew: number;
  readonly ingestSmall: number;
  readonly ingestLarge: number;
}

/** A promised ratio. */
export interface Target {
  readonly number: number;
  readonly name: string;
  readonly ratio: (round: Round) => number;
  readonly bound: number;
  readonly isMost?: boolean;
  /** The most this ratio can be in a round: nothing is faster than the ceiling, or than commits that store nothing. */
  readonly possible?: (round: Round) => number;
}

/** Number 7 is not given again: old reports name a ratio that is no more. */
export const TARGETS: readonly Target[] = [
  { number: 1, name: 'durable ingest / ceiling', ratio: (r) => r.ingest / r.ceiling, bound: 0.5 },
  {
    number: 2,
    name: 'durable ingest / one INSERT per request',
    ratio: (r) => r.ingest / r.inserting,
    bound: 2.5,
    possible: (r) => r.ceiling / r.inserting,
  },
  {
    number: 3,
    name: 'received and applied / ceiling',
    ratio: (r) => r.both / r.ceiling,
    bound: 0.28,
  },
  {
    number: 4,
    name: "p50 at one connection / one INSERT's",
    ratio: (r) => r.waitOwn / r.waitInserting,
    bound: 1.15,
    isMost: true,
  },
  { number: 5, name: 'drain / durable ingest', ratio: (r) => r.drain / r.ingest, bound: 1.5 },
  {
    number: 6,
    name: 'ingest with many stored / with 10,000',
    ratio: (r) => r.ingestLarge / r.ingestSmall,
    bound: 0.9,
  },
  {
    number: 8,
    name: 'durable ingest / one INSERT per request, 16 connections',
    ratio: (r) => r.ingestFew / r.insertingFew,
    bound: 2,
    possible: (r) => r.committingFew / r.insertingFew,
  },
];

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

/** Whether a ratio keeps its promise. */
export function isMet(target: Target, ratio: number): boolean {
  return target.isMost === true ? ratio <= target.bound : ratio >= target.bound;
}
