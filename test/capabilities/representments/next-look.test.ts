/**
 * Guarantee: a submission that waits or is held is looked at more often as its moment nears, never after the alarm that comes
 * next or the moment it goes; and a pack is composed again only where something has changed.
 */
import { describe, expect, it } from 'vitest';
import { createComposedBefore } from '../../../src/capabilities/representments/filing/composed-before.ts';
import { alarmOf, nextLook } from '../../../src/capabilities/representments/filing/next-look.ts';

const HOUR_MS = 3_600_000;
const DUE = new Date('2026-03-31T12:00:00Z');
/** Thirty hours before. */
const GOES = new Date('2026-03-30T06:00:00Z');

const hoursTo = (end: Date, hours: number): Date => new Date(end.getTime() - hours * HOUR_MS);

describe('the next look', () => {
  it.each([
    ['a day later while weeks are left', hoursTo(GOES, 400), hoursTo(GOES, 376)],
    ['after half of what is left', hoursTo(GOES, 20), hoursTo(GOES, 10)],
    ['an hour later at the soonest', hoursTo(GOES, 1.5), hoursTo(GOES, 0.5)],
    ['when it goes', hoursTo(GOES, 0.25), GOES],
    ['an hour later once that is past', hoursTo(DUE, 28), hoursTo(DUE, 27)],
    ['when 7 days are left', hoursTo(DUE, 170), hoursTo(DUE, 168)],
    ['when 3 days are left', hoursTo(DUE, 73), hoursTo(DUE, 72)],
    ['when 24 hours are left', hoursTo(DUE, 24.5), hoursTo(DUE, 24)],
    ['an hour later where it is past due', hoursTo(DUE, -5), hoursTo(DUE, -6)],
  ])('is %s', (_what, now, expected) => {
    expect(nextLook({ dueBy: DUE, goesAt: GOES, now })).toEqual(expected);
  });

  it('is an hour later where no due date is known', () => {
    const now = new Date('2026-03-10T12:00:00Z');
    const expected = new Date('2026-03-10T13:00:00Z');
    expect(nextLook({ dueBy: null, goesAt: null, now })).toEqual(expected);
  });
});

it.each([
  [169, undefined],
  [168, 'info'],
  [72, 'warning'],
  [24, 'error'],
  [-1, 'error'],
])('with %d hours left the alarm is %s', (hours, severity) => {
  expect(alarmOf(DUE, hoursTo(DUE, hours))?.severity).toBe(severity);
});

describe('what was composed before', () => {
  const wants = {
    ...{ fields: [], slots: [], fileTypes: [], fileBytesMax: 1, allBytesMax: 1, filesMax: 1 },
  };
  const dispute = { reference: 'dp_1', wants };
  const problems = [{ kind: 'no_place' }] as const;

  it('counts for the same pack of the same dispute that takes the same, and for nothing else', () => {
    const composed = createComposedBefore();
    expect(composed.problemsOf({ contentHash: 'a' }, dispute)).toBeUndefined();
    composed.note({ contentHash: 'a' }, dispute, problems);
    expect(composed.problemsOf({ contentHash: 'a' }, dispute)).toEqual(problems);
    expect(composed.problemsOf({ contentHash: 'b' }, dispute)).toBeUndefined();
    const other = { reference: 'dp_2', wants };
    expect(composed.problemsOf({ contentHash: 'a' }, other)).toBeUndefined();
    const changed = { ...dispute, wants: { ...wants, fileBytesMax: 2 } };
    expect(composed.problemsOf({ contentHash: 'a' }, changed)).toBeUndefined();
  });
});
