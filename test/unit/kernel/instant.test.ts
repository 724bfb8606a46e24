/** Guarantee: two moments compare as text as they compare in time, to the microsecond, or are null. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { epochMsOf, instantOf, toInstant } from '../../../src/base/kernel/instant.ts';

describe('toInstant', () => {
  it.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000000Z'],
    ['2026-11-20T10:00:00.1Z', '2026-11-20T10:00:00.100000Z'],
    ['2026-11-20T10:00:00.123456Z', '2026-11-20T10:00:00.123456Z'],
    ['2026-11-20T10:00:00.123456999Z', '2026-11-20T10:00:00.123456Z'],
    ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000000Z'],
    ['2026-11-20T10:00:00.5-0530', '2026-11-20T15:30:00.500000Z'],
    ['2026-11-20T01:00:00+02:00', '2026-11-19T23:00:00.000000Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000000Z'],
    ['2026-11-20t10:00:00z', '2026-11-20T10:00:00.000000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000000Z'],
  ])('%s', (text, expected) => {
    expect(toInstant(text)).toBe(expected);
  });

  it.each([
    '2026-02-29',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:60Z',
    '0001-01-01T00:00:00Z',
    '1969-12-31',
    '20.11.2026',
    '1795132800',
    'tomorrow',
    '',
    1_795_132_800,
    null,
    undefined,
    {},
  ])('%s is no moment', (value) => {
    expect(toInstant(value)).toBeNull();
  });

  it('text order is time order', () => {
    const moment = fc.record({
      epochMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
      micros: fc.integer({ min: 0, max: 999 }),
    });
    const instantFrom = ({ epochMs, micros }: { epochMs: number; micros: number }): string =>
      toInstant(
        `${new Date(epochMs).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`,
      )!;
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const byTime = a.epochMs - b.epochMs || a.micros - b.micros;
        const [x, y] = [instantFrom(a), instantFrom(b)];
        expect(Math.sign(x < y ? -1 : Number(x > y))).toBe(Math.sign(byTime));
        expect(epochMsOf(x)).toBe(a.epochMs);
      }),
    );
  });
});

it('instantOf', () => {
  const instant = instantOf(new Date('2026-11-20T10:00:00.250Z'));
  expect(instant).toBe('2026-11-20T10:00:00.250000Z');
});
