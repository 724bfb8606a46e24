/** Guarantee: a missing answer is never taken for a refusal, and a key is repeated only while it protects. */
import { describe, expect, it } from 'vitest';
import type { UnansweredRefund } from '../../../src/alerts/refund/unknown-rule.ts';
import { keyEndsAtMs, provenAtMs, ruleUnknown } from '../../../src/alerts/refund/unknown-rule.ts';
import type { Answer, ProcessorRefund } from '../../../src/service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';

/** Key life 24 h, request life 10 min, lag 5 min; a lease is 30 s. */
const CAPABILITIES = {
  ...CAUTIOUS_CAPABILITIES,
  idempotencyTtlHours: 24,
  canLookupByReference: true,
  lookupLagSeconds: 300,
  requestLifetimeSeconds: 600,
};
/** 30 s + 600 s + 300 s after sending, by hand. */
const PROVEN_MS = 930_000;
/** 24 h - 600 s - 30 s after the first sending, by hand. */
const KEY_ENDS_MS = 85_770_000;

const REFUND: UnansweredRefund = {
  amountMinor: 5000,
  currency: 'EUR',
  firstSentAtMs: 0,
  sentAtMs: 0,
  tries: 0,
  guardAtMs: null,
  deadlineMs: null,
};

const ABSENT: Answer<ProcessorRefund> = { kind: 'absent' };
const UNAVAILABLE: Answer<ProcessorRefund> = { kind: 'unavailable', reason: 'down' };
const NOT_OFFERED: Answer<ProcessorRefund> = { kind: 'not_offered' };

function found(fields: Partial<ProcessorRefund>): Answer<ProcessorRefund> {
  return {
    kind: 'found',
    value: {
      reference: 're_1',
      idempotencyKey: 'fst_1',
      chargeReference: 'ch_1',
      status: 'succeeded',
      failureCode: null,
      amountMinor: 5000,
      currency: 'EUR',
      createdAt: null,
      ...fields,
    },
  };
}

function rule(
  answer: Answer<ProcessorRefund>,
  nowMs: number,
  options: { refund?: Partial<UnansweredRefund>; capabilities?: Partial<typeof CAPABILITIES> } = {},
) {
  return ruleUnknown({ ...REFUND, ...options.refund }, answer, {
    capabilities: { ...CAPABILITIES, ...options.capabilities },
    nowMs,
    random: 0,
  });
}

describe('found', () => {
  it.each([
    ['succeeded', { kind: 'settle', to: 'CONFIRMED' }],
    ['pending', { kind: 'settle', to: 'PENDING' }],
    ['failed', { kind: 'rejected', failureCode: 'failed' }],
  ] as const)('%s, at any time', (status, expected) => {
    expect(rule(found({ status }), 1)).toMatchObject(expected);
    expect(rule(found({ status }), KEY_ENDS_MS * 9)).toMatchObject(expected);
  });

  it('failed, with the class the processor gives, else one that is tried again', () => {
    const code = { status: 'failed', failureCode: 'gone' } as const;
    expect(rule(found({ ...code, failureClass: 'final' }), 1)).toEqual({
      kind: 'rejected',
      failureCode: 'gone',
      failureClass: 'final',
    });
    expect(rule(found(code), 1)).toMatchObject({ failureCode: 'gone', failureClass: 'retry' });
    // Another amount that failed moved nothing either.
    expect(rule(found({ ...code, amountMinor: 1 }), 1)).toMatchObject({ kind: 'rejected' });
  });

  it('with another amount or currency under our key: a person', () => {
    expect(rule(found({ amountMinor: 4999 }), 1)).toEqual({
      kind: 'human',
      reason: 'amount_differs',
      reference: 're_1',
    });
    expect(rule(found({ currency: 'USD' }), 1)).toMatchObject({ kind: 'human' });
  });
});

describe('absent', () => {
  it.each([
    [PROVEN_MS, 'wait'],
    [PROVEN_MS + 1, 'resend'],
    [KEY_ENDS_MS - 1, 'resend'],
    [KEY_ENDS_MS, 'human'],
  ])('after %i ms: %s', (nowMs, kind) => {
    expect(rule(ABSENT, nowMs)).toMatchObject({ kind });
  });

  it('counts from the last sending for the proof, from the first for the key', () => {
    const sentAgain = { sentAtMs: 10_000_000 };
    expect(rule(ABSENT, 10_000_000 + PROVEN_MS, { refund: sentAgain })).toMatchObject({
      kind: 'wait',
    });
    expect(rule(ABSENT, 10_000_001 + PROVEN_MS, { refund: sentAgain })).toMatchObject({
      kind: 'resend',
    });
    expect(rule(ABSENT, KEY_ENDS_MS, { refund: { sentAtMs: KEY_ENDS_MS - 1 } })).toMatchObject({
      kind: 'human',
    });
  });

  it('without keys the look-up is the proof, without end', () => {
    const capabilities = { idempotencyTtlHours: 0 };
    expect(rule(ABSENT, PROVEN_MS, { capabilities })).toMatchObject({ kind: 'wait' });
    expect(rule(ABSENT, PROVEN_MS + 1, { capabilities })).toEqual({ kind: 'resend' });
    expect(rule(ABSENT, 9 * KEY_ENDS_MS, { capabilities })).toEqual({ kind: 'resend' });
  });
});

describe('no answer', () => {
  it('is waited for, and goes to a person before the key ends', () => {
    expect(rule(UNAVAILABLE, PROVEN_MS + 1)).toMatchObject({ kind: 'wait' });
    expect(rule(UNAVAILABLE, KEY_ENDS_MS - 1)).toEqual({ kind: 'wait', untilMs: KEY_ENDS_MS });
    expect(rule(UNAVAILABLE, KEY_ENDS_MS)).toEqual({ kind: 'human', reason: 'key_expired' });
  });

  it('is never a reason to send without keys', () => {
    const capabilities = { idempotencyTtlHours: 0 };
    expect(rule(UNAVAILABLE, 9 * KEY_ENDS_MS, { capabilities })).toMatchObject({ kind: 'wait' });
  });
});

describe('no look-up offered', () => {
  it('the living key allows the repeat, after the request’s life', () => {
    expect(rule(NOT_OFFERED, PROVEN_MS)).toMatchObject({ kind: 'wait' });
    expect(rule(NOT_OFFERED, PROVEN_MS + 1)).toEqual({ kind: 'resend' });
    expect(rule(NOT_OFFERED, KEY_ENDS_MS)).toMatchObject({ kind: 'human' });
  });

  it('and no keys: a person, never a repeat', () => {
    const capabilities = { idempotencyTtlHours: 0 };
    expect(rule(NOT_OFFERED, PROVEN_MS, { capabilities })).toMatchObject({ kind: 'wait' });
    expect(rule(NOT_OFFERED, PROVEN_MS + 1, { capabilities })).toEqual({
      kind: 'human',
      reason: 'cannot_be_proven',
    });
  });
});

describe('the guard time', () => {
  const refund = { guardAtMs: 2_000_000 };
  it('ends sending: proven absent is refused, unproven is a person’s', () => {
    expect(rule(ABSENT, 1_999_999, { refund })).toEqual({ kind: 'resend' });
    expect(rule(ABSENT, 2_000_000, { refund })).toEqual({
      kind: 'rejected',
      failureCode: 'never_executed',
      failureClass: 'retry',
    });
    expect(rule(UNAVAILABLE, 2_000_000, { refund })).toEqual({
      kind: 'human',
      reason: 'too_late',
    });
    expect(rule(ABSENT, PROVEN_MS, { refund: { guardAtMs: PROVEN_MS } })).toEqual({
      kind: 'human',
      reason: 'too_late',
    });
  });
});

describe('the next look', () => {
  it('climbs the ladder: after 2 s, then 1, 5, 15 and 60 minutes at the latest', () => {
    const down = { capabilities: { requestLifetimeSeconds: 20_000 } };
    const waits = [0, 1, 2, 3, 4, 5].map((tries) =>
      rule(UNAVAILABLE, 0, { ...down, refund: { tries } }),
    );
    expect(waits).toEqual(
      [2, 60, 300, 900, 3600, 3600].map((seconds) => ({ kind: 'wait', untilMs: seconds * 1000 })),
    );
  });

  it('comes earlier when the ruling changes earlier', () => {
    expect(rule(ABSENT, 900_000, { refund: { tries: 4 } })).toEqual({
      kind: 'wait',
      untilMs: PROVEN_MS + 1,
    });
    expect(rule(ABSENT, 900_000, { refund: { tries: 4, guardAtMs: 910_000 } })).toEqual({
      kind: 'wait',
      untilMs: 910_000,
    });
  });

  it('is every 30 s in the last hour before a deadline, and at that hour’s start', () => {
    const down = { requestLifetimeSeconds: 20_000 };
    const deadlineMs = 10_000_000;
    const look = (nowMs: number) =>
      rule(UNAVAILABLE, nowMs, { capabilities: down, refund: { tries: 9, deadlineMs } });
    // An hour before it is 6,400 s.
    expect(look(6_000_000)).toEqual({ kind: 'wait', untilMs: 6_400_000 });
    expect(look(6_399_999)).toEqual({ kind: 'wait', untilMs: 6_400_000 });
    expect(look(6_400_000)).toEqual({ kind: 'wait', untilMs: 6_430_000 });
    expect(look(9_999_999)).toEqual({ kind: 'wait', untilMs: 10_029_999 });
    expect(look(10_000_000)).toEqual({ kind: 'wait', untilMs: 13_600_000 });
  });

  it('of a request that was repeated waits for the ladder, proven or not', () => {
    const refund = { tries: 4, sentAtMs: 1_000_000 };
    expect(rule(NOT_OFFERED, 1_010_000, { refund })).toEqual({ kind: 'wait', untilMs: 4_610_000 });
    expect(rule(NOT_OFFERED, 1_000_000 + PROVEN_MS + 1, { refund })).toEqual({ kind: 'resend' });
  });
});

describe('the moments', () => {
  it('a request can no longer execute unseen after a lease, its lifetime and the lag', () => {
    expect(provenAtMs(0, CAPABILITIES)).toBe(PROVEN_MS);
    expect(provenAtMs(5, CAPABILITIES)).toBe(PROVEN_MS + 5);
  });

  it('a key ends so long before it expires that a repeat still executes under it; no key never ends', () => {
    expect(keyEndsAtMs(0, CAPABILITIES)).toBe(KEY_ENDS_MS);
    expect(keyEndsAtMs(0, { ...CAPABILITIES, idempotencyTtlHours: 0 })).toBeNull();
    expect(keyEndsAtMs(0, { ...CAPABILITIES, idempotencyTtlHours: -1 })).toBeNull();
  });
});
