/** Guarantee: secrets are compared whole, and guessing is stopped after ten failures. */
import { describe, expect, it } from 'vitest';
import {
  createFailureLimit,
  FAILURE_WINDOW_MS,
  FAILURES_MAX,
} from '../../../src/console/access/failure-limit.ts';
import { csrfTokenOf, sameSecret } from '../../../src/console/access/secret.ts';
import { createFixedClock } from '../../../src/kernel/clock.ts';

describe('sameSecret', () => {
  it.each([
    ['secret', 'secret', true],
    ['secret', 'secre', false],
    ['', 'secret', false],
    ['Secret', 'secret', false],
  ])('%j and %j: %s', (given, expected, same) => {
    expect(sameSecret(given, expected)).toBe(same);
  });
});

describe('csrfTokenOf', () => {
  it('is the same for a session, another for another, and does not tell the session', () => {
    expect(csrfTokenOf('a')).toBe(csrfTokenOf('a'));
    expect(csrfTokenOf('a')).not.toBe(csrfTokenOf('b'));
    expect(csrfTokenOf('abc')).not.toContain('abc');
  });
});

describe('createFailureLimit', () => {
  it('closes with the tenth failure, for that address, until the first is old enough', () => {
    const clock = createFixedClock(0);
    const limit = createFailureLimit(clock);
    const closed = Array.from({ length: FAILURES_MAX }, () => limit.fail('a'));
    expect(closed).toEqual([...Array(FAILURES_MAX - 1).fill(false), true]);
    expect(limit.waitSeconds('a')).toBe(FAILURE_WINDOW_MS / 1_000);
    expect(limit.waitSeconds('b')).toBe(0);
    clock.advanceMs(FAILURE_WINDOW_MS - 1);
    expect(limit.waitSeconds('a')).toBe(1);
    clock.advanceMs(1);
    expect(limit.waitSeconds('a')).toBe(0);
  });
});
