/**
 * Guarantee: a charge is told as one account. What went back, what is left and what is uncertain add up
 * over several movements, and each dispute has only what answers it.
 */
import { describe, expect, test } from 'vitest';
import type { Account } from '../../../src/alerts/ledger/account.ts';
import { accountOf as accountOfSources } from '../../../src/alerts/ledger/account.ts';
import type { Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';

const OURS: Movement = {
  id: 'mv_1',
  kind: 'refund',
  state: 'CONFIRMED',
  version: 1,
  disputeId: 'dsp_1',
  alertId: 'netalrt_1',
  key: 'fst_1',
  round: 1,
  amountMinor: 2_500,
  currency: 'USD',
  reference: 're_1',
  observedFrom: null,
  failureCode: null,
  failureClass: null,
  wasSent: true,
  processor: null,
  movedAtMs: null,
  covers: [{ disputeId: 'dsp_1', amountMinor: 2_500 }],
};

const SUPPORT: Movement = {
  ...OURS,
  id: 'mv_2',
  kind: 'external',
  disputeId: null,
  alertId: null,
  key: null,
  observedFrom: 'processor',
  amountMinor: 1_500,
  covers: [{ disputeId: 'dsp_2', amountMinor: 1_500 }],
};

/** 84.00 captured; two complaints, 25.00 and 20.00. */
function ledger(movements: readonly Movement[], changes: Partial<Ledger> = {}): Ledger {
  return {
    chargeReference: 'ch_1',
    status: 'captured',
    amountMinor: 8_400,
    currency: 'USD',
    isDisputed: null,
    readAtMs: 0,
    movements,
    disputes: [
      { id: 'dsp_1', amountMinor: 2_500, currency: 'USD', alerts: [] },
      { id: 'dsp_2', amountMinor: 2_000, currency: 'USD', alerts: [] },
    ],
    unplaced: [],
    networkInDoubt: null,
    acceptanceInDoubt: null,
    ...changes,
  };
}

function accountOf(
  from: Ledger,
  charge: { readonly amountMinor: number; readonly currency: string } | undefined,
): Account {
  return accountOfSources({ ledger: from, charge, mentions: [] });
}

describe('the sums of a charge', () => {
  test('two disputes, ours for one and support for a part of the other', () => {
    const { money, disputes } = accountOf(ledger([OURS, SUPPORT]), undefined);
    expect(money).toEqual({
      currency: 'USD',
      capturedMinor: 8_400,
      oursMinor: 2_500,
      othersMinor: 1_500,
      uncertainMinor: 0,
      leftMinor: 4_400,
    });
    expect(disputes.map((each) => [each.id, each.coveredMinor, each.missingMinor])).toEqual([
      ['dsp_1', 2_500, 0],
      ['dsp_2', 1_500, 500],
    ]);
  });

  test.each([
    ['SENT', 0, 2_500, 5_900],
    ['UNKNOWN', 0, 2_500, 5_900],
    ['PENDING', 0, 2_500, 5_900],
    ['HUMAN', 0, 2_500, 5_900],
    ['CONFIRMED', 2_500, 0, 5_900],
    ['REJECTED', 0, 0, 8_400],
    ['NOT_SENT', 0, 0, 8_400],
    ['REVERSED', 0, 0, 8_400],
  ] as const)('ours that is %s', (state, oursMinor, uncertainMinor, leftMinor) => {
    const { money, disputes } = accountOf(ledger([{ ...OURS, state }]), undefined);
    expect(money).toMatchObject({ oursMinor, uncertainMinor, leftMinor });
    expect(disputes[0]?.coveredMinor).toBe(oursMinor);
  });

  test('support’s pending refund is uncertain, and its reversed one is nothing', () => {
    const states = ['PENDING', 'REVERSED'] as const;
    const sums = states.map((state) => accountOf(ledger([{ ...SUPPORT, state }]), undefined).money);
    expect(sums).toMatchObject([
      { othersMinor: 0, uncertainMinor: 1_500, leftMinor: 6_900 },
      { othersMinor: 0, uncertainMinor: 0, leftMinor: 8_400 },
    ]);
  });

  test('more went back than was captured: nothing is left, and never less', () => {
    const twice = { ...SUPPORT, amountMinor: 8_000 };
    expect(accountOf(ledger([OURS, twice]), undefined).money).toMatchObject({ leftMinor: 0 });
  });

  test('what is only authorised has nothing to give back', () => {
    const { money } = accountOf(ledger([], { status: 'authorised' }), undefined);
    expect(money).toMatchObject({ capturedMinor: null, leftMinor: 0 });
  });

  test('a payment the processor was never asked about counts as it was told', () => {
    const unread = ledger([], { status: null, amountMinor: null, currency: null, disputes: [] });
    const told = { amountMinor: 2_990, currency: 'EUR' };
    expect(accountOf(unread, told).money).toMatchObject({
      currency: 'EUR',
      capturedMinor: 2_990,
      leftMinor: 2_990,
    });
    expect(accountOf(unread, undefined).money).toBeUndefined();
  });
});
