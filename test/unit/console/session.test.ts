/** Guarantee: a session ends when it should, and guessing is stopped after ten failures. */
import { describe, expect, it } from 'vitest';
import {
  createFailureLimit,
  FAILURE_WINDOW_MS,
  FAILURES_MAX,
} from '../../../src/console/failure-limit.ts';
import { createSessions, sameSecret } from '../../../src/console/session.ts';
import { createFixedClock } from '../../../src/kernel/clock.ts';

const MINUTE = 60_000;

describe('createSessions', () => {
  it('keeps a session that is used, for 12 hours in all', () => {
    const clock = createFixedClock('2026-03-01T00:00:00Z');
    const sessions = createSessions(clock);
    const { id } = sessions.start();
    for (let minutes = 29; minutes < 12 * 60; minutes += 29) {
      clock.advanceMs(29 * MINUTE);
      expect(sessions.find(id)?.id).toBe(id);
    }
    clock.setMs(Date.parse('2026-03-01T12:00:00Z'));
    expect(sessions.find(id)).toBeUndefined();
  });

  it.each([
    [30 * MINUTE - 1, true],
    [30 * MINUTE, false],
  ])('after %i ms without a request the session lives: %s', (idleMs, lives) => {
    const clock = createFixedClock('2026-03-01T00:00:00Z');
    const sessions = createSessions(clock);
    const { id } = sessions.start();
    clock.advanceMs(idleMs);
    expect(sessions.find(id) !== undefined).toBe(lives);
  });

  it('ends one when told, and knows no others', () => {
    const sessions = createSessions(createFixedClock(0));
    const first = sessions.start();
    const second = sessions.start();
    expect(first.id).not.toBe(second.id);
    expect(first.csrfToken).not.toBe(second.csrfToken);
    expect(first.csrfToken).not.toBe(first.id);
    sessions.end(first.id);
    expect(sessions.find(first.id)).toBeUndefined();
    expect(sessions.find(second.id)).toBeDefined();
    expect(sessions.find('')).toBeUndefined();
  });

  it('holds a bounded number: the oldest gives way', () => {
    const sessions = createSessions(createFixedClock(0));
    const first = sessions.start();
    for (let count = 0; count < 499; count++) sessions.start();
    expect(sessions.find(first.id)).toBeDefined();
    sessions.start();
    expect(sessions.find(first.id)).toBeUndefined();
  });
});

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
