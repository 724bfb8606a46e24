/** Guarantee: every case has a deadline and an alarm before it, believable deadline or not. */
import { expect, it } from 'vitest';
import { planCase } from '../../../src/alerts/apply/case-plan.ts';

const NOW = new Date('2026-11-20T10:00:00Z');

/** Deadline and alarm of an alert created at 10:00 and seen at once. */
function plan(alert: Record<string, unknown>, isOpen = true): [string, string] {
  const { deadlineAt, nextAlarmAt } = planCase({
    alert: { created_at: '2026-11-20T10:00:00Z', ...alert },
    isOpen,
    firstSeenAt: NOW,
    now: NOW,
  });
  return [deadlineAt.toISOString(), nextAlarmAt.toISOString()];
}

it.each<[string, unknown, string, string]>([
  [
    '48 h: alarm at half',
    '2026-11-22T10:00:00Z',
    '2026-11-22T10:00:00.000Z',
    '2026-11-21T10:00:00.000Z',
  ],
  [
    'an hour: alarm at half',
    '2026-11-20T11:00:00Z',
    '2026-11-20T11:00:00.000Z',
    '2026-11-20T10:30:00.000Z',
  ],
  [
    'a second less than an hour: at once',
    '2026-11-20T10:59:59Z',
    '2026-11-20T10:59:59.000Z',
    '2026-11-20T10:00:00.000Z',
  ],
  [
    '5 min: at once',
    '2026-11-20T10:05:00Z',
    '2026-11-20T10:05:00.000Z',
    '2026-11-20T10:00:00.000Z',
  ],
  [
    'in the past: at once',
    '2026-11-19T10:00:00Z',
    '2026-11-19T10:00:00.000Z',
    '2026-11-20T10:00:00.000Z',
  ],
  [
    '30 days: believed',
    '2026-12-20T10:00:00Z',
    '2026-12-20T10:00:00.000Z',
    '2026-12-05T10:00:00.000Z',
  ],
  [
    '90 days: 24 h, at once',
    '2027-02-18T10:00:00Z',
    '2026-11-21T10:00:00.000Z',
    '2026-11-20T10:00:00.000Z',
  ],
  ['missing: 24 h, at once', undefined, '2026-11-21T10:00:00.000Z', '2026-11-20T10:00:00.000Z'],
  ['null: 24 h, at once', null, '2026-11-21T10:00:00.000Z', '2026-11-20T10:00:00.000Z'],
  ['no moment: 24 h, at once', 'soon', '2026-11-21T10:00:00.000Z', '2026-11-20T10:00:00.000Z'],
])('a deadline of %s', (_name, deadline, deadlineAt, nextAlarmAt) => {
  expect(plan({ action_required_deadline: deadline })).toEqual([deadlineAt, nextAlarmAt]);
});

it('counts the assumed window from the creation, not from when we heard', () => {
  expect(plan({ created_at: '2026-11-20T04:00:00Z' })[0]).toBe('2026-11-21T04:00:00.000Z');
});

it('without a creation, from when we first heard, however often it is told again', () => {
  const { deadlineAt } = planCase({
    alert: {},
    isOpen: true,
    firstSeenAt: new Date('2026-11-20T08:00:00Z'),
    now: NOW,
  });
  expect(deadlineAt.toISOString()).toBe('2026-11-21T08:00:00.000Z');
});

it('an alert that asks for nothing alarms only if its case is still open after an hour', () => {
  expect(plan({}, false)).toEqual(['2026-11-21T10:00:00.000Z', '2026-11-20T11:00:00.000Z']);
});
