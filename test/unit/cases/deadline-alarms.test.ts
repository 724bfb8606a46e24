/** Guarantee: an alarm comes at 50, 25 and 10 % of the window, and never less than an hour ahead if it can. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmMomentsMs, alarmPlanAt } from '../../../src/alerts/cases/deadline-sweep.ts';

const HOUR = 3_600_000;
const DAY2 = { openedMs: 0, deadlineMs: 48 * HOUR };

describe('alarms', () => {
  it('of a window of 48 h come after 24, 36 and 43.2 h', () => {
    expect(alarmMomentsMs(DAY2)).toEqual([24 * HOUR, 36 * HOUR, 43.2 * HOUR]);
    const later = { openedMs: 10 * HOUR, deadlineMs: 58 * HOUR };
    expect(alarmMomentsMs(later)).toEqual([34 * HOUR, 46 * HOUR, 53.2 * HOUR]);
  });

  it('of a window of 90 minutes start an hour before the end', () => {
    expect(alarmMomentsMs({ openedMs: 0, deadlineMs: 1.5 * HOUR })[0]).toBe(0.5 * HOUR);
  });

  it('of a window that is too short, or past, come at once', () => {
    expect(alarmPlanAt({ openedMs: 0, deadlineMs: 300_000 }, 0).level).toBe(1);
    expect(alarmPlanAt({ openedMs: 0, deadlineMs: -5 }, 0)).toEqual({ level: 3, nextMs: null });
  });

  it.each([
    [24 * HOUR - 1, 0, 24 * HOUR],
    [24 * HOUR, 1, 36 * HOUR],
    [36 * HOUR, 2, 43.2 * HOUR],
    [43.2 * HOUR, 3, null],
  ])('at %i: level %i, next %s', (nowMs, level, nextMs) => {
    expect(alarmPlanAt(DAY2, nowMs)).toEqual({ level, nextMs });
  });

  it('that was planned for another reason counts as one', () => {
    expect(alarmPlanAt(DAY2, HOUR, 1)).toEqual({ level: 1, nextMs: 24 * HOUR });
    expect(alarmPlanAt(DAY2, 47 * HOUR, 4).level).toBe(3);
  });

  it('are in order and never before the opening, for any window', () => {
    fc.assert(
      fc.property(
        fc.nat(10 ** 10),
        fc.integer({ min: -(10 ** 6), max: 10 ** 10 }),
        (openedMs, windowMs) => {
          const moments = alarmMomentsMs({ openedMs, deadlineMs: openedMs + windowMs });
          expect(moments).toEqual([...moments].sort((a, b) => a - b));
          expect(moments[0]).toBeGreaterThanOrEqual(openedMs);
        },
      ),
    );
  });
});
