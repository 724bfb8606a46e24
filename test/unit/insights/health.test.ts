/**
 * Guarantee: each part of Forestall is said to work exactly while nothing stops it; one cause that stops several
 * parts carries the same words in all of them; and what stops refunds never makes a receiver unready.
 */
import { describe, expect, it } from 'vitest';
import type { HealthFacts } from '../../../src/health/health.store.ts';
import type { PartHealth } from '../../../src/health/health.ts';
import {
  isReady,
  judgeHealth,
  stopOf,
  troublesOf,
  troubleWords,
} from '../../../src/health/health.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

const WELL: HealthFacts = {
  now: NOW,
  workersAlive: 1,
  settings: { mode: 'live', hasProcessor: true, channels: ['Slack'], pollSeconds: 120 },
  pause: undefined,
  breakerOpenedAt: null,
  processorRefusal: undefined,
  recovery: { check: undefined, unchecked: new Map() },
  keyRefusal: undefined,
  alarms: new Map(),
  inboxWaiting: 0,
  inboxLagSeconds: 0,
  lastWebhookAt: ago(30),
  lastPollAt: ago(60),
  casesLate: 0,
  stoppedFeeds: [],
  messages: { waiting: 0, oldestSeconds: 0, givenUp: 0, loggedOnly: 0 },
  signs: {},
};

/** The parts that are not well, with their status. */
function wrong(facts: Partial<HealthFacts>): Record<string, string> {
  const parts = judgeHealth({ ...WELL, ...facts });
  return Object.fromEntries(
    parts.filter(({ status }) => status !== 'ok').map(({ name, status }) => [name, status]),
  );
}

const PAUSE = {
  organisation_id: 'org_1',
  paused_at: ago(600),
  paused_by: 'operator:ada',
  reason: '',
};
const CHECK = {
  since: ago(600).toISOString(),
  alive: null,
  reason: 'asked',
  waitsFor: 'a complete poll of the service',
} as const;
const BRAKE = {
  organisation_id: 'org_1',
  integration_id: 'int_1',
  error_code: 'INVALID_REQUEST',
} as HealthFacts['stoppedFeeds'][number];
const trouble = (inRow: number): NonNullable<HealthFacts['signs']['asking']> => ({
  inRow,
  since: ago(20).toISOString(),
  at: ago(5).toISOString(),
  reason: 'timeout',
  processor: 'pay.example',
});
const refusedLately = (
  count: number,
  verdict: string,
): NonNullable<HealthFacts['signs']['refusedDeliveries']> => ({
  count,
  since: ago(20),
  lastAt: ago(10),
  verdict,
});
const SHADOW: HealthFacts['settings'] = {
  mode: 'shadow',
  hasProcessor: true,
  channels: ['Slack'],
  pollSeconds: 120,
};
const EVERYTHING = [
  'worker',
  'applying',
  'deciding',
  'refunding',
  'declaring',
  'polling',
  'feeding',
  'notifying',
];
const all = (status: string, ...parts: string[]): Record<string, string> =>
  Object.fromEntries(parts.map((part) => [part, status]));

describe('each part', () => {
  it('works while nothing stops it, and says so with what was seen', () => {
    expect(wrong({})).toEqual({});
    const said = judgeHealth(WELL).map(({ name, detail, nextStep }) => [name, detail, nextStep]);
    expect(said).toContainEqual(['polling', 'last at 2026-03-01 11:59 UTC', null]);
    expect(said).toContainEqual(['notifying', 'Slack', null]);
    expect(judgeHealth({ ...WELL, lastPollAt: null, lastWebhookAt: null })).toHaveLength(9);
  });

  it.each<[string, Partial<HealthFacts>, Record<string, string>]>([
    ['no worker', { workersAlive: 0 }, all('failed', ...EVERYTHING)],
    ['the kill switch', { pause: PAUSE }, all('failed', 'refunding')],
    ['the breaker', { breakerOpenedAt: ago(60) }, all('failed', 'refunding')],
    [
      'a processor that refuses us',
      {
        processorRefusal: {
          inRow: 3,
          openedAt: ago(60).toISOString(),
          nextProbeAt: null,
          code: 'auth',
        },
      },
      all('failed', 'refunding'),
    ],
    [
      'two refusals, which open nothing yet',
      { processorRefusal: { inRow: 2, openedAt: null, nextProbeAt: null, code: 'auth' } },
      {},
    ],
    [
      'a check after a restore',
      { recovery: { check: CHECK, unchecked: new Map() } },
      all('failed', 'refunding', 'declaring'),
    ],
    [
      'charges held back',
      { recovery: { check: undefined, unchecked: new Map([['ch_1', 'down']]) }, casesLate: 3 },
      all('warning', 'refunding', 'declaring'),
    ],
    [
      'a revoked key, seen by a poll',
      { alarms: new Map([['poll_failing', ['UNAUTHORISED']]]) },
      all('failed', 'refunding', 'declaring', 'polling', 'feeding'),
    ],
    [
      'a revoked key, seen by an answer',
      { keyRefusal: { code: 'UNAUTHORISED', at: ago(10) } },
      all('failed', 'refunding', 'declaring', 'polling', 'feeding'),
    ],
    [
      'the same before the last whole poll',
      { keyRefusal: { code: 'UNAUTHORISED', at: ago(61) } },
      {},
    ],
    [
      'a key without the ability to answer, although polls succeed',
      { keyRefusal: { code: 'FORBIDDEN', at: ago(600) } },
      all('failed', 'refunding', 'declaring'),
    ],
    [
      'a service that fails',
      { alarms: new Map([['poll_failing', ['SERVER_ERROR']]]) },
      all('failed', 'polling'),
    ],
    ['alerts of others', { alarms: new Map([['foreign_alerts', []]]) }, all('failed', 'polling')],
    ['silent webhooks', { alarms: new Map([['webhooks_silent', []]]) }, all('failed', 'receiving')],
    ['clocks apart', { alarms: new Map([['clock_skew', []]]) }, all('warning', 'receiving')],
    [
      'unreadable enrolments',
      { alarms: new Map([['enrolments_unreadable', []]]) },
      all('warning', 'polling'),
    ],
    ['a poll 10 minutes ago', { lastPollAt: ago(600) }, all('failed', 'polling')],
    ['a poll a second younger', { lastPollAt: ago(599) }, {}],
    [
      'a poll 10 minutes ago with rounds of 5 minutes',
      {
        lastPollAt: ago(600),
        settings: { ...SHADOW, mode: 'live', channels: ['Slack'], pollSeconds: 300 },
      },
      {},
    ],
    ['an event for 61 s', { inboxWaiting: 1, inboxLagSeconds: 61 }, all('warning', 'applying')],
    ['an event for 60 s', { inboxWaiting: 1, inboxLagSeconds: 60 }, {}],
    ['an event for 301 s', { inboxWaiting: 1, inboxLagSeconds: 301 }, all('failed', 'applying')],
    ['late alerts', { casesLate: 1 }, all('warning', 'deciding')],
    ['a stopped feed', { stoppedFeeds: [BRAKE] }, all('failed', 'feeding')],
    [
      'a message for 5 minutes',
      { messages: { ...WELL.messages, waiting: 1, oldestSeconds: 300 } },
      all('failed', 'notifying'),
    ],
    ['a message for less', { messages: { ...WELL.messages, waiting: 1, oldestSeconds: 299 } }, {}],
    [
      'a message given up',
      { messages: { ...WELL.messages, givenUp: 1 } },
      all('warning', 'notifying'),
    ],
    [
      'no channel',
      { settings: { mode: 'live', hasProcessor: true, channels: [], pollSeconds: 120 } },
      all('warning', 'notifying'),
    ],
    [
      'a log that was told instead, by a worker of before',
      { settings: undefined, messages: { ...WELL.messages, loggedOnly: 1 } },
      all('warning', 'notifying'),
    ],
    ['shadow', { settings: SHADOW }, all('warning', 'deciding', 'refunding', 'declaring')],
    [
      'no processor',
      { settings: { mode: 'live', hasProcessor: false, channels: ['Slack'], pollSeconds: 120 } },
      all('warning', 'refunding'),
    ],
    ['one question without an answer', { signs: { asking: trouble(1) } }, {}],
    [
      'a second one: the processor is away',
      { signs: { asking: trouble(2) } },
      all('failed', 'deciding', 'refunding'),
    ],
    [
      'two refunds that were not taken',
      { signs: { sending: trouble(2) } },
      all('failed', 'refunding'),
    ],
    [
      'the same an hour ago',
      { signs: { sending: { ...trouble(2), at: ago(3_601).toISOString() } } },
      {},
    ],
    [
      'deliveries that are all refused',
      { signs: { refusedDeliveries: refusedLately(2, 'too_old') } },
      all('failed', 'receiving'),
    ],
    [
      'two that a stranger may have sent',
      { signs: { refusedDeliveries: refusedLately(2, 'no_match') } },
      all('warning', 'receiving'),
    ],
    [
      'two, and polling found what none of them brought: our secret is another',
      {
        signs: {
          refusedDeliveries: refusedLately(2, 'no_match'),
          silence: { watchSinceMs: 0, changes: 1, firstFoundMs: ago(5).getTime() },
        },
      },
      all('failed', 'receiving'),
    ],
    ['one of them', { signs: { refusedDeliveries: refusedLately(1, 'no_match') } }, {}],
    [
      'refused ones before one that was accepted',
      { lastWebhookAt: ago(5), signs: { refusedDeliveries: refusedLately(9, 'no_match') } },
      {},
    ],
    [
      'two changes that no webhook brought',
      { signs: { silence: { watchSinceMs: 0, changes: 2, firstFoundMs: ago(20).getTime() } } },
      all('warning', 'receiving'),
    ],
    [
      'the same a moment after the first',
      { signs: { silence: { watchSinceMs: 0, changes: 2, firstFoundMs: ago(19).getTime() } } },
      {},
    ],
    [
      'a listener that is gone',
      { lastWebhookAt: ago(60), signs: { servedAt: ago(36) } },
      all('failed', 'receiving'),
    ],
    ['one that beats', { signs: { servedAt: ago(35) } }, {}],
    ['one that is gone, and webhooks come another way', { signs: { servedAt: ago(600) } }, {}],
    ['a certificate that ended', { signs: { certificateEndsAt: NOW } }, all('failed', 'receiving')],
    [
      'one that ends in 14 days',
      { signs: { certificateEndsAt: ago(-14 * 86_400) } },
      all('warning', 'receiving'),
    ],
    ['one that ends a second later', { signs: { certificateEndsAt: ago(-14 * 86_400 - 1) } }, {}],
    [
      'a policy file that is broken',
      { signs: { policy: { problem: 'no rule', version: 'v1', since: ago(5).toISOString() } } },
      all('warning', 'deciding'),
    ],
    [
      'two polls that failed',
      { signs: { pollFailure: { sinceMs: 0, rounds: 2, alarmed: false, codes: ['TIMEOUT'] } } },
      all('failed', 'polling'),
    ],
    ['one', { signs: { pollFailure: { sinceMs: 0, rounds: 1, alarmed: false } } }, {}],
    [
      'a message that was refused twice',
      { signs: { refusedMessages: { count: 1, attempts: 2, error: 'ECONNREFUSED' } } },
      all('failed', 'notifying'),
    ],
    [
      'a message that was refused once',
      { signs: { refusedMessages: { count: 1, attempts: 1, error: 'ECONNREFUSED' } } },
      {},
    ],
  ])('%s', (_name, facts, expected) => {
    expect(wrong(facts)).toEqual(expected);
    for (const part of judgeHealth({ ...WELL, ...facts })) {
      expect(part.nextStep === null, part.name).toBe(part.status === 'ok');
    }
  });
});

it('what does not work at all hides behind no warning', () => {
  expect(wrong({ settings: SHADOW, pause: PAUSE })).toMatchObject({ refunding: 'failed' });
});

it('one cause is told once, with all that it stops, the worst first', () => {
  const parts = judgeHealth({
    ...WELL,
    casesLate: 1,
    alarms: new Map([['poll_failing', ['UNAUTHORISED']]]),
  });
  expect(troublesOf(parts).map((one) => [troubleWords(one), one.detail])).toEqual([
    [
      'Refunding, declaring, polling and feeding do not work',
      'the service refuses our API key (UNAUTHORISED)',
    ],
    ['Deciding needs attention', 'late by more than 5 minutes: 1 open alert'],
  ]);
});

it('the breaker stops automatic refunds, and not what a person decides', () => {
  const stop = (facts: Partial<HealthFacts>): string | undefined =>
    stopOf(judgeHealth({ ...WELL, ...facts }), 'refunding')?.detail;
  expect(stop({ breakerOpenedAt: ago(60) })).toBeUndefined();
  expect(stop({ breakerOpenedAt: ago(60), pause: PAUSE })).toContain('by ada');
  expect(stop({ settings: SHADOW })).toBeUndefined();
});

it('ready means database, schema and a worker: stopped refunds keep no webhook out', () => {
  const up: PartHealth[] = [
    { name: 'database', status: 'ok', detail: '', nextStep: null },
    { name: 'migrations', status: 'ok', detail: '', nextStep: null },
  ];
  expect(isReady([...up, ...judgeHealth({ ...WELL, pause: PAUSE })])).toBe(true);
  expect(isReady([...up, ...judgeHealth({ ...WELL, workersAlive: 0 })])).toBe(false);
  expect(isReady([{ name: 'database', status: 'failed', detail: '', nextStep: '' }])).toBe(false);
});
