/** Guarantee: waiting is bounded and spread, ids are derived alike everywhere, and an error's log line holds no values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../src/base/kernel/backoff.ts';
import { createFixedClock, databaseClock } from '../../../src/base/kernel/clock.ts';
import { deriveId, isRemoteId } from '../../../src/base/kernel/ids.ts';
import { createLog, serialiseError } from '../../../src/base/kernel/log.ts';

describe('backoffMs', () => {
  it('stays between its base and its ceiling at every attempt', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, chance) => {
          const waitMs = backoffMs(attempt, { baseMs: 500, maxMs: 60_000, random: () => chance });
          expect(waitMs).toBeGreaterThanOrEqual(500);
          expect(waitMs).toBeLessThanOrEqual(60_000);
        },
      ),
    );
  });

  it('doubles its ceiling: 1 s, 2 s, 4 s above a base of 500 ms', () => {
    const ceilings = [1, 2, 3].map((attempt) =>
      backoffMs(attempt, { baseMs: 500, maxMs: 60_000, random: () => 1 }),
    );
    expect(ceilings).toEqual([1_000, 2_000, 4_000]);
  });
});

describe('clocks', () => {
  it('a fixed clock stands still until it is moved', () => {
    const clock = createFixedClock('2026-11-20T00:00:00Z');
    expect(clock.nowMs()).toBe(1_795_132_800_000);
    clock.advanceMs(1_500);
    expect(clock.nowMs()).toBe(1_795_132_801_500);
  });

  it('refuses a start that is no time', () => {
    expect(() => createFixedClock('yesterday')).toThrow('Not a time');
  });

  it('the database clock follows what it was set to, not the machine', () => {
    const clock = databaseClock();
    clock.sync(1_000_000);
    expect(clock.nowMs()).toBeGreaterThanOrEqual(1_000_000);
    expect(clock.nowMs()).toBeLessThan(1_005_000);
  });
});

describe('ids', () => {
  it('are the same for the same parts and differ when a part moves', () => {
    expect(deriveId('fst', ['org_1', 'ch_1'])).toBe(deriveId('fst', ['org_1', 'ch_1']));
    expect(deriveId('fst', ['org_1', 'ch_1'])).not.toBe(deriveId('fst', ['org_1c', 'h_1']));
    // printf '%s' '["org_1","ch_1"]' | openssl dgst -sha256
    expect(deriveId('fst', ['org_1', 'ch_1'])).toBe('fst_c20bb2aa8100068cbbc164fb5d7b343ac31cf0da');
  });

  it.each(['../orders/x?y=', 'netalrt_1/..', 'netalrt', 'netalrt_', 'netalrt_a b', ''])(
    'refuses %s in a path',
    (id) => {
      expect(isRemoteId(id)).toBe(false);
    },
  );
});

describe('the log', () => {
  it('never repeats the values a database error carries', () => {
    const error = Object.assign(new Error('invalid input: jane@example.com'), {
      code: '22P02',
      severity: 'ERROR',
      detail: 'Key (email)=(jane@example.com)',
    });
    const lines: string[] = [];
    createLog({ destination: { write: (line) => lines.push(line) } }).error(
      { err: error },
      'failed',
    );
    expect(lines.join('')).toContain('22P02');
    expect(lines.join('')).not.toContain('jane@example.com');
  });

  it('keeps control characters inside one JSON line', () => {
    const lines: string[] = [];
    createLog({ destination: { write: (line) => lines.push(line) } }).info(
      { id: 'a\r\n\u001b[31mb' },
      'seen',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toContain('\n');
    expect(lines[0]).not.toContain('\r');
    expect(lines[0]).not.toContain('\u001b');
  });

  it('cuts no card number, address or secret in two, and masks a code too', () => {
    const said =
      'of 4242 4242 4242 4242 by planted.person@others.example, sk_live_51Planted0123456789abc';
    for (let before = 400; before < 500; before += 1) {
      const error = Object.assign(new Error(`${'.'.repeat(before)}${said}`), { code: said });
      expect(JSON.stringify(serialiseError(error))).not.toMatch(/4242 4242|planted|51Pl/);
    }
  });

  it('tells the kind and code of an error', () => {
    expect(serialiseError(new RangeError('too far'))).toEqual({
      type: 'RangeError',
      message: 'too far',
    });
  });
});
