/** Guarantee: sweeps reach back over everything since the last, and cases are compared until they are old. */
import { describe, expect, it } from 'vitest';
import { nextComparison } from '../../../src/alerts/reconcile/comparer.ts';
import { nextSweep, readSweepRecord } from '../../../src/alerts/reconcile/poll-sweep.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-03-10T00:00:00Z');

describe('nextSweep', () => {
  it('begins at once, two weeks back', () => {
    expect(nextSweep(undefined, { nowMs: NOW })).toEqual({
      startedMs: NOW,
      horizonMs: NOW - 14 * DAY,
      offset: 0,
    });
  });

  it.each([
    [HOUR - 1, false],
    [HOUR, true],
  ])('is due again after %i ms: %s', (ageMs, isDue) => {
    const before = { startedMs: NOW - ageMs, horizonMs: 0, offset: null };
    expect(nextSweep(before, { nowMs: NOW }) !== undefined).toBe(isDue);
  });

  it('continues with one that was not finished', () => {
    const before = { startedMs: NOW - 1, horizonMs: 5, offset: 300 };
    expect(nextSweep(before, { nowMs: NOW })).toBe(before);
  });

  it('reaches back to the last one, an hour more, after an outage of any length', () => {
    const before = { startedMs: NOW - 40 * DAY, horizonMs: 0, offset: null };
    expect(nextSweep(before, { nowMs: NOW })?.horizonMs).toBe(NOW - 40 * DAY - HOUR);
  });

  it('reaches back as far as it is asked to, and over one that never ended', () => {
    const sinceMs = NOW - 100 * DAY;
    const done = { startedMs: NOW - 1, horizonMs: 0, offset: null };
    expect(nextSweep(done, { nowMs: NOW, sinceMs })).toEqual({
      startedMs: NOW,
      horizonMs: sinceMs,
      offset: 0,
    });
    const broken = { startedMs: NOW - 1, horizonMs: NOW - 200 * DAY, offset: 500 };
    expect(nextSweep(broken, { nowMs: NOW, sinceMs })?.horizonMs).toBe(NOW - 200 * DAY - HOUR);
  });

  it.each([null, 'x', {}, { startedMs: 1, horizonMs: 2, offset: 'x' }])(
    'takes %j for no record',
    (value) => {
      expect(readSweepRecord(value)).toBeUndefined();
    },
  );
});

describe('nextComparison', () => {
  const openedAt = new Date(NOW);
  const finding = {
    kind: 'refunded_twice',
    subject: 'charge',
    subjectId: 'ch_1',
    alertId: null,
    evidence: {},
  } as const;

  it.each([
    [0, HOUR],
    [HOUR, DAY],
    [DAY, 3 * DAY],
    [3 * DAY, 10 * DAY],
    [10 * DAY, null],
  ])('at an age of %i ms it is next at %s', (ageMs, nextMs) => {
    const next = nextComparison({ openedAt }, [], new Date(NOW + ageMs));
    expect(next?.getTime() ?? null).toBe(nextMs === null ? null : NOW + nextMs);
  });

  it('comes back every hour while something is wrong, and sooner while money is under way', () => {
    const at = new Date(NOW + 30 * DAY);
    expect(nextComparison({ openedAt }, [finding], at)?.getTime()).toBe(at.getTime() + HOUR);
    expect(nextComparison({ openedAt }, 'undecided', at)?.getTime()).toBe(at.getTime() + HOUR / 4);
  });
});
