/** Guarantee: a movement hurries for the next deadline ahead, and stands until the last alert that waits for it. */
import { expect, it } from 'vitest';
import { deadlinesOf } from '../../../src/alerts/refund/retry-ladder.ts';

const NOW_MS = 1_000;

it.each<[string, [atMs: number, waits: boolean][], number | null, number | null]>([
  ['no alert is open', [], null, null],
  [
    'the nearest deadline ahead is the next',
    [
      [3_000, false],
      [2_000, false],
    ],
    2_000,
    null,
  ],
  [
    'a deadline that is reached is not ahead',
    [
      [1_000, false],
      [1_001, false],
    ],
    1_001,
    null,
  ],
  [
    'the last of those that wait counts',
    [
      [2_000, true],
      [3_000, true],
      [4_000, false],
    ],
    2_000,
    3_000,
  ],
  ['one that waits counts when its deadline has passed', [[500, true]], null, 500],
])('%s', (_name, open, nextMs, lastWaitingMs) => {
  const deadlines = open.map(([atMs, waits]) => ({ atMs, waits }));
  expect(deadlinesOf(deadlines, NOW_MS)).toEqual({ nextMs, lastWaitingMs });
});
