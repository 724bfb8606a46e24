/** Guarantee: a refused key or an unreadable list alarms at once, a broken line after three rounds. */
import { describe, expect, it } from 'vitest';
import {
  judgeFailure,
  readFailureOf,
  readFailureRecord,
} from '../../../src/alerts/reconcile/poll-failure.ts';
import type { ServiceErrorKind } from '../../../src/service/client/service-error.ts';
import { ServiceError } from '../../../src/service/client/service-error.ts';

function failureOf(kind: ServiceErrorKind) {
  const error = new ServiceError('x', {
    kind,
    code: 'X',
    retryable: false,
    requestKind: 'read',
    outcome: 'refused',
    endpoint: 'GET /v1/alerts/',
  });
  return readFailureOf(error)!;
}

describe('judgeFailure', () => {
  it.each([
    ['refused', true],
    ['unreadable', true],
    ['redirected', true],
    ['network', false],
    ['timeout', false],
    ['server', false],
    ['rate_limited', false],
  ] as const)('after one round of %s the alarm is %s', (kind, alarm) => {
    expect(judgeFailure(undefined, [failureOf(kind)], 1_000).alarm).toBe(alarm);
  });

  it('alarms in the third round of a passing cause, not in the second', () => {
    const first = judgeFailure(undefined, [failureOf('network')], 1_000);
    const second = judgeFailure(first.record!, [failureOf('timeout')], 2_000);
    const third = judgeFailure(second.record!, [failureOf('server')], 3_000);
    expect([first.alarm, second.alarm, third.alarm]).toEqual([false, false, true]);
    expect(third.record).toEqual({ sinceMs: 1_000, rounds: 3, codes: ['X'], alarmed: true });
  });

  it('lasts until a round succeeds, also when the cause turns into a passing one', () => {
    const first = judgeFailure(undefined, [failureOf('refused')], 1_000);
    const second = judgeFailure(first.record!, [failureOf('network')], 2_000);
    expect(second.alarm).toBe(true);
    expect(judgeFailure(second.record!, [], 3_000)).toEqual({ record: null, alarm: false });
  });

  it('reads on after one malformed item, and not after a refused key', () => {
    expect(failureOf('unreadable').stops).toBe(false);
    expect(failureOf('refused').stops).toBe(true);
  });

  it('does not take a defect of ours for a failure of the service', () => {
    expect(readFailureOf(new TypeError('x'))).toBeUndefined();
  });

  it('reads its record back, and nothing else', () => {
    const record = { sinceMs: 1, rounds: 2, alarmed: false };
    expect(readFailureRecord(record)).toEqual(record);
    for (const other of [null, {}, { sinceMs: 1, rounds: 2 }, { ...record, alarmed: 1 }]) {
      expect(readFailureRecord(other)).toBeUndefined();
    }
  });
});
