/** Guarantee: what may have gone back, what covers a dispute and what may be accepted is counted to the minor unit, by currency (L1, L3, L4, L5). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectionToAccept } from '../../../src/alerts/ledger/accept-objection.ts';
import type { Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';
import {
  capturedMinor,
  claimOfAlert,
  coverOf,
  disputeOf,
  inFlightOf,
  isAccepted,
  isCovered,
  isOurs,
  isRefundAhead,
  isReleased,
  isSettled,
  isWhollyReturned,
  mayHaveExecuted,
  missingMinor,
  movementBehind,
  otherReferences,
  outForDispute,
  outMinor,
  roomMinor,
  surplusMinor,
} from '../../../src/alerts/ledger/ledger.ts';
import type { MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import { paidTooOften } from '../../../src/alerts/ledger/paid-too-often.ts';
import { alertOf, disputeOfId, ledgerOf, movementOf, oursOf } from './fixtures.ts';

/** From the design, by hand: state, may ours have executed, may an observed one have. */
const STATES: readonly [MovementState, boolean, boolean][] = [
  ['SENT', true, false],
  ['UNKNOWN', true, false],
  ['PENDING', true, true],
  ['CONFIRMED', true, true],
  ['HUMAN', true, false],
  ['REJECTED', false, false],
  ['NOT_SENT', false, false],
  ['REVERSED', false, false],
];

describe('a movement', () => {
  it.each(STATES)('%s may have executed: ours %s, of others %s', (state, ours, others) => {
    expect(mayHaveExecuted(oursOf('dsp_1', { state }))).toBe(ours);
    expect(mayHaveExecuted(movementOf({ state }))).toBe(others);
  });

  it.each(STATES)('%s counts as gone back only when it is through', (state) => {
    const movement = oursOf('dsp_1', { state });
    expect(isSettled(movement, false)).toBe(state === 'CONFIRMED');
    expect(isSettled(movement, true)).toBe(state === 'CONFIRMED' || state === 'PENDING');
  });

  it('is ours by its key alone', () => {
    expect(isOurs(movementOf({ key: 'fst_1' }))).toBe(true);
    expect(isOurs(movementOf({ kind: 'void' }))).toBe(false);
  });

  it('leaves what answers no dispute', () => {
    const covers = [
      { disputeId: 'dsp_1', amountMinor: 2000 },
      { disputeId: 'dsp_2', amountMinor: 500 },
    ];
    expect(surplusMinor(movementOf({ covers }))).toBe(2500);
    expect(surplusMinor(movementOf())).toBe(5000);
  });
});

describe('the charge', () => {
  it('was captured, or not', () => {
    expect(capturedMinor(ledgerOf())).toBe(5000);
    expect(capturedMinor(ledgerOf({ amountMinor: null }))).toBe(0);
    for (const status of ['authorised', 'declined', 'voided', null] as const) {
      expect(capturedMinor(ledgerOf({ status }))).toBe(0);
    }
  });

  it('has at most one request of ours in flight, and a pending one is not (L2)', () => {
    const pending = oursOf('dsp_1', { id: 'mv_p', state: 'PENDING' });
    const others = movementOf({ state: 'PENDING' });
    expect(inFlightOf(ledgerOf({ movements: [pending, others] }))).toBeUndefined();
    for (const state of ['SENT', 'UNKNOWN', 'HUMAN'] as const) {
      const ours = oursOf('dsp_2', { id: 'mv_f', state });
      expect(inFlightOf(ledgerOf({ movements: [pending, ours] }))?.id).toBe('mv_f');
    }
  });

  it('sums what may have gone back, ours and everybody’s (L1)', () => {
    const movements = [
      oursOf('dsp_1', { amountMinor: 1000, state: 'UNKNOWN' }),
      oursOf('dsp_1', { amountMinor: 700, state: 'REJECTED' }),
      movementOf({ amountMinor: 500, state: 'PENDING' }),
      movementOf({ amountMinor: 300, kind: 'network' }),
      movementOf({ amountMinor: 200, kind: 'chargeback' }),
      movementOf({ amountMinor: 90, state: 'REVERSED' }),
    ];
    expect(outMinor(ledgerOf({ movements }))).toBe(2000);
    expect(roomMinor(ledgerOf({ movements }))).toBe(3000);
    expect(roomMinor(ledgerOf({ movements, amountMinor: 1999 }))).toBe(0);
    expect(roomMinor(ledgerOf({ movements, status: 'authorised' }))).toBe(0);
  });

  it.each([
    [4999, 'CONFIRMED', false, false],
    [5000, 'CONFIRMED', false, true],
    [5001, 'CONFIRMED', false, true],
    [5000, 'PENDING', false, false],
    [5000, 'PENDING', true, true],
    [5000, 'REVERSED', true, false],
  ] as const)(
    'went back whole: %i %s, pending counts %s: %s',
    (amountMinor, state, counts, whole) => {
      const ledger = ledgerOf({ movements: [movementOf({ amountMinor, state })] });
      expect(isWhollyReturned(ledger, counts)).toBe(whole);
      expect(isWhollyReturned({ ...ledger, status: 'authorised' }, counts)).toBe(false);
    },
  );

  it('that the bank took back did not go back: a chargeback covers no REFUND', () => {
    const taken = movementOf({ kind: 'chargeback' });
    const ledger = ledgerOf({ movements: [taken] });
    const claim = { disputeId: 'dsp_1', amountMinor: 5000, currency: 'EUR' };
    expect(isWhollyReturned(ledger, true)).toBe(false);
    expect(isCovered(ledger, claim, true)).toBe(false);
    expect(movementBehind(ledger, claim)).toBeUndefined();
    const part = movementOf({ id: 'mv_2', amountMinor: 2000 });
    const rest = movementOf({ kind: 'chargeback', amountMinor: 3000 });
    expect(isWhollyReturned(ledgerOf({ movements: [part, rest] }), true)).toBe(false);
  });

  it('of nothing did not go back whole', () => {
    expect(isWhollyReturned(ledgerOf({ amountMinor: 0 }), true)).toBe(false);
  });

  it('of which the currency is not known counts all of its money', () => {
    const movements = [movementOf({ amountMinor: 700 }), movementOf({ amountMinor: 300 })];
    expect(outMinor(ledgerOf({ currency: null, movements }))).toBe(1000);
  });

  it('names what its other refunds are shown as, but for the network’s', () => {
    const movements = [
      oursOf('dsp_1', { id: 'mv_own', reference: 're_own' }),
      movementOf({ id: 'mv_2', reference: 're_2' }),
      oursOf('dsp_2', { id: 'mv_3', reference: null }),
      movementOf({ id: 'mv_4', kind: 'network', reference: 'rdr_4' }),
    ];
    const ledger = ledgerOf({ movements });
    expect([...otherReferences(ledger, 'mv_own')]).toEqual(['re_2']);
    expect([...otherReferences(ledger, 'mv_2')]).toEqual(['re_own']);
  });

  it('is released by a void that is through, whoever made it', () => {
    const voided = movementOf({ kind: 'void', amountMinor: 0 });
    expect(isReleased(ledgerOf({ movements: [voided] }))).toBe(true);
    expect(isReleased(ledgerOf({ movements: [{ ...voided, state: 'SENT' }] }))).toBe(false);
    expect(isReleased(ledgerOf({ movements: [movementOf()] }))).toBe(false);
  });
});

describe('a dispute', () => {
  const movements = [
    oursOf('dsp_1', { amountMinor: 1500 }),
    oursOf('dsp_1', { amountMinor: 400, state: 'PENDING' }),
    oursOf('dsp_1', { amountMinor: 900, state: 'REJECTED' }),
    movementOf({
      amountMinor: 1000,
      covers: [
        { disputeId: 'dsp_1', amountMinor: 300 },
        { disputeId: 'dsp_2', amountMinor: 600 },
      ],
    }),
  ];
  const ledger = ledgerOf({ movements, disputes: [disputeOfId('dsp_1'), disputeOfId('dsp_2')] });

  it('is covered by its own parts only (L4)', () => {
    expect(coverOf(ledger, 'dsp_1', false)).toBe(1800);
    expect(coverOf(ledger, 'dsp_1', true)).toBe(2200);
    expect(coverOf(ledger, 'dsp_2', false)).toBe(600);
    expect(outForDispute(ledger, 'dsp_1')).toBe(2200);
    expect(outForDispute(ledger, 'dsp_3')).toBe(0);
  });

  it('misses what it is about, less what may have gone back for it, and never less than nothing (L3)', () => {
    expect(missingMinor(ledger, disputeOfId('dsp_1', { amountMinor: 2201 }))).toBe(1);
    expect(missingMinor(ledger, disputeOfId('dsp_1', { amountMinor: 2200 }))).toBe(0);
    expect(missingMinor(ledger, disputeOfId('dsp_1', { amountMinor: 100 }))).toBe(0);
  });

  it('is found by its id', () => {
    expect(disputeOf(ledger, 'dsp_2')?.id).toBe('dsp_2');
    expect(disputeOf(ledger, 'dsp_3')).toBeUndefined();
    expect(disputeOf(ledger, null)).toBeUndefined();
  });

  it('is accepted by any alert of it; with none known, by any of the charge', () => {
    const accepted = alertOf({ isAccepted: true });
    const two = ledgerOf({
      disputes: [disputeOfId('dsp_1', { alerts: [alertOf(), accepted] }), disputeOfId('dsp_2')],
    });
    expect(isAccepted(two, 'dsp_1')).toBe(true);
    expect(isAccepted(two, 'dsp_2')).toBe(false);
    expect(isAccepted(two, null)).toBe(true);
    const open = ledgerOf({ unplaced: [accepted], disputes: [disputeOfId('dsp_1')] });
    expect(isAccepted(open, null)).toBe(true);
    // Nobody knows of which complaint it speaks, so it may be this one.
    expect(isAccepted(open, 'dsp_1')).toBe(true);
    expect(isAccepted(ledgerOf(), null)).toBe(false);
  });
});

describe('another refund ahead', () => {
  const ahead = alertOf({ alertId: 'netalrt_2', isToBeRefunded: true });

  it('is another alert’s of the charge, in a dispute or in none', () => {
    const placed = ledgerOf({
      disputes: [disputeOfId('dsp_0'), disputeOfId('dsp_1', { alerts: [alertOf(), ahead] })],
    });
    expect(isRefundAhead(placed, 'netalrt_1')).toBe(true);
    expect(isRefundAhead(ledgerOf({ unplaced: [alertOf(), ahead] }), 'netalrt_1')).toBe(true);
  });

  it('is not the alert’s own, nor one that nobody is to refund', () => {
    expect(isRefundAhead(ledgerOf({ unplaced: [alertOf(), ahead] }), 'netalrt_2')).toBe(false);
    const disputes = [disputeOfId('dsp_1', { alerts: [alertOf(), alertOf({ alertId: 'n2' })] })];
    expect(isRefundAhead(ledgerOf({ disputes }), 'netalrt_1')).toBe(false);
  });
});

describe('the claim of an alert', () => {
  const alert = alertOf({ alertId: 'netalrt_2', amountMinor: 2000, currency: 'USD' });

  it('names its dispute, its amount and its own currency', () => {
    const ledger = ledgerOf({
      disputes: [
        disputeOfId('dsp_0', { alerts: [alertOf()] }),
        disputeOfId('dsp_1', { alerts: [alert] }),
      ],
    });
    expect(claimOfAlert(ledger, 'netalrt_2')).toEqual({
      alertId: 'netalrt_2',
      disputeId: 'dsp_1',
      amountMinor: 2000,
      currency: 'USD',
    });
  });

  it('is found among several of one dispute', () => {
    const alerts = [alertOf(), alert];
    const ledger = ledgerOf({ disputes: [disputeOfId('dsp_1', { alerts })] });
    expect(claimOfAlert(ledger, 'netalrt_2')).toMatchObject({
      disputeId: 'dsp_1',
      amountMinor: 2000,
    });
    const beside = [alertOf(), alertOf({ isAccepted: true })];
    const paid = ledgerOf({
      disputes: [disputeOfId('dsp_1', { alerts: beside })],
      movements: [oursOf('dsp_1', { amountMinor: 1 })],
    });
    expect(paidTooOften(paid)).toBe('money went back for a dispute that was accepted');
  });

  it('names no dispute while it is not placed, and nothing when it is unknown', () => {
    const ledger = ledgerOf({ unplaced: [alertOf(), alert] });
    expect(claimOfAlert(ledger, 'netalrt_2')).toEqual({
      alertId: 'netalrt_2',
      disputeId: null,
      amountMinor: 2000,
      currency: 'USD',
    });
    expect(claimOfAlert(ledger, 'netalrt_9')).toEqual({
      alertId: 'netalrt_9',
      disputeId: null,
      amountMinor: null,
      currency: null,
    });
  });
});

describe('REFUND is true of an alert (L4)', () => {
  const part = ledgerOf({
    disputes: [disputeOfId('dsp_1', { amountMinor: 2500 })],
    movements: [oursOf('dsp_1', { amountMinor: 2500 })],
  });
  const claim = { disputeId: 'dsp_1', amountMinor: 2500, currency: 'EUR' };

  it.each<[string, Partial<typeof claim> | { disputeId: null }, boolean]>([
    ['its amount is reached', {}, true],
    ['it is one below', { amountMinor: 2499 }, true],
    ['it is one above', { amountMinor: 2501 }, false],
    ['it is in another currency (USD 67 covered a GBP 66 alert)', { currency: 'USD' }, false],
    ['its money went to another dispute', { disputeId: 'dsp_2' }, false],
    ['nobody knows its dispute', { disputeId: null }, false],
    ['it is about nothing', { amountMinor: 0 }, false],
    ['it is about less than nothing', { amountMinor: -1 }, false],
  ])('when %s', (_name, over, expected) => {
    expect(isCovered(part, { ...claim, ...over }, false)).toBe(expected);
  });

  it('not without an amount, a currency, or the charge’s currency', () => {
    expect(isCovered(part, { ...claim, amountMinor: null }, false)).toBe(false);
    expect(isCovered(part, { ...claim, currency: null }, false)).toBe(false);
    expect(isCovered({ ...part, currency: null }, { ...claim, currency: null }, false)).toBe(false);
  });

  it('whatever its currency, amount and dispute, when the whole charge went back', () => {
    const whole = ledgerOf({ movements: [movementOf()] });
    const foreign = { disputeId: null, amountMinor: 6000, currency: 'GBP' };
    expect(isCovered(whole, foreign, false)).toBe(true);
    expect(
      isCovered(ledgerOf({ movements: [movementOf({ amountMinor: 4999 })] }), foreign, false),
    ).toBe(false);
  });

  it('when the authorisation was released', () => {
    const released = ledgerOf({
      status: 'voided',
      movements: [movementOf({ kind: 'void', amountMinor: 0 })],
    });
    expect(isCovered(released, { disputeId: null, amountMinor: null, currency: null }, false)).toBe(
      true,
    );
  });

  it('with pending money only where the processor says that it counts', () => {
    const pending = {
      ...part,
      movements: [oursOf('dsp_1', { amountMinor: 2500, state: 'PENDING' })],
    };
    expect([false, true].map((counts) => isCovered(pending, claim, counts))).toEqual([false, true]);
  });
});

describe('the movement behind a covered claim', () => {
  const claim = { disputeId: 'dsp_1', amountMinor: 1000, currency: 'EUR' };
  const behind = (...movements: Movement[]) => movementBehind(ledgerOf({ movements }), claim)?.id;
  const covers = [{ disputeId: 'dsp_1', amountMinor: 1000 }];

  it('is ours for the dispute, then anybody’s for it, then ours, then anybody’s', () => {
    const others = movementOf({ id: 'others', covers });
    const ours = oursOf('dsp_1', { id: 'ours' });
    const elsewhere = oursOf('dsp_2', { id: 'elsewhere' });
    const loose = movementOf({ id: 'loose' });
    expect(behind(loose, elsewhere, others, ours)).toBe('ours');
    expect(behind(loose, elsewhere, others)).toBe('others');
    expect(behind(loose, elsewhere)).toBe('elsewhere');
    expect(behind(loose)).toBe('loose');
    expect(behind()).toBeUndefined();
  });

  it('is never one in doubt beside one that is through', () => {
    const doubt = oursOf('dsp_1', { id: 'doubt', state: 'UNKNOWN' });
    const through = movementOf({ id: 'through' });
    expect(behind(doubt, through)).toBe('through');
    expect(behind(doubt)).toBe('doubt');
    expect(behind(oursOf('dsp_1', { id: 'pending', state: 'PENDING' }), through)).toBe('pending');
  });

  it('is never one that moved nothing', () => {
    expect(behind(oursOf('dsp_1', { state: 'REJECTED' }), movementOf({ state: 'REVERSED' }))).toBe(
      undefined,
    );
  });
});

describe('what forbids ACCEPT_DISPUTE (L5)', () => {
  const objection = (disputeId: string | null, ...movements: Movement[]) =>
    objectionToAccept(ledgerOf({ movements }), disputeId);
  const covers = [{ disputeId: 'dsp_1', amountMinor: 1000 }];

  it('is nothing where nothing moved for the dispute', () => {
    expect(objection('dsp_1')).toBeUndefined();
    expect(objection('dsp_1', oursOf('dsp_2'))).toBeUndefined();
    expect(objection('dsp_1', oursOf('dsp_1', { state: 'REJECTED' }))).toBeUndefined();
    expect(objection('dsp_1', movementOf({ covers, state: 'REVERSED' }))).toBeUndefined();
  });

  it('is never the bank’s own chargeback', () => {
    expect(objection(null, movementOf({ kind: 'chargeback' }))).toBeUndefined();
  });

  it.each(['SENT', 'UNKNOWN', 'PENDING', 'HUMAN'] as const)('is ours that is %s', (state) => {
    expect(objection('dsp_1', oursOf('dsp_1', { id: 'mv_o', state, amountMinor: 1000 }))).toEqual({
      kind: 'ours_under_way',
      amountMinor: 1000,
      currency: 'EUR',
      movementId: 'mv_o',
    });
  });

  it('is somebody else’s that is pending', () => {
    expect(objection('dsp_1', movementOf({ covers, state: 'PENDING' }))).toEqual({
      kind: 'others_pending',
      amountMinor: 1000,
      currency: 'EUR',
      movementId: 'mv_1',
    });
  });

  it('is what went back, as a sum', () => {
    const ours = oursOf('dsp_1', { id: 'mv_2', amountMinor: 200 });
    expect(objection('dsp_1', movementOf({ covers }), ours)).toEqual({
      kind: 'part_went_back',
      amountMinor: 1200,
      currency: 'EUR',
      movementId: 'mv_1',
    });
  });

  it('is what is open before what is through, ours before others’', () => {
    const through = movementOf({ id: 'mv_t', covers });
    const pending = movementOf({ id: 'mv_p', covers, state: 'PENDING' });
    const ours = oursOf('dsp_1', { id: 'mv_o', amountMinor: 1, state: 'SENT' });
    expect(objection('dsp_1', through, pending)?.movementId).toBe('mv_p');
    expect(objection('dsp_1', through, pending, ours)).toEqual({
      kind: 'ours_under_way',
      amountMinor: 2001,
      currency: 'EUR',
      movementId: 'mv_o',
    });
  });

  it('is the part of it that answers the dispute', () => {
    const shared = oursOf('dsp_1', { covers: [{ disputeId: 'dsp_1', amountMinor: 400 }] });
    expect(objection('dsp_1', shared)?.amountMinor).toBe(400);
  });

  it('is any money of the charge while the dispute is not known', () => {
    expect(objection(null, oursOf('dsp_1', { amountMinor: 700 }))?.amountMinor).toBe(700);
  });

  it('is a release of the authorisation, which moves nothing', () => {
    const voids = oursOf('dsp_1', { kind: 'void', amountMinor: 0, state: 'SENT' });
    expect(objection('dsp_1', voids)?.kind).toBe('ours_under_way');
    expect(objection(null, voids)?.kind).toBe('ours_under_way');
    expect(objection('dsp_2', voids)).toBeUndefined();
    expect(objection('dsp_2', movementOf({ kind: 'void', amountMinor: 0 }))?.kind).toBe(
      'part_went_back',
    );
    expect(objection('dsp_2', movementOf({ amountMinor: 0, disputeId: 'dsp_2' }))).toBeUndefined();
  });
});

describe('paid too often', () => {
  const covers = [{ disputeId: 'dsp_1', amountMinor: 5000 }];

  it('is what went back above the captured amount, by one', () => {
    const twice = (amountMinor: number) =>
      paidTooOften(ledgerOf({ movements: [movementOf({ covers }), movementOf({ amountMinor })] }));
    expect(twice(0)).toBeUndefined();
    expect(twice(1)).toBe('more went back than was captured');
    const authorised = ledgerOf({ status: 'authorised', movements: [movementOf({ covers })] });
    expect(paidTooOften(authorised)).toBeUndefined();
  });

  it.each([
    ['all of it', 5000, 5000, undefined, 0],
    ['a part of it', 5000, 2000, undefined, 0],
    ['less than the network moved', 3000, 5000, undefined, 0],
    ['beside a refund of somebody else', 5000, 5000, 'more went back than was captured', 1],
  ] as const)(
    'the network’s money shown as a dispute that was lost is one money: %s',
    (_name, tookMinor, byNetwork, expected, otherMinor) => {
      const movements = [
        movementOf({ id: 'mv_1', kind: 'chargeback', amountMinor: tookMinor }),
        movementOf({ id: 'mv_2', kind: 'network', amountMinor: byNetwork }),
        movementOf({ id: 'mv_3', amountMinor: otherMinor }),
      ];
      expect(paidTooOften(ledgerOf({ movements }))).toBe(expected);
    },
  );

  it('a chargeback beside the network’s money in another currency is counted whole', () => {
    const movements = [
      movementOf({ id: 'mv_1', kind: 'chargeback' }),
      movementOf({ id: 'mv_2', kind: 'network', currency: 'GBP' }),
      movementOf({ id: 'mv_3', amountMinor: 1 }),
    ];
    expect(paidTooOften(ledgerOf({ movements }))).toBe('more went back than was captured');
  });

  it('a chargeback beside a refund is paid too often', () => {
    const movements = [
      movementOf({ id: 'mv_1', kind: 'chargeback' }),
      movementOf({ id: 'mv_2', amountMinor: 1 }),
    ];
    expect(paidTooOften(ledgerOf({ movements }))).toBe('more went back than was captured');
  });

  it('is money for a dispute that was accepted', () => {
    const alerts = [alertOf({ isAccepted: true })];
    const accepted = (movement: Movement, disputeId = 'dsp_1') =>
      paidTooOften(
        ledgerOf({ movements: [movement], disputes: [disputeOfId(disputeId, { alerts })] }),
      );
    expect(accepted(movementOf({ covers }))).toBe(
      'money went back for a dispute that was accepted',
    );
    expect(accepted(movementOf({ covers }), 'dsp_2')).toBeUndefined();
    expect(accepted(movementOf({ covers, state: 'REVERSED' }))).toBeUndefined();
  });

  it.each([
    ['less than people were told of when they accepted', 1999, 'money went back'],
    ['as much as they were told of', 2000, undefined],
    ['more than that was told', 2001, undefined],
  ])('is not news: %s', (_name, despiteMinor, expected) => {
    const alerts = [
      alertOf({ isAccepted: true, despiteMinor }),
      alertOf({ alertId: 'netalrt_2', isAccepted: true }),
    ];
    const movement = movementOf({
      amountMinor: 2000,
      covers: [{ disputeId: 'dsp_1', amountMinor: 2000 }],
    });
    const ledger = ledgerOf({
      movements: [movement],
      disputes: [disputeOfId('dsp_1', { alerts })],
    });
    const said = paidTooOften(ledger);
    if (expected === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(expected);
  });

  it('is somebody else’s money that answers nothing, beside ours', () => {
    const ours = oursOf('dsp_1', { amountMinor: 2000 });
    const beside = movementOf({ amountMinor: 1000 });
    const why = 'somebody else refunded beside our own refund';
    expect(paidTooOften(ledgerOf({ movements: [ours, beside] }))).toBe(why);
    expect(paidTooOften(ledgerOf({ movements: [beside] }))).toBeUndefined();
    const answered = { ...beside, covers: [{ disputeId: 'dsp_2', amountMinor: 1000 }] };
    expect(paidTooOften(ledgerOf({ movements: [ours, answered] }))).toBeUndefined();
    const refused = oursOf('dsp_1', { amountMinor: 2000, state: 'REJECTED' });
    expect(paidTooOften(ledgerOf({ movements: [refused, beside] }))).toBeUndefined();
    const released = oursOf('dsp_1', { kind: 'void', amountMinor: 0 });
    expect(paidTooOften(ledgerOf({ movements: [released, beside] }))).toBeUndefined();
  });
});

describe('for any ledger', () => {
  const state = fc.constantFrom(...STATES.map(([name]) => name));
  const movement = fc
    .record({
      isOwn: fc.boolean(),
      state,
      amountMinor: fc.integer({ min: 0, max: 3000 }),
      share: fc.integer({ min: 0, max: 100 }),
      disputeId: fc.constantFrom('dsp_1', 'dsp_2'),
    })
    .map(({ isOwn, share, disputeId, ...rest }) => {
      const covers = [{ disputeId, amountMinor: Math.floor((rest.amountMinor * share) / 100) }];
      return isOwn ? oursOf(disputeId, { ...rest, covers }) : movementOf({ ...rest, covers });
    });
  const ledger: fc.Arbitrary<Ledger> = fc
    .array(movement, { maxLength: 6 })
    .map((movements) =>
      ledgerOf({ movements, disputes: [disputeOfId('dsp_1'), disputeOfId('dsp_2')] }),
    );
  const claim = fc.record({
    disputeId: fc.constantFrom('dsp_1', 'dsp_2', null),
    amountMinor: fc.integer({ min: 1, max: 5000 }),
    currency: fc.constantFrom('EUR', 'USD'),
  });

  it('another currency is covered by the whole charge only', () => {
    fc.assert(
      fc.property(ledger, claim, fc.boolean(), (given, wanted, counts) => {
        const covered = isCovered(given, { ...wanted, currency: 'USD' }, counts);
        expect(covered).toBe(isWhollyReturned(given, counts));
      }),
    );
  });

  it('covered money of two disputes is never counted twice, and what is out bounds what is settled', () => {
    fc.assert(
      fc.property(ledger, fc.boolean(), (given, counts) => {
        const sum = coverOf(given, 'dsp_1', counts) + coverOf(given, 'dsp_2', counts);
        expect(sum).toBeLessThanOrEqual(outMinor(given));
        expect(coverOf(given, 'dsp_1', counts)).toBeLessThanOrEqual(outForDispute(given, 'dsp_1'));
        expect(coverOf(given, 'dsp_1', false)).toBeLessThanOrEqual(coverOf(given, 'dsp_1', true));
      }),
    );
  });

  it('where nothing forbids to accept, no money may have gone back for the dispute', () => {
    fc.assert(
      fc.property(ledger, (given) => {
        if (objectionToAccept(given, 'dsp_1') === undefined) {
          expect(outForDispute(given, 'dsp_1')).toBe(0);
        }
      }),
    );
  });
});

describe('money of the network in another currency than the charge', () => {
  /** 50.00 EUR captured; the network gave back 60.00 USD for a complaint about it. */
  const network = movementOf({
    kind: 'network',
    currency: 'USD',
    amountMinor: 6000,
    disputeId: 'dsp_1',
    observedFrom: 'netalrt_rdr',
  });
  const ledger = ledgerOf({ movements: [network], disputes: [disputeOfId('dsp_1')] });
  const claim = { disputeId: 'dsp_1', amountMinor: 5000, currency: 'EUR' };

  it('is no number to compare with the captured amount: nobody can say how much of it went back', () => {
    expect(outMinor(ledger)).toBe(0);
    expect(isWhollyReturned(ledger, true)).toBe(false);
    expect(isCovered(ledger, claim, true)).toBe(false);
    expect(roomMinor(ledger)).toBe(0);
    expect(roomMinor({ ...ledger, movements: [{ ...network, amountMinor: 1 }] })).toBe(0);
    expect(paidTooOften(ledger)).toBeUndefined();
    expect(roomMinor({ ...ledger, movements: [{ ...network, amountMinor: 0 }] })).toBe(5000);
  });

  it('covers an alert of its dispute that asks for as much in the same currency (L4)', () => {
    const inDollars = { ...claim, currency: 'USD' };
    expect(isCovered(ledger, { ...inDollars, amountMinor: 6000 }, false)).toBe(true);
    expect(isCovered(ledger, { ...inDollars, amountMinor: 6001 }, false)).toBe(false);
    expect(isCovered(ledger, { ...claim, currency: 'GBP' }, false)).toBe(false);
    const elsewhere = { ...ledger, movements: [{ ...network, disputeId: 'dsp_2' }] };
    expect(isCovered(elsewhere, { ...inDollars, amountMinor: 6000 }, false)).toBe(false);
    const loose = { ...ledger, movements: [{ ...network, disputeId: null }] };
    const nobodys = { ...inDollars, disputeId: null };
    expect(isCovered(loose, nobodys, false)).toBe(false);
    const pending = { ...ledger, movements: [{ ...network, state: 'PENDING' as const }] };
    // What the processor says of pending refunds is no word about the network's.
    expect([false, true].map((counts) => isCovered(pending, inDollars, counts))).toEqual([
      false,
      false,
    ]);
    const reversed = { ...network, state: 'REVERSED', amountMinor: 0 } as const;
    expect(isCovered({ ...ledger, movements: [reversed] }, inDollars, false)).toBe(false);
  });

  it('stands against accepting its dispute, and no other (L5)', () => {
    expect(objectionToAccept(ledger, 'dsp_1')).toEqual({
      kind: 'part_went_back',
      amountMinor: 6000,
      currency: 'USD',
      movementId: 'mv_1',
    });
    expect(objectionToAccept(ledger, 'dsp_2')).toBeUndefined();
    // What went back in the charge's own currency is another sum.
    const own = oursOf('dsp_1', { id: 'mv_2', amountMinor: 700 });
    const both = { ...ledger, movements: [network, own] };
    expect(objectionToAccept(both, 'dsp_1')).toMatchObject({ amountMinor: 6000, currency: 'USD' });
  });

  it('is told where its dispute was accepted, unless a person was told before', () => {
    const accepted = (despiteMinor: number): Ledger => ({
      ...ledger,
      disputes: [disputeOfId('dsp_1', { alerts: [alertOf({ isAccepted: true, despiteMinor })] })],
    });
    const why = 'money went back for a dispute that was accepted';
    expect(paidTooOften(accepted(0))).toBe(why);
    expect(paidTooOften(accepted(6000))).toBeUndefined();
    const another = { ...accepted(0), movements: [{ ...network, disputeId: 'dsp_2' }] };
    expect(paidTooOften(another)).toBeUndefined();
  });
});
