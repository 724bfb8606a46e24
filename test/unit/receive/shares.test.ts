/** Guarantee: whoever floods one organisation fills its own share, and turns no delivery away at another. */
import { expect, test } from 'vitest';
import {
  createBodyBudget,
  createBodyRoom,
  LARGE_SHARE_BYTES,
} from '../../../src/alerts/receive/body-budget.ts';

const PIECE = Buffer.alloc(256 * 1024);

/** How many of the largest bodies are taken before one is turned away. */
function fill(budget: ReturnType<typeof createBodyBudget>): number {
  for (let taken = 0; ; taken++) {
    if (budget.begin(PIECE.length).add(PIECE) !== undefined) return taken;
  }
}

test('one organisation takes half of the room at most; others have the rest', () => {
  const room = createBodyRoom();
  const flooded = createBodyBudget(createBodyRoom(room));
  const other = createBodyBudget(createBodyRoom(room));
  const half = LARGE_SHARE_BYTES / PIECE.length / 2;
  expect(fill(flooded)).toBe(half);
  expect(fill(other)).toBe(half);
  // All of it is out, but for what the small share of each body has spared.
  expect(fill(createBodyBudget(createBodyRoom(room)))).toBeLessThanOrEqual(1);
});

test('what ends is given back to both', () => {
  const room = createBodyRoom();
  const budget = createBodyBudget(createBodyRoom(room));
  const before = fill(createBodyBudget(createBodyRoom()));
  for (let index = 0; index < 1_000; index++) {
    const body = budget.begin(PIECE.length);
    expect(body.add(PIECE)).toBeUndefined();
    body.end();
  }
  expect(fill(createBodyBudget(room))).toBe(before);
});
