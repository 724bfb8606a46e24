/** Guarantee: each refund that the processor shows is the movement it belongs to, and no other, and a release that was captured after all is undone. */
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/alerts/ledger/ledger.ts';
import type { MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import {
  isAnotherAmount,
  isCountedAs,
  isShownAsStored,
  readingChanges,
} from '../../../src/alerts/ledger/reading-changes.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/service/wire/processor.ts';
import { chargeOf, ledgerOf, movementOf, oursOf, refundOf } from './fixtures.ts';

const NEXT = 'fst_3';

function changes(ledger: Partial<Ledger>, charge: Partial<ProcessorCharge>) {
  return readingChanges(ledgerOf(ledger), chargeOf(charge), NEXT);
}

describe('two movements of ours', () => {
  const first = oursOf('dsp_1', { id: 'mv_1', key: 'fst_1', reference: 're_1' });
  const second = oursOf('dsp_2', { id: 'mv_2', key: 'fst_2', reference: 're_2' });
  const movements = [first, second];

  it.each([
    ['by their keys', 'fst_1', 'fst_2'],
    ['by their references', null, null],
  ])('are told apart %s, and somebody else’s refund is neither', (_name, firstKey, secondKey) => {
    const refunds = [
      refundOf({ reference: 're_2', idempotencyKey: secondKey }),
      refundOf({ reference: 're_1', idempotencyKey: firstKey }),
      refundOf({ reference: 'su_1', amountMinor: 700 }),
    ];
    expect(changes({ movements }, { refunds })).toEqual({
      own: [
        { movement: first, refund: refunds[1] },
        { movement: second, refund: refunds[0] },
      ],
      repeated: [],
      observed: [
        {
          kind: 'external',
          movement: undefined,
          reference: 'su_1',
          state: 'CONFIRMED',
          amountMinor: 700,
          currency: 'EUR',
          movedAt: null,
        },
      ],
      forgotten: undefined,
    });
  });
});

it('two of ours without references are told apart by their keys', () => {
  const movements = ['fst_1', 'fst_2'].map((key) =>
    oursOf('dsp_1', { id: key, key, state: 'UNKNOWN', reference: null }),
  );
  const refunds = ['fst_2', 'fst_1'].map((key) =>
    refundOf({ reference: key, idempotencyKey: key }),
  );
  const { own } = changes({ movements }, { refunds });
  expect(own.map(({ movement, refund }) => [movement.key, refund.reference])).toEqual([
    ['fst_1', 'fst_1'],
    ['fst_2', 'fst_2'],
  ]);
});

it('a refund under the next key that stands as somebody else’s is not forgotten again', () => {
  const stands = movementOf();
  const refund = refundOf({ idempotencyKey: NEXT });
  expect(changes({ movements: [stands] }, { refunds: [refund] })).toMatchObject({
    forgotten: undefined,
    observed: [],
  });
});

describe('shown as stored', () => {
  const shown = (state: MovementState, over: Partial<ProcessorRefund> = {}): boolean =>
    isShownAsStored({ movement: oursOf('dsp_1', { state }), refund: refundOf(over) });

  it.each<[MovementState, ProcessorRefund['status'], boolean]>([
    ['CONFIRMED', 'succeeded', true],
    ['PENDING', 'pending', true],
    ['REJECTED', 'failed', true],
    ['UNKNOWN', 'succeeded', false],
    ['PENDING', 'succeeded', false],
    ['CONFIRMED', 'failed', false],
    // What is shown as made after all is booked beside it.
    ['REVERSED', 'succeeded', true],
    ['REVERSED', 'failed', true],
  ])('%s, shown as %s: %s', (state, status, expected) => {
    expect(shown(state, { status })).toBe(expected);
  });

  it('another amount is, once ours has ended by it', () => {
    expect(shown('REJECTED', { amountMinor: 4999 })).toBe(true);
    expect(shown('UNKNOWN', { amountMinor: 4999 })).toBe(false);
  });
});

describe('what ours counts itself', () => {
  it('is what it asked for, though we took it for refused', () => {
    const refused = oursOf('dsp_1', { state: 'REJECTED' });
    expect(isCountedAs(refused, refundOf())).toBe(true);
    expect(isCountedAs(refused, refundOf({ currency: 'USD' }))).toBe(false);
  });

  it('a failed attempt at another amount is no other amount', () => {
    const unknown = oursOf('dsp_1', { state: 'UNKNOWN' });
    expect(isAnotherAmount(unknown, refundOf({ amountMinor: 4000, status: 'failed' }))).toBe(false);
  });
});

describe('a release of ours', () => {
  const release = oursOf('dsp_1', { kind: 'void', amountMinor: 0 });
  const undone = (movements: Ledger['movements'], status: ProcessorCharge['status']) =>
    changes({ movements }, { status }).own;

  it('of a charge that is shown as captured has failed', () => {
    expect(undone([release], 'captured')).toEqual([
      {
        movement: release,
        refund: {
          reference: 'ch_1',
          idempotencyKey: 'fst_1',
          chargeReference: 'ch_1',
          status: 'failed',
          failureCode: 'captured_after_release',
          failureClass: 'final',
          amountMinor: 0,
          currency: 'EUR',
          createdAt: null,
        },
      },
    ]);
  });

  it.each(['voided', 'authorised', 'declined'] as const)('stands while it is %s', (status) => {
    expect(undone([release], status)).toEqual([]);
  });

  it('that is not confirmed, and a refund, are not undone by a capture', () => {
    expect(undone([{ ...release, state: 'UNKNOWN' }], 'captured')).toEqual([]);
    expect(undone([oursOf('dsp_1')], 'captured')).toEqual([]);
  });
});

describe('what was observed before', () => {
  it('and is gone keeps its kind and reference', () => {
    const gone = (over: Parameters<typeof movementOf>[0]) =>
      changes({ movements: [movementOf(over)] }, {}).observed;
    expect(gone({})).toMatchObject([{ kind: 'external', reference: 're_1', state: 'REVERSED' }]);
    expect(gone({ kind: 'void' })).toMatchObject([{ kind: 'void' }]);
    expect(gone({ reference: null })).toMatchObject([{ kind: 'external', reference: 'mv_1' }]);
  });

  it('is not what the bank takes back beside it', () => {
    const refunds = [refundOf({ amountMinor: 2000 })];
    const external = movementOf({ amountMinor: 2000 });
    const charge = { disputed: true, refundableMinor: 0, refunds };
    expect(changes({ movements: [external] }, charge).observed).toEqual([
      {
        kind: 'chargeback',
        movement: undefined,
        reference: 'ch_1',
        state: 'CONFIRMED',
        amountMinor: 3000,
        currency: 'EUR',
      },
    ]);
  });
});
