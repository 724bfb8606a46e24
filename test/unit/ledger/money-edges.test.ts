/** Guarantee: older money, money that the network leaves unsaid, and references that are written otherwise are judged by their rules (A1, A3, A6). */
import { describe, expect, it } from 'vitest';
import { objectionToAccept } from '../../../src/alerts/ledger/accept-objection.ts';
import { allocate } from '../../../src/alerts/ledger/allocate.ts';
import type { Movement } from '../../../src/alerts/ledger/ledger.ts';
import { isAnotherAmountEnd } from '../../../src/alerts/ledger/ledger.ts';
import { paidTooOften } from '../../../src/alerts/ledger/paid-too-often.ts';
import { readingChanges } from '../../../src/alerts/ledger/reading-changes.ts';
import { amountOf, placeAlert, whyUndecided } from '../../../src/alerts/ledger/same-dispute.ts';
import { standingOf } from '../../../src/alerts/ledger/verdict.ts';
import {
  alertOf,
  chargeOf,
  disputeOfId,
  ledgerOf,
  movementOf,
  oursOf,
  RAISED_AT_MS,
  refundOf,
} from './fixtures.ts';

const cover = (disputeId: string, amountMinor: number) => ({ disputeId, amountMinor });

describe('what the network leaves unsaid', () => {
  const unsaid = movementOf({
    kind: 'network',
    state: 'PENDING',
    observedFrom: 'network',
    disputeId: 'dsp_1',
    covers: [cover('dsp_1', 5000)],
  });

  it('is an objection of its own, which a person may be told', () => {
    expect(objectionToAccept(ledgerOf({ movements: [unsaid] }), 'dsp_1')).toEqual({
      kind: 'network_unclear',
      amountMinor: 5000,
      currency: 'EUR',
      movementId: 'mv_1',
    });
    const support = { ...unsaid, kind: 'external' as const };
    expect(objectionToAccept(ledgerOf({ movements: [support] }), 'dsp_1')).toMatchObject({
      kind: 'others_pending',
    });
  });
});

describe('older money', () => {
  const older = movementOf({ amountMinor: 1000, movedAtMs: RAISED_AT_MS - 1 });
  const isBack = 'somebody else refunded beside our own refund';
  const beside = (movement: Movement, ids: readonly string[]) =>
    paidTooOften(
      ledgerOf({
        movements: [oursOf('dsp_1', { id: 'mv_own', amountMinor: 2000 }), movement],
        disputes: ids.map((id, at) =>
          disputeOfId(id, { alerts: [alertOf({ raisedAtMs: RAISED_AT_MS - at * 10 })] }),
        ),
      }),
    );

  it('beside our refund is not paid too often: it was for something else', () => {
    expect(beside(older, ['dsp_1'])).toBeUndefined();
  });

  it('is, where it is younger than one complaint, or nobody knows when it moved, or of any', () => {
    expect(beside({ ...older, movedAtMs: RAISED_AT_MS }, ['dsp_1'])).toBe(isBack);
    expect(beside({ ...older, movedAtMs: RAISED_AT_MS - 5 }, ['dsp_1', 'dsp_2'])).toBe(isBack);
    expect(beside({ ...older, movedAtMs: null }, ['dsp_1'])).toBe(isBack);
    expect(beside(older, [])).toBe(isBack);
  });

  it('covers all of a charge, and no part of it', () => {
    const of = (
      amountMinor: number,
      over: Partial<Movement> = {},
      chargeMinor: number | null = 5000,
    ) =>
      allocate(
        ledgerOf({
          amountMinor: chargeMinor,
          movements: [{ ...older, ...over }],
          disputes: [disputeOfId('dsp_1', { amountMinor, alerts: [alertOf()] })],
        }),
      ).ledger.movements[0]?.covers;
    expect(of(5000)).toEqual([cover('dsp_1', 1000)]);
    expect(of(4999)).toEqual([]);
    expect(of(1000)).toEqual([]);
    expect(of(1000, { movedAtMs: RAISED_AT_MS })).toEqual([cover('dsp_1', 1000)]);
    expect(of(1000, { disputeId: 'dsp_1' })).toEqual([cover('dsp_1', 1000)]);
    // Of a charge that was never shown nobody knows that it is a part.
    expect(of(1000, {}, null)).toEqual([cover('dsp_1', 1000)]);
  });

  it('gives up a part that it covered, unless REFUND was declared on it, or the complaint is not known', () => {
    const covers = [cover('dsp_1', 1000)];
    const kept = (...declared: readonly boolean[]) =>
      allocate(
        ledgerOf({
          movements: [{ ...older, covers }],
          disputes: [
            disputeOfId('dsp_1', {
              amountMinor: 1000,
              alerts: declared.map((isRefundDeclared) => alertOf({ isRefundDeclared })),
            }),
          ],
        }),
      ).ledger.movements[0]?.covers;
    expect(kept(false)).toEqual([]);
    expect(kept(true)).toEqual(covers);
    expect(kept(false, true)).toEqual(covers);
    const elsewhere = ledgerOf({ movements: [{ ...older, covers }] });
    expect(allocate(elsewhere).changed).toEqual([]);
  });
});

describe('money of the amount that waits for its answer', () => {
  const asked = oursOf('dsp_1', { id: 'mv_own', amountMinor: 2000, state: 'UNKNOWN', covers: [] });
  const shown = movementOf({ amountMinor: 2000 });
  const covers = (over: Partial<Movement>) =>
    allocate(
      ledgerOf({
        movements: [asked, { ...shown, ...over }],
        disputes: [disputeOfId('dsp_1'), disputeOfId('dsp_2', { currency: 'GBP' })],
      }),
    ).ledger.movements[1]?.covers;

  it('answers nothing until that is known: of the same amount and currency, at the processor', () => {
    expect(covers({})).toEqual([]);
    expect(covers({ amountMinor: 1999 })).toEqual([cover('dsp_1', 1999)]);
    expect(covers({ currency: 'GBP' })).toEqual([cover('dsp_2', 2000)]);
    expect(covers({ observedFrom: 'operator:ada' })).toEqual([cover('dsp_1', 2000)]);
  });
});

describe('a reference that is written otherwise', () => {
  const said = movementOf({ reference: 'RE_1 ', observedFrom: 'operator:ada' });
  const read = (movements: readonly Movement[], reference: string) =>
    readingChanges(
      ledgerOf({ movements }),
      chargeOf({ refunds: [refundOf({ reference })] }),
      'fst_2',
    );

  it('is the same money: nothing new', () => {
    expect(read([said], 're_1').observed).toEqual([]);
    expect(read([said], 're_2').observed).toMatchObject([{ movement: undefined }]);
    expect(read([{ ...said, reference: null }], 're_2').observed).toMatchObject([
      { movement: undefined },
    ]);
  });

  it('the one that is written alike comes first', () => {
    const alike = { ...said, id: 'mv_2', reference: 're_1', amountMinor: 700 };
    expect(read([said, alike], 're_1').observed).toMatchObject([{ movement: { id: 'mv_2' } }]);
  });

  it('of none at all is found beside others', () => {
    const unnamed = { ...said, id: 'mv_0', reference: null };
    expect(read([unnamed, said], 're_1').observed).toEqual([]);
  });
});

describe('what is no longer shown', () => {
  const gone = (over: Partial<Movement>) =>
    readingChanges(ledgerOf({ movements: [movementOf(over)] }), chargeOf(), 'fst_2').observed[0];

  it.each(['void', 'chargeback', 'external'] as const)('is gone as what it was: %s', (kind) => {
    expect(gone({ kind })).toMatchObject({ kind, state: 'REVERSED', amountMinor: 0 });
  });

  it('once: what was gone already is no news, whatever its amount', () => {
    expect(gone({ state: 'REVERSED', amountMinor: 5000 })).toBeUndefined();
  });
});

describe('a refund of ours that failed, shown beside another one', () => {
  it('is no money of somebody else', () => {
    const ours = oursOf('dsp_1', { state: 'REVERSED' });
    const failed = refundOf({ idempotencyKey: 'fst_1', status: 'failed' });
    expect(
      readingChanges(ledgerOf({ movements: [ours] }), chargeOf({ refunds: [failed] }), 'fst_2')
        .observed,
    ).toEqual([]);
  });

  it('that belongs to no complaint names none', () => {
    const ours = oursOf('dsp_1', { disputeId: null, state: 'REVERSED' });
    const again = refundOf({ idempotencyKey: 'fst_1' });
    const [observed] = readingChanges(
      ledgerOf({ movements: [ours] }),
      chargeOf({ refunds: [again] }),
      'fst_2',
    ).observed;
    expect(observed).toBeDefined();
    expect(observed).not.toHaveProperty('disputeId');
  });
});

describe('the end of a request of ours', () => {
  it('is another amount’s only where it was refused for that', () => {
    const ended = oursOf('dsp_1', { state: 'REJECTED', failureCode: 'another_amount' });
    expect(isAnotherAmountEnd(ended)).toBe(true);
    expect(isAnotherAmountEnd({ ...ended, failureCode: 'too_old' })).toBe(false);
    expect(isAnotherAmountEnd({ ...ended, state: 'CONFIRMED' })).toBe(false);
  });
});

describe('which complaint', () => {
  const charge = { amountMinor: 5000, currency: 'EUR' };
  const part = alertOf({ alertId: 'netalrt_0', amountMinor: 2000 });
  const disputes = [disputeOfId('dsp_0', { amountMinor: 2000, alerts: [part] })];
  const again = alertOf({ alertId: 'netalrt_2', amountMinor: 2000 });
  const other = alertOf({ alertId: 'netalrt_3', amountMinor: 1000 });

  it('is asked of the alert that is meant, where the charge is known', () => {
    const ledger = ledgerOf({ disputes, unplaced: [other, again] });
    expect(whyUndecided(ledger, 'netalrt_2', 'REVIEW')).toMatch('the same part again');
    expect(whyUndecided(ledger, 'netalrt_3', 'REVIEW')).toBeUndefined();
    expect(whyUndecided(ledger, 'netalrt_4', 'REVIEW')).toBeUndefined();
    for (const unknown of [{ amountMinor: null }, { currency: null }]) {
      expect(whyUndecided({ ...ledger, ...unknown }, 'netalrt_2', 'REVIEW')).toBeUndefined();
    }
  });

  it('another part that fits is another one, whatever the policy says of the same part', () => {
    for (const samePart of ['REVIEW', 'AGAIN', 'ANOTHER'] as const) {
      expect(placeAlert({ disputes, movements: [] }, other, { charge, samePart })).toEqual({
        kind: 'new',
        reason: 'another part of the charge, which fits beside what is disputed',
      });
    }
  });

  it('the same part through another network is the same one', () => {
    const elsewhere = { ...again, enrolmentType: 'NETB_ALERT' };
    expect(
      placeAlert({ disputes, movements: [] }, elsewhere, { charge, samePart: 'REVIEW' }),
    ).toMatchObject({ kind: 'same', disputeId: 'dsp_0', duplicate: false });
  });

  it('without an amount asks for all of the charge', () => {
    const unsaid = disputeOfId('dsp_1', {
      amountMinor: 1,
      alerts: [alertOf({ amountMinor: null })],
    });
    expect(amountOf(unsaid, charge)).toBe(5000);
  });
});

describe('what the outcome table is told', () => {
  const claim = { alertId: 'netalrt_1', disputeId: 'dsp_1', amountMinor: 5000, currency: 'EUR' };
  const asked = { pendingCounts: false, samePart: 'REVIEW' } as const;
  const standing = (movements: readonly Movement[], claimed: Partial<typeof claim> = {}) =>
    standingOf(
      ledgerOf({ movements, disputes: [disputeOfId('dsp_1', { alerts: [alertOf()] })] }),
      { ...claim, ...claimed },
      asked,
    );

  it('whether the network refunded in another currency', () => {
    const foreign = movementOf({ kind: 'network', currency: 'GBP', disputeId: 'dsp_1' });
    expect(standing([foreign]).isForeign).toBe(true);
    expect(standing([movementOf({ amountMinor: 1 })]).isForeign).toBe(false);
  });

  it('whether older money answers no complaint', () => {
    const older = movementOf({ amountMinor: 1000, movedAtMs: RAISED_AT_MS - 1 });
    expect(standing([older]).isOlderUnnamed).toBe(true);
    expect(standing([{ ...older, movedAtMs: RAISED_AT_MS }]).isOlderUnnamed).toBe(false);
  });

  it('nothing of which complaint it is where that is known', () => {
    const placed = ledgerOf({
      disputes: [
        disputeOfId('dsp_1', { amountMinor: 2000, alerts: [alertOf({ amountMinor: 2000 })] }),
      ],
      unplaced: [alertOf({ alertId: 'netalrt_2', amountMinor: 2000 })],
    });
    const of = (alertId: string, disputeId: string | null) =>
      standingOf(placed, { ...claim, alertId, disputeId, amountMinor: 2000 }, asked).isUnclear;
    expect(of('netalrt_2', null)).toBe(true);
    expect(of('netalrt_2', 'dsp_1')).toBe(false);
  });

  it('that another alert is to be refunded, but not the one itself', () => {
    const alerts = [alertOf({ isToBeRefunded: true })];
    const ledger = ledgerOf({ disputes: [disputeOfId('dsp_1', { alerts })] });
    expect(standingOf(ledger, claim, asked).isRefundAhead).toBe(false);
    expect(standingOf(ledger, { ...claim, alertId: 'netalrt_2' }, asked).isRefundAhead).toBe(true);
  });
});
