/** Guarantee: a day that no calendar has is refused, and a moment means the same wherever the command runs. */
import { describe, expect, it } from 'vitest';
import { readDay, readMoment } from '../../../src/surface/terminal/option-values.ts';

describe('a day', () => {
  it.each(['2026-11-21', '2024-02-29'])('is %s', (text) => {
    expect(readDay(text)).toBe(text);
  });

  it.each(['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', '21.11.2026', '0001-01-01', ''])(
    'is not %j',
    (text) => {
      expect(() => readDay(text)).toThrow('Give a day, for example 2026-11-21.');
    },
  );
});

describe('a moment', () => {
  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21T08:00Z', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21T08:00', '2026-11-21T08:00:00.000Z'],
    ['2026-11-21 08:00:30', '2026-11-21T08:00:30.000Z'],
    ['2026-11-21T08:00+05:30', '2026-11-21T02:30:00.000Z'],
  ])('is %s: %s', (text, moment) => {
    expect(readMoment(text).toISOString()).toBe(moment);
  });

  it.each(['2026-02-30', '2026-02-30T08:00Z', 'yesterday', '2026-11-21T25:00Z', '2026-11-21 foo'])(
    'is not %j',
    (text) => {
      expect(() => readMoment(text)).toThrow('Give ISO 8601');
    },
  );
});
