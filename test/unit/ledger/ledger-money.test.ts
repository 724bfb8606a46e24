/**
 * Guarantee: money of the network in another currency, money from before a complaint, and money through another processor
 * count for exactly what is known of them (A1, A3, A9), each condition alone.
 */
import { describe, expect, it } from 'vitest';
import type { Claim, Movement } from '../../../src/alerts/ledger/ledger.ts';
import {
  claimOfAlert,
  foreignOut,
  hasMoneyOut,
  isCovered,
  isOfAnother,
  isReleased,
  isSaidOf,
  isSettled,
  isWhollyReturned,
  movementBehind,
  otherReferences,
  outMinor,
  predates,
  roomMinor,
  surplusMinor,
  throughAnother,
  unnamedBefore,
  unsettledFor,
} from '../../../src/alerts/ledger/ledger.ts';
import { alertOf, disputeOfId, ledgerOf, movementOf, oursOf, RAISED_AT_MS } from './fixtures.ts';

const ids = (movements: readonly Movement[]): string[] => movements.map(({ id }) => id);

/** The network refunded 44.00 GBP for a charge in EUR. */
function network(over: Partial<Movement> = {}): Movement {
  return movementOf({
    id: 'mv_net',
    kind: 'network',
    alertId: 'netalrt_rdr',
    disputeId: 'dsp_1',
    observedFrom: 'netalrt_rdr',
    reference: null,
    amountMinor: 4400,
    currency: 'GBP',
    ...over,
  });
}

/** A person's word that it is 50.00 EUR. */
function word(over: Partial<Movement> = {}): Movement {
  return movementOf({
    id: 'mv_word',
    observedFrom: 'operator:ada',
    reference: 'netalrt_rdr',
    disputeId: 'dsp_1',
    ...over,
  });
}

describe('money of the network in another currency', () => {
  it.each<[string, readonly Movement[], readonly string[]]>([
    ['confirmed', [network()], ['mv_net']],
    ['pending', [network({ state: 'PENDING' })], ['mv_net']],
    ['that failed', [network({ state: 'REVERSED' })], []],
    ['of nothing', [network({ amountMinor: 0 })], []],
    ['of one', [network({ amountMinor: 1 })], ['mv_net']],
    ['in the charge’s currency', [network({ currency: 'EUR' })], []],
    ['that a person has said', [network(), word()], []],
    ['of which a person has said another one', [network(), word({ reference: 'x' })], ['mv_net']],
    ['that the processor shows', [network(), word({ observedFrom: 'processor' })], ['mv_net']],
    ['whose word was taken back', [network(), word({ state: 'REVERSED' })], ['mv_net']],
  ])('%s', (_name, movements, expected) => {
    expect(ids(foreignOut(ledgerOf({ movements })))).toEqual(expected);
    // While it cannot be said how much it is, the charge has no room at all.
    if (expected.length > 0) expect(roomMinor(ledgerOf({ movements }))).toBe(0);
  });

  it('is nothing where the charge’s currency is not known', () => {
    expect(foreignOut(ledgerOf({ currency: null, movements: [network()] }))).toEqual([]);
    expect(outMinor(ledgerOf({ currency: null, movements: [network()] }))).toBe(4400);
    expect(outMinor(ledgerOf({ movements: [network(), word({ amountMinor: 700 })] }))).toBe(700);
  });

  it.each<[string, Partial<Movement>, Partial<Movement>, boolean]>([
    ['a person’s word that names its alert', {}, {}, true],
    ['a word that is not about money of others', { kind: 'refund' }, {}, false],
    ['what the processor shows', { observedFrom: 'processor' }, {}, false],
    ['a word that failed', { state: 'REVERSED' }, {}, false],
    ['a word about another alert', { reference: 'netalrt_other' }, {}, false],
    ['money that is not the network’s', {}, { kind: 'external' }, false],
    ['money of no alert', { reference: null }, { alertId: null }, false],
  ])('is said by %s: %s', (_name, said, about, expected) => {
    expect(isSaidOf(word(said), network(about))).toBe(expected);
  });

  it.each<[string, Partial<Movement>, Partial<Claim>, boolean]>([
    ['as much as the alert asks for', {}, {}, true],
    ['one less', { amountMinor: 4399 }, {}, false],
    ['one more', { amountMinor: 4401 }, {}, true],
    ['in a third currency', { currency: 'USD' }, {}, false],
    ['of another dispute', { disputeId: 'dsp_0' }, {}, false],
    ['pending: of the network nothing pending counts', { state: 'PENDING' }, {}, false],
    ['and the alert’s currency is not said', {}, { currency: null }, false],
    ['and its amount is not said', {}, { amountMinor: null }, false],
    ['and its amount is nothing', {}, { amountMinor: 0 }, false],
    ['and nobody knows its dispute', {}, { disputeId: null }, false],
  ])('covers an alert in that currency: %s', (_name, over, claimed, expected) => {
    const ledger = ledgerOf({ movements: [network(over)], disputes: [disputeOfId('dsp_1')] });
    const claim = { disputeId: 'dsp_1', amountMinor: 4400, currency: 'GBP', ...claimed };
    expect(isCovered(ledger, claim, true)).toBe(expected);
  });
});

describe('money from before the complaint', () => {
  const dispute = disputeOfId('dsp_1', { alerts: [alertOf()] });
  const older = (over: Partial<Movement> = {}): Movement =>
    movementOf({ amountMinor: 2000, movedAtMs: RAISED_AT_MS - 1, ...over });

  it.each<[string, Partial<Movement>, boolean]>([
    ['a millisecond before', {}, true],
    ['at the same moment', { movedAtMs: RAISED_AT_MS }, false],
    ['nobody knows when', { movedAtMs: null }, true],
    ['a person has said for which complaint', { disputeId: 'dsp_1' }, false],
    ['a person has said it', { observedFrom: 'operator:ada' }, false],
    ['the network’s', { kind: 'network' }, false],
    ['ours', { kind: 'refund', key: 'fst_1' }, false],
  ])('%s: %s', (_name, over, expected) => {
    expect(predates(older(over), dispute)).toBe(expected);
  });

  it('is older only than all alerts that still stand', () => {
    const early = alertOf({ alertId: 'netalrt_0', raisedAtMs: RAISED_AT_MS - 1 });
    expect(predates(older(), { alerts: [early, alertOf()] })).toBe(false);
    const withdrawn = { ...early, status: 'INVALID' };
    expect(predates(older(), { alerts: [withdrawn, alertOf()] })).toBe(true);
  });

  it.each<[string, Partial<Movement>, readonly string[]]>([
    ['it answers none', {}, ['mv_1']],
    ['it answers one in part', { covers: [{ disputeId: 'dsp_0', amountMinor: 1999 }] }, ['mv_1']],
    ['it answers one with all of it', { covers: [{ disputeId: 'dsp_0', amountMinor: 2000 }] }, []],
    ['it came to nothing', { state: 'REVERSED' }, []],
    ['it is newer', { movedAtMs: RAISED_AT_MS }, []],
  ])('nobody can say what it was for, where %s', (_name, over, expected) => {
    expect(ids(unnamedBefore(ledgerOf({ movements: [older(over)] }), dispute))).toEqual(expected);
  });

  it('covers no part, even where it is written to answer it; all of the charge covers', () => {
    const claim = { disputeId: 'dsp_1', amountMinor: 2000, currency: 'EUR' };
    const covers = [{ disputeId: 'dsp_1', amountMinor: 2000 }];
    const of = (over: Partial<Movement>) =>
      isCovered(
        ledgerOf({ movements: [older({ covers, ...over })], disputes: [dispute] }),
        claim,
        false,
      );
    expect(of({})).toBe(false);
    expect(of({ movedAtMs: RAISED_AT_MS })).toBe(true);
    expect(of({ amountMinor: 5000 })).toBe(true);
  });

  it('what answers no complaint is what is left of it', () => {
    const covers = [
      { disputeId: 'dsp_0', amountMinor: 1200 },
      { disputeId: 'dsp_1', amountMinor: 300 },
    ];
    expect(surplusMinor(movementOf({ amountMinor: 2000, covers }))).toBe(500);
    expect(surplusMinor(movementOf({ amountMinor: 2000 }))).toBe(2000);
  });
});

describe('all of the charge', () => {
  it.each<[string, readonly Movement[], boolean, boolean]>([
    ['to the cent', [movementOf()], false, true],
    ['a cent short', [movementOf({ amountMinor: 4999 })], false, false],
    [
      'by two',
      [movementOf({ amountMinor: 3000 }), oursOf('dsp_1', { amountMinor: 2000 })],
      false,
      true,
    ],
    ['pending, which does not count', [movementOf({ state: 'PENDING' })], false, false],
    ['pending, which counts', [movementOf({ state: 'PENDING' })], true, true],
    ['pending at the network', [network({ currency: 'EUR', state: 'PENDING' })], true, false],
    ['by the bank', [movementOf({ kind: 'chargeback' })], false, false],
    ['in another currency', [movementOf({ currency: 'GBP' })], false, false],
  ])('%s', (_name, movements, pendingCounts, expected) => {
    expect(isWhollyReturned(ledgerOf({ movements }), pendingCounts)).toBe(expected);
  });

  it('of nothing captured nothing went back', () => {
    for (const over of [
      { status: 'authorised' as const },
      { amountMinor: 0 },
      { amountMinor: null },
    ]) {
      expect(isWhollyReturned(ledgerOf({ movements: [movementOf()], ...over }), true)).toBe(false);
      expect(isWhollyReturned(ledgerOf(over), true)).toBe(false);
    }
  });

  it('a release counts once it is confirmed', () => {
    const release = (state: Movement['state']) =>
      isReleased(
        ledgerOf({ movements: [oursOf('dsp_1', { kind: 'void', state, amountMinor: 0 })] }),
      );
    expect(release('CONFIRMED')).toBe(true);
    expect(release('SENT')).toBe(false);
    expect(isReleased(ledgerOf({ movements: [movementOf()] }))).toBe(false);
  });
});

describe('which movement it is', () => {
  const claim = { disputeId: 'dsp_1', amountMinor: 5000, currency: 'EUR' };
  const behind = (...movements: Movement[]) => movementBehind(ledgerOf({ movements }), claim)?.id;
  const covers = [{ disputeId: 'dsp_1', amountMinor: 1000 }];

  it('that an answer is declared with: its own before others, ours before others’, through before in doubt', () => {
    const elsewhere = movementOf({ id: 'mv_0' });
    const forIt = movementOf({ id: 'mv_1', covers });
    const ours = oursOf('dsp_1', { id: 'mv_2' });
    const oursElsewhere = oursOf('dsp_0', { id: 'mv_3' });
    const inDoubt = oursOf('dsp_1', { id: 'mv_4', state: 'UNKNOWN' });
    expect(behind(elsewhere, forIt, ours)).toBe('mv_2');
    expect(behind(elsewhere, forIt, oursElsewhere)).toBe('mv_1');
    expect(behind(elsewhere, oursElsewhere)).toBe('mv_3');
    expect(behind(elsewhere)).toBe('mv_0');
    expect(behind(inDoubt, forIt)).toBe('mv_1');
    expect(behind(inDoubt)).toBe('mv_4');
    expect(behind(oursOf('dsp_1', { state: 'REJECTED' }))).toBeUndefined();
    expect(behind(movementOf({ kind: 'chargeback' }))).toBeUndefined();
    expect(behind()).toBeUndefined();
  });

  it('that is not settled for a dispute', () => {
    const of = (over: Partial<Movement>) =>
      unsettledFor(ledgerOf({ movements: [oursOf('dsp_1', over)] }), 'dsp_1')?.id;
    expect(of({ state: 'PENDING' })).toBe('mv_1');
    expect(of({ state: 'CONFIRMED' })).toBeUndefined();
    expect(of({ state: 'REJECTED' })).toBeUndefined();
    expect(of({ state: 'SENT', disputeId: 'dsp_0' })).toBeUndefined();
    expect(of({ state: 'PENDING', key: null })).toBeUndefined();
  });

  it('that went through another processor', () => {
    expect(isOfAnother(null, 'new.example')).toBe(false);
    expect(isOfAnother('new.example', 'new.example')).toBe(false);
    expect(isOfAnother('old.example', 'new.example')).toBe(true);
    const ledger = ledgerOf({
      movements: [
        oursOf('dsp_1', { id: 'mv_a', state: 'REJECTED', processor: 'old.example' }),
        oursOf('dsp_1', { id: 'mv_b', processor: 'new.example' }),
        oursOf('dsp_1', { id: 'mv_c', processor: 'old.example' }),
      ],
    });
    expect(throughAnother(ledger, 'new.example')?.id).toBe('mv_c');
  });

  it('settled, by its state, whose it is, and the processor’s word', () => {
    expect(isSettled(movementOf(), false)).toBe(true);
    expect(isSettled(movementOf({ state: 'PENDING' }), false)).toBe(false);
    expect(isSettled(movementOf({ state: 'PENDING' }), true)).toBe(true);
    expect(isSettled(network({ state: 'PENDING' }), true)).toBe(false);
    expect(isSettled(movementOf({ state: 'REVERSED' }), true)).toBe(false);
  });

  it('beside it: references of the processor’s refunds, not the network’s', () => {
    const movements = [
      movementOf({ id: 'mv_1', reference: 're_1' }),
      movementOf({ id: 'mv_2', reference: 're_2' }),
      movementOf({ id: 'mv_3', reference: null }),
      network({ reference: 'netalrt_rdr' }),
    ];
    expect([...otherReferences(ledgerOf({ movements }), 'mv_1')]).toEqual(['re_2']);
  });
});

describe('what an alert claims', () => {
  it('in a dispute, in none, and where the charge does not know it', () => {
    const inDispute = alertOf({ alertId: 'netalrt_1', amountMinor: 1100, currency: 'GBP' });
    const alone = alertOf({ alertId: 'netalrt_2', amountMinor: null, currency: null });
    const ledger = ledgerOf({
      disputes: [
        disputeOfId('dsp_0'),
        disputeOfId('dsp_1', { alerts: [alertOf({ alertId: 'netalrt_0' }), inDispute] }),
      ],
      unplaced: [alertOf({ alertId: 'netalrt_3', amountMinor: 7 }), alone],
    });
    expect(claimOfAlert(ledger, 'netalrt_1')).toEqual({
      alertId: 'netalrt_1',
      disputeId: 'dsp_1',
      amountMinor: 1100,
      currency: 'GBP',
    });
    const nothing = { disputeId: null, amountMinor: null, currency: null };
    expect(claimOfAlert(ledger, 'netalrt_2')).toEqual({ alertId: 'netalrt_2', ...nothing });
    expect(claimOfAlert(ledger, 'netalrt_3')).toMatchObject({ disputeId: null, amountMinor: 7 });
    expect(claimOfAlert(ledger, 'netalrt_9')).toEqual({ alertId: 'netalrt_9', ...nothing });
  });
});

describe('money out on the charge, for whichever complaint', () => {
  it.each<[string, Parameters<typeof ledgerOf>[0], boolean]>([
    ['none', {}, false],
    ['a refund', { movements: [movementOf()] }, true],
    ['a refund that failed', { movements: [movementOf({ state: 'REVERSED' })] }, false],
    ['what the bank took', { movements: [movementOf({ kind: 'chargeback' })] }, false],
    ['a doubt about the network', { networkInDoubt: { alertId: 'netalrt_1', knownAtMs: 1 } }, true],
    [
      'a doubt about an acceptance',
      { acceptanceInDoubt: { alertId: 'netalrt_1', knownAtMs: 1 } },
      false,
    ],
    ['a refund ahead', { unplaced: [alertOf({ isToBeRefunded: true })] }, true],
  ])('%s: %s', (_name, over, expected) => {
    expect(hasMoneyOut(ledgerOf(over))).toBe(expected);
  });
});
