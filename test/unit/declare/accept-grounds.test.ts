/** Guarantee: what an accepted dispute says follows from the charge, as the domain rules state. */
import { describe, expect, it } from 'vitest';
import { acceptNoteOf } from '../../../src/alerts/declare/decided-accept-step.ts';
import type { ProcessorCharge } from '../../../src/service/wire/processor.ts';
import { chargeOf, refundOf } from '../ledger/fixtures.ts';

const CHARGE = chargeOf({ amountMinor: 2_900, currency: 'USD', refundableMinor: 2_900 });
const REFUND = refundOf({ amountMinor: 2_900, currency: 'USD' });

describe('acceptNoteOf', () => {
  it.each<[string, Partial<ProcessorCharge>, string]>([
    ['a payment that was declined', { status: 'declined' }, 'payment was declined'],
    ['a payment that was released', { status: 'voided' }, 'payment was never captured'],
    ['money the bank took back', { disputed: true, refundableMinor: 0 }, 'already charged back'],
    ['a dispute that is open', { disputed: true }, 'dispute open already'],
    [
      'a dispute on a charge that was refunded in full: nothing was taken back',
      { disputed: true, refundableMinor: 0, refunds: [REFUND] },
      'dispute open already',
    ],
    ['a charge past its refund window', { refundableMinor: 0 }, 'not refunded'],
    ['a charge of which nothing particular is known', {}, 'not refunded'],
  ])('of %s', (_, changes, note) => {
    expect(acceptNoteOf({ ...CHARGE, ...changes })).toBe(note);
  });
});
