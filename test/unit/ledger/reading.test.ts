/** Guarantee: what the processor shows is written as it is: ours is recognised, the rest is read again, and absence proves nothing about ours. */
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/alerts/ledger/ledger.ts';
import {
  isAnotherAmount,
  isChargedBack,
  readingChanges,
} from '../../../src/alerts/ledger/reading-changes.ts';
import type { ProcessorCharge } from '../../../src/service/wire/processor.ts';
import { chargeOf, ledgerOf, movementOf, oursOf, refundOf } from './fixtures.ts';

const NEXT = 'fst_2';

function changes(ledger: Partial<Ledger>, charge: Partial<ProcessorCharge>) {
  return readingChanges(ledgerOf(ledger), chargeOf(charge), NEXT);
}

const NOTHING = { own: [], repeated: [], observed: [], forgotten: undefined };

describe('ours', () => {
  const ours = oursOf('dsp_1', { state: 'UNKNOWN', reference: null });

  it('is recognised by its key', () => {
    const refund = refundOf({ idempotencyKey: 'fst_1', reference: 're_9' });
    expect(changes({ movements: [ours] }, { refunds: [refund] })).toEqual({
      ...NOTHING,
      own: [{ movement: ours, refund }],
    });
  });

  it('is recognised by its reference, where the processor does not show keys', () => {
    const known = oursOf('dsp_1', { reference: 're_1' });
    const refund = refundOf({ idempotencyKey: null });
    expect(changes({ movements: [known] }, { refunds: [refund] }).own).toEqual([
      { movement: known, refund },
    ]);
  });

  it('that is not listed is not touched', () => {
    const known = oursOf('dsp_1');
    expect(changes({ movements: [known, ours] }, {})).toEqual(NOTHING);
  });

  it('is never one that did not leave, though it has the key of the next request', () => {
    const kept = oursOf('dsp_1', { id: 'mv_1', key: 'fst_2', state: 'NOT_SENT', reference: null });
    const sent = oursOf('dsp_2', { id: 'mv_2', key: 'fst_2', state: 'UNKNOWN', reference: null });
    const refund = refundOf({ idempotencyKey: 'fst_2' });
    expect(changes({ movements: [kept, sent] }, { refunds: [refund] }).own).toEqual([
      { movement: sent, refund },
    ]);
    expect(changes({ movements: [kept] }, { refunds: [refund] })).toMatchObject({
      own: [],
      forgotten: refund,
    });
  });

  it('under the next key was forgotten by our rows, unless it failed or is known', () => {
    const refund = refundOf({ idempotencyKey: NEXT });
    expect(changes({}, { refunds: [refund] })).toEqual({ ...NOTHING, forgotten: refund });
    const failed = { ...refund, status: 'failed' as const };
    expect(changes({}, { refunds: [failed] })).toEqual(NOTHING);
    const known = oursOf('dsp_1', { key: 'fst_2', state: 'UNKNOWN', reference: null });
    expect(changes({ movements: [known] }, { refunds: [refund] })).toEqual({
      ...NOTHING,
      own: [{ movement: known, refund }],
    });
  });
});

describe('another amount under our key', () => {
  const shown = refundOf({ idempotencyKey: 'fst_1', reference: 're_9', amountMinor: 3000 });
  const observed = {
    kind: 'external',
    movement: undefined,
    reference: 're_9',
    state: 'CONFIRMED',
    amountMinor: 3000,
    currency: 'EUR',
    // The processor does not say when.
    movedAt: null,
    disputeId: 'dsp_1',
  };

  it.each(['UNKNOWN', 'HUMAN', 'PENDING', 'REJECTED'] as const)(
    'is booked for its dispute as it is shown, where ours is %s',
    (state) => {
      const ours = oursOf('dsp_1', { state, reference: null });
      expect(changes({ movements: [ours] }, { refunds: [shown] })).toEqual({
        ...NOTHING,
        own: [{ movement: ours, refund: shown }],
        observed: [observed],
      });
    },
  );

  it.each(['SENT', 'CONFIRMED'] as const)(
    'is left to whoever holds it, or to the comparison, where ours is %s',
    (state) => {
      const ours = oursOf('dsp_1', { state, reference: null });
      expect(changes({ movements: [ours] }, { refunds: [shown] }).observed).toEqual([]);
    },
  );

  it.each([
    ['the same amount', { amountMinor: 5000 }],
    ['another currency', { currency: 'USD' }],
    ['a refund that failed', { status: 'failed' as const }],
  ])('is none: %s', (_name, over) => {
    const ours = oursOf('dsp_1', { state: 'UNKNOWN', reference: null });
    expect(changes({ movements: [ours] }, { refunds: [{ ...shown, ...over }] }).observed).toEqual(
      [],
    );
  });

  it('is none of a void', () => {
    const ours = oursOf('dsp_1', { kind: 'void', amountMinor: 0, state: 'UNKNOWN' });
    expect(isAnotherAmount(ours, shown)).toBe(false);
  });

  it('is the money that a person has said already', () => {
    const ours = oursOf('dsp_1', { state: 'REJECTED', reference: 're_9' });
    const said = movementOf({ reference: 're_9', amountMinor: 3000, observedFrom: 'operator:ada' });
    const beside = movementOf({ id: 'mv_3', kind: 'network', reference: 're_9' });
    const movements = [ours, { ...beside, observedFrom: 'netalrt_r' }, { ...said, id: 'mv_4' }];
    expect(changes({ movements }, { refunds: [shown] }).observed).toEqual([]);
    const less = { ...shown, amountMinor: 2500 };
    expect(changes({ movements }, { refunds: [less] }).observed).toMatchObject([
      { movement: { id: 'mv_4' }, amountMinor: 2500 },
    ]);
  });
});

describe('several refunds under one key', () => {
  const ours = oursOf('dsp_1');
  const first = refundOf({ idempotencyKey: 'fst_1' });
  const second = refundOf({ idempotencyKey: 'fst_1', reference: 're_2', amountMinor: 700 });
  const failed = { ...second, status: 'failed' as const };

  it.each([
    ['before', [second, first]],
    ['after', [first, second]],
  ])(
    'the one that ours was settled by is ours; one that stands %s it is money of its own',
    (_name, refunds) => {
      expect(changes({ movements: [ours] }, { refunds })).toMatchObject({
        own: [{ movement: ours, refund: first }],
        repeated: [second],
        observed: [
          {
            kind: 'external',
            reference: 're_2',
            amountMinor: 700,
            state: 'CONFIRMED',
            disputeId: 'dsp_1',
          },
        ],
      });
    },
  );

  it.each([
    ['before', [failed, first]],
    ['after', [first, failed]],
  ])('a failed one that stands %s the one that moved money says nothing', (_name, refunds) => {
    const own = [{ movement: ours, refund: first }];
    expect(changes({ movements: [ours] }, { refunds })).toEqual({ ...NOTHING, own });
  });

  it('where ours failed, the one that moved money in its place is ours', () => {
    const gone = { ...first, status: 'failed' as const };
    const own = [{ movement: ours, refund: second }];
    expect(changes({ movements: [ours] }, { refunds: [gone, second] })).toEqual({
      ...NOTHING,
      own,
    });
  });

  it('of none that is known yet, a settled one comes before one that is pending', () => {
    const open = oursOf('dsp_1', { state: 'UNKNOWN', reference: null });
    const pending = { ...second, status: 'pending' as const };
    expect(changes({ movements: [open] }, { refunds: [pending, first] })).toMatchObject({
      own: [{ refund: first }],
      observed: [{ reference: 're_2', state: 'PENDING' }],
    });
  });
});

describe('what ours does not count', () => {
  it.each([
    ['one that had failed before', { state: 'REVERSED' as const }, {}],
    ['a refused one in another currency', { state: 'REJECTED' as const }, { currency: 'USD' }],
  ])('is money of its own: %s', (_name, over, shown) => {
    const ours = oursOf('dsp_1', { reference: null, ...over });
    const refund = refundOf({ idempotencyKey: 'fst_1', ...shown });
    expect(changes({ movements: [ours] }, { refunds: [refund] }).observed).toMatchObject([
      {
        kind: 'external',
        reference: 're_1',
        state: 'CONFIRMED',
        amountMinor: 5000,
        disputeId: 'dsp_1',
      },
    ]);
  });
});

describe('somebody else’s refund', () => {
  it.each([
    ['succeeded', 'CONFIRMED'],
    ['pending', 'PENDING'],
  ] as const)('%s is observed as %s', (status, state) => {
    const refund = refundOf({ status, amountMinor: 700, currency: 'GBP', reference: 'su_1' });
    expect(changes({}, { refunds: [refund] }).observed).toEqual([
      {
        kind: 'external',
        movement: undefined,
        reference: 'su_1',
        state,
        amountMinor: 700,
        currency: 'GBP',
        movedAt: null,
      },
    ]);
  });

  it('that failed is nothing new, and takes back what was observed before', () => {
    const refund = refundOf({ status: 'failed' });
    expect(changes({}, { refunds: [refund] })).toEqual(NOTHING);
    const movement = movementOf();
    expect(changes({ movements: [movement] }, { refunds: [refund] }).observed).toEqual([
      {
        kind: 'external',
        movement,
        reference: 're_1',
        state: 'REVERSED',
        amountMinor: 0,
        currency: 'EUR',
        movedAt: null,
      },
    ]);
  });

  it('as it is stored already changes nothing', () => {
    expect(changes({ movements: [movementOf()] }, { refunds: [refundOf()] })).toEqual(NOTHING);
    const gone = movementOf({ state: 'REVERSED', amountMinor: 0 });
    expect(changes({ movements: [gone] }, { refunds: [refundOf({ status: 'failed' })] })).toEqual(
      NOTHING,
    );
    expect(changes({ movements: [gone] }, {})).toEqual(NOTHING);
  });

  it.each([
    ['another amount', { amountMinor: 4999 }],
    ['another currency', { currency: 'USD' }],
    ['another state', { status: 'pending' as const }],
  ])('with %s is written again', (_name, over) => {
    const [change] = changes({ movements: [movementOf()] }, { refunds: [refundOf(over)] }).observed;
    expect(change).toMatchObject({ movement: { id: 'mv_1' }, reference: 're_1' });
  });

  it('that is no longer listed is no longer there', () => {
    const movement = movementOf({ reference: 'su_1' });
    const other = refundOf({ reference: 'su_2' });
    const { observed } = changes({ movements: [movement] }, { refunds: [other] });
    expect(observed.map(({ reference, state }) => [reference, state])).toEqual([
      ['su_2', 'CONFIRMED'],
      ['su_1', 'REVERSED'],
    ]);
    expect(observed[1]).toMatchObject({ movement, amountMinor: 0 });
  });

  it('does not touch what a person or the network said', () => {
    const movements = [
      movementOf({ observedFrom: 'operator:ada' }),
      movementOf({ id: 'mv_2', kind: 'network', observedFrom: 'netalrt_r', reference: null }),
    ];
    expect(changes({ movements }, {})).toEqual(NOTHING);
    // Another reference at the processor is a movement of its own.
    const other = refundOf({ reference: 're_2' });
    expect(changes({ movements }, { refunds: [other] }).observed).toMatchObject([
      { movement: undefined, reference: 're_2' },
    ]);
  });

  it('that a person had named by its reference is that movement, and follows what is shown', () => {
    const said = movementOf({ observedFrom: 'operator:ada' });
    expect(changes({ movements: [said] }, { refunds: [refundOf()] })).toEqual(NOTHING);
    const less = refundOf({ amountMinor: 700 });
    expect(changes({ movements: [said] }, { refunds: [less] }).observed).toMatchObject([
      { movement: said, amountMinor: 700 },
    ]);
  });

  it('that the list names twice is one', () => {
    const refund = refundOf();
    expect(changes({}, { refunds: [refund, { ...refund }] }).observed).toHaveLength(1);
    const ours = oursOf('dsp_1');
    const twice = [refundOf({ idempotencyKey: 'fst_1' }), refundOf({ idempotencyKey: 'fst_1' })];
    expect(changes({ movements: [ours] }, { refunds: twice })).toEqual({
      ...NOTHING,
      own: [{ movement: ours, refund: twice[0] }],
    });
  });
});

describe('the charge itself', () => {
  const voided = { status: 'voided' as const, refundableMinor: 0 };
  const seen = {
    kind: 'void',
    movement: undefined,
    reference: 'ch_1',
    state: 'CONFIRMED',
    amountMinor: 0,
    currency: 'EUR',
  };

  it('released by somebody else is observed, once', () => {
    expect(changes({}, voided).observed).toEqual([seen]);
    const stored = movementOf({ kind: 'void', amountMinor: 0, reference: 'ch_1' });
    expect(changes({ movements: [stored] }, voided)).toEqual(NOTHING);
    // Not released after all.
    expect(changes({ movements: [stored] }, {}).observed).toMatchObject([
      { kind: 'void', state: 'REVERSED' },
    ]);
  });

  it.each(['SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'HUMAN'] as const)(
    'released by our own void (%s) is not somebody else’s',
    (state) => {
      const ours = oursOf('dsp_1', { kind: 'void', amountMinor: 0, state });
      expect(changes({ movements: [ours] }, voided).observed).toEqual([]);
    },
  );

  it.each(['REJECTED', 'NOT_SENT'] as const)(
    'released beside a void of ours that came to nothing (%s) is',
    (state) => {
      const ours = oursOf('dsp_1', { kind: 'void', amountMinor: 0, state });
      expect(changes({ movements: [ours] }, voided).observed).toEqual([seen]);
      const refund = oursOf('dsp_1', { state: 'CONFIRMED' });
      expect(changes({ movements: [refund] }, voided).observed).toEqual([seen]);
    },
  );

  it('taken back by the bank is observed with what was left', () => {
    const refunds = [
      refundOf({ amountMinor: 2000 }),
      refundOf({ reference: 're_2', status: 'failed' }),
    ];
    const charge = { disputed: true, refundableMinor: 0, refunds };
    expect(changes({}, charge).observed).toMatchObject([
      { kind: 'external', amountMinor: 2000 },
      { kind: 'chargeback', reference: 'ch_1', state: 'CONFIRMED', amountMinor: 3000 },
    ]);
    const stored = movementOf({ kind: 'chargeback', reference: 'ch_1', amountMinor: 3000 });
    const external = movementOf({ id: 'mv_2', amountMinor: 2000 });
    expect(changes({ movements: [stored, external] }, charge)).toEqual(NOTHING);
    // Won: the money is back at the merchant.
    const won = changes({ movements: [stored] }, { disputed: false });
    expect(won.observed).toMatchObject([{ kind: 'chargeback', state: 'REVERSED', amountMinor: 0 }]);
  });
});

describe('charged back', () => {
  it.each<[string, Partial<ProcessorCharge>, boolean]>([
    ['disputed, nothing left, nobody refunded', { disputed: true, refundableMinor: 0 }, true],
    [
      'a part refunded before',
      { disputed: true, refundableMinor: 0, refunds: [refundOf({ amountMinor: 4999 })] },
      true,
    ],
    ['all of it refunded', { disputed: true, refundableMinor: 0, refunds: [refundOf()] }, false],
    [
      'refunded, some of it pending',
      {
        disputed: true,
        refundableMinor: 0,
        refunds: [
          refundOf({ amountMinor: 4000 }),
          refundOf({ amountMinor: 1000, status: 'pending' }),
        ],
      },
      false,
    ],
    [
      'refunded, and that failed',
      { disputed: true, refundableMinor: 0, refunds: [refundOf({ status: 'failed' })] },
      true,
    ],
    ['something left', { disputed: true, refundableMinor: 1 }, false],
    ['not disputed', { refundableMinor: 0 }, false],
    ['never captured', { disputed: true, refundableMinor: 0, status: 'authorised' }, false],
  ])('%s: %#', (_name, over, expected) => {
    expect(isChargedBack(chargeOf(over))).toBe(expected);
  });
});
