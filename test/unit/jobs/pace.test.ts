/**
 * Guarantee: what quiet organisations ask together does not grow with their number; one that has something to do goes
 * at the loops' own pace at once, and for ten minutes.
 */
import { expect, test } from 'vitest';
import type { LoopSpec } from '../../../src/base/jobs/loop.ts';
import { createPace } from '../../../src/base/jobs/pace.ts';

const spec = (more: Partial<LoopSpec> = {}): LoopSpec => ({
  name: 'some',
  idleMs: 15_000,
  runOnce: () => Promise.resolve(0),
  ...more,
});

test.each([10, 100, 1_000])(
  '%i quiet organisations make a round of a kind every 16 s or less often',
  (count) => {
    let drawn = 0;
    const pace = createPace(
      () => count,
      () => 0,
      () => drawn,
    );
    const bounds = [0, 0.999].map((draw) => {
      drawn = draw;
      return { restMs: pace.idleMs(spec()), firstMs: pace.firstMs(spec()) };
    });
    for (const { restMs } of bounds) {
      expect(restMs / count).toBeGreaterThanOrEqual(16_000);
      expect(restMs / count).toBeLessThanOrEqual(20_000);
    }
    // They begin at moments of their own, and not all at the start.
    const [least, most] = bounds;
    expect(least!.firstMs).toBe(0);
    expect(most!.firstMs).toBeGreaterThan(least!.restMs / 2);
  },
);

test('one with something to do is hastened, and keeps the loops’ own pace for ten minutes', () => {
  let nowMs = 0;
  const pace = createPace(
    () => 1_000,
    () => nowMs,
  );
  let hastened = 0;
  pace.follow({
    hasten: () => {
      hastened += 1;
    },
  });
  pace.stir();
  pace.stir();
  expect([hastened, pace.isQuiet(), pace.idleMs(spec()) <= 15_000]).toEqual([1, false, true]);
  nowMs = 10 * 60_000;
  expect([pace.isQuiet(), pace.idleMs(spec()) > 15_000]).toEqual([true, true]);
  pace.stir();
  expect(hastened).toBe(2);
});

test('what the look watches needs no rounds of its own, busy or not', () => {
  const pace = createPace(
    () => 1_000,
    () => 0,
  );
  pace.stir();
  const looked = spec({
    isDue: () => {
      throw new Error('not asked');
    },
  });
  expect(pace.idleMs(looked)).toBeGreaterThanOrEqual(0.8 * 60_000 * 1_000);
});
