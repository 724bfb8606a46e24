/** Guarantee: a refusal concedes nothing by itself; what may pass is tried again, what may not waits for the fallback. */
import { describe, expect, it } from 'vitest';
import { ruleRefusal } from '../../../src/alerts/refund/refusal.ts';
import type { FailureClass } from '../../../src/service/wire/processor.ts';

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

describe('refused by the processor', () => {
  const refused = (
    failureClass: FailureClass | null,
    over: { round?: number; accepts?: boolean } = {},
  ) =>
    ruleRefusal(
      { state: 'REJECTED', code: 'a_code', failureClass, round: over.round ?? 1 },
      { acceptsFinal: over.accepts ?? false, random: 0 },
    );

  it.each(['retry', 'ours', null] as const)('%s: tried again on the ladder', (failureClass) => {
    // By hand from the ladder's rungs: 1, 5, 15 and 60 minutes at the latest.
    const waits = [1, 2, 3, 4, 9].map((round) => refused(failureClass, { round }).againMs);
    expect(waits).toEqual([60_000, FIVE_MINUTES_MS, 900_000, HOUR_MS, HOUR_MS]);
    expect(refused(failureClass)).toMatchObject({ reason: 'refund_refused', accepts: false });
    expect(refused(failureClass, { accepts: true }).accepts).toBe(false);
  });

  it('final: not by itself again; accepted at once only where a rule says so', () => {
    expect(refused('final')).toEqual({ reason: 'refund_rejected', againMs: null, accepts: false });
    expect(refused('final', { accepts: true })).toEqual({
      reason: 'refund_rejected',
      againMs: null,
      accepts: true,
    });
  });

  it('done: somebody refunded; never sent again, never accepted', () => {
    const expected = { reason: 'refunded_elsewhere', againMs: null, accepts: false };
    expect(refused('done')).toEqual(expected);
    expect(refused('done', { accepts: true })).toEqual(expected);
  });

  it('spreads its next try', () => {
    const at = (random: number) =>
      ruleRefusal(
        { state: 'REJECTED', code: null, failureClass: 'retry', round: 1 },
        { acceptsFinal: false, random },
      ).againMs;
    expect([at(0), at(0.5)]).toEqual([60_000, 31_000]);
  });
});

describe('never sent', () => {
  const unsent = (code: string | null) =>
    ruleRefusal(
      { state: 'NOT_SENT', code, failureClass: 'final', round: 3 },
      { acceptsFinal: true, random: 0 },
    );

  it.each([
    'hourly_limit',
    'daily_limit',
    'customer_limit',
    'breaker_open',
    'processor_refuses_us',
    'currency_unlimited',
    'customer_unknown',
  ])('%s: looked at again every five minutes, and never accepted', (code) => {
    expect(unsent(code)).toEqual({ reason: code, againMs: FIVE_MINUTES_MS, accepts: false });
  });

  it.each(['approval_declined', 'approval_needed', 'paused', 'charge_limit'])(
    '%s: waits for what a person does',
    (code) => {
      expect(unsent(code)).toEqual({ reason: code, againMs: null, accepts: false });
    },
  );

  it.each([null, 'some_code_of_tomorrow'])('%s: said in general, and tried again', (code) => {
    expect(unsent(code)).toEqual({
      reason: 'refund_not_sent',
      againMs: FIVE_MINUTES_MS,
      accepts: false,
    });
  });
});
