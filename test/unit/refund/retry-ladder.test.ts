/** Guarantee: a refund's waits grow, are spread, have an end, and never sleep past a moment that decides. */
import { describe, expect, it } from 'vitest';
import { ladderMs, nextTryMs, waitMaxMs } from '../../../src/alerts/refund/retry-ladder.ts';
import { cutWaitMs } from '../../../src/base/kernel/backoff.ts';

/** The highest random number there is, nearly. */
const ALMOST_ONE = 1 - Number.EPSILON;

describe('the ladder', () => {
  it.each([
    [0, 1_000, 2_000],
    [1, 2_000, 60_000],
    [2, 60_000, 300_000],
    [3, 300_000, 900_000],
    [4, 900_000, 3_600_000],
    [5, 900_000, 3_600_000],
    [1_000, 900_000, 3_600_000],
  ])('after %i tries waits between %i and %i ms', (tries, fromMs, toMs) => {
    expect(ladderMs(tries, { random: 0 })).toBe(toMs);
    expect(ladderMs(tries, { random: 0.5 })).toBe(toMs - (toMs - fromMs) / 2);
    const least = ladderMs(tries, { random: ALMOST_ONE });
    expect(least).toBeGreaterThan(fromMs);
    expect(least).toBeLessThan(fromMs + 10);
  });

  it('leaves out the rungs above the longest wait', () => {
    expect(ladderMs(9, { random: 0, maxMs: 900_000 })).toBe(900_000);
    expect(ladderMs(9, { random: 0.5, maxMs: 900_000 })).toBe(600_000);
    expect(ladderMs(1, { random: 0, maxMs: 900_000 })).toBe(60_000);
  });
});

describe('the next try', () => {
  const at = (tries: number, momentsMs: readonly (number | null)[]): number =>
    nextTryMs(tries, { nowMs: 10_000_000, random: 0, momentsMs });

  it('is the ladder’s when no moment comes before', () => {
    expect(at(2, [])).toBe(10_300_000);
    expect(at(2, [null, 10_300_001])).toBe(10_300_000);
  });

  it('is the earliest moment ahead', () => {
    expect(at(2, [10_200_000, null, 10_100_000])).toBe(10_100_000);
  });

  it('ignores a moment that is over, or now', () => {
    expect(at(2, [9_999_999, 10_000_000])).toBe(10_300_000);
  });

  it('keeps to the longest wait', () => {
    expect(nextTryMs(9, { nowMs: 0, random: 0, momentsMs: [], maxMs: 900_000 })).toBe(900_000);
  });
});

describe('the longest wait', () => {
  const HOUR_MS = 3_600_000;
  it.each([
    ['no deadline', null, 0, undefined],
    ['a deadline that is over', 1_000, 1_001, undefined],
    ['the deadline itself', 1_000, 1_000, undefined],
    ['a millisecond before it', 1_001, 1_000, 30_000],
    ['an hour before it', HOUR_MS, 0, 30_000],
    ['a millisecond more than an hour', HOUR_MS + 1, 0, undefined],
  ])('%s', (_name, deadlineMs, nowMs, expected) => {
    expect(waitMaxMs(deadlineMs, nowMs)).toBe(expected);
  });

  it('replaces the rungs above it, from the rung below', () => {
    expect(ladderMs(9, { random: 0, maxMs: 30_000 })).toBe(30_000);
    expect(ladderMs(9, { random: ALMOST_ONE, maxMs: 30_000 })).toBeGreaterThan(2_000);
    expect(ladderMs(0, { random: 0, maxMs: 30_000 })).toBe(2_000);
  });
});

describe('a wait cut to the deadline', () => {
  const HOUR_MS = 3_600_000;
  const now = 5_000_000;
  it.each([
    ['two hours ahead, a short wait', 2 * HOUR_MS, 1_000, 1_000],
    ['two hours ahead: at the last hour’s beginning', 2 * HOUR_MS, 9 * HOUR_MS, HOUR_MS],
    ['a millisecond more than an hour ahead', HOUR_MS + 1, HOUR_MS, 1],
    ['an hour ahead', HOUR_MS, HOUR_MS, 30_000],
    ['an hour ahead, a short wait', HOUR_MS, 29_999, 29_999],
    ['a millisecond ahead', 1, HOUR_MS, 30_000],
    ['over', 0, HOUR_MS, HOUR_MS],
    ['long over', -1, HOUR_MS, HOUR_MS],
  ])('%s', (_name, aheadMs, waitMs, expected) => {
    expect(cutWaitMs(waitMs, now + aheadMs, now)).toBe(expected);
  });
});
