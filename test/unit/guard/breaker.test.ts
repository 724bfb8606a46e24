/** Guarantee: the breaker opens only far above the usual rate, never for want of history, and closes when the rate is back. */
import { describe, expect, it } from 'vitest';
import { breakerMove, breakerThreshold } from '../../../src/alerts/guard/breaker.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
const SETTINGS = { windowMs: HOUR_MS, usualOverMs: WEEK_MS, times: 5, atLeast: 50 };
const NOW = new Date('2026-03-02T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);

describe('breakerThreshold', () => {
  it.each([
    // 3,360 alerts in 168 hours are 20 an hour; five times that is 100.
    ['five times the usual', { earlier: 3_360, historyMs: WEEK_MS }, 100],
    ['never below the least', { earlier: 168, historyMs: WEEK_MS }, 50],
    ['a week without alerts', { earlier: 0, historyMs: WEEK_MS }, 50],
    ['no week of history', { earlier: 3_360, historyMs: WEEK_MS - 1 }, null],
  ])('%s', (_name, rate, expected) => {
    expect(breakerThreshold(SETTINGS, rate)).toBe(expected);
  });

  it('keeps an absolute limit, also without a history, and the lower of both', () => {
    const settings = { ...SETTINGS, above: 80 };
    expect(breakerThreshold(settings, { earlier: 0, historyMs: 0 })).toBe(80);
    expect(breakerThreshold(settings, { earlier: 3_360, historyMs: WEEK_MS })).toBe(80);
    expect(breakerThreshold(settings, { earlier: 0, historyMs: WEEK_MS })).toBe(50);
  });
});

describe('breakerMove', () => {
  const closed = { openedAt: null, snoozedUntil: null };
  const seen = (count: number, threshold: number | null = 50) => ({ count, threshold, now: NOW });

  it.each([
    ['at the threshold', closed, seen(50), 'stay'],
    ['one above', closed, seen(51), 'open'],
    ['no threshold', closed, seen(9_999, null), 'stay'],
    ['above, snoozed', { ...closed, snoozedUntil: ago(-1) }, seen(51), 'stay'],
    ['above, snooze over', { ...closed, snoozedUntil: NOW }, seen(51), 'open'],
    ['open, still above', { ...closed, openedAt: ago(2 * HOUR_MS) }, seen(51), 'stay'],
    [
      'open, rate back, window not over',
      { ...closed, openedAt: ago(HOUR_MS - 1) },
      seen(50),
      'stay',
    ],
    ['open, rate back, window over', { ...closed, openedAt: ago(HOUR_MS) }, seen(50), 'close'],
  ])('%s', (_name, state, counted, expected) => {
    expect(breakerMove(SETTINGS, state, counted)).toBe(expected);
  });
});
