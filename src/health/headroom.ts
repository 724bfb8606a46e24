/** How much time was left when alerts were answered: the figure that shrinks before a deadline is missed. */
import type { Figure } from './figure.store.ts';

/** Upper bounds of the histogram, in seconds: passed, 15 min, 1, 4, 12, 24, 48 and 72 hours. */
export const HEADROOM_BOUNDS_SECONDS = [
  0, 900, 3_600, 14_400, 43_200, 86_400, 172_800, 259_200,
] as const;

export interface Headroom {
  /** Answers with at most as many seconds left, one per bound. */
  readonly atMost: readonly number[];
  readonly count: number;
  readonly sumSeconds: number;
}

/** The histogram from the figures of the answers given, by upper bound. */
export function headroomOf(answers: readonly Figure[]): Headroom {
  const countUpTo = (limit: number): number =>
    answers
      .filter(({ label }) => Number(label) <= limit)
      .reduce((total, { count }) => total + count, 0);
  return {
    atMost: HEADROOM_BOUNDS_SECONDS.map(countUpTo),
    count: answers.reduce((total, { count }) => total + count, 0),
    sumSeconds: answers.reduce((total, { amount }) => total + amount, 0) / 1_000,
  };
}
