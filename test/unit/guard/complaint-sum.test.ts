/** Guarantee: the limit for one person counts what one complaint gets by Forestall and by people's words, in its currency, once (A4). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentForComplaint } from '../../../src/alerts/guard/complaint-sum.ts';
import type { Movement } from '../../../src/alerts/ledger/ledger.ts';
import { ledgerOf, movementOf, oursOf } from '../ledger/fixtures.ts';

const asked = { disputeId: 'dsp_1', currency: 'EUR' };
const sum = (movements: readonly Movement[], over: { except?: string } = {}) =>
  sentForComplaint(ledgerOf({ movements }), { ...asked, ...over });

describe('what one complaint gets', () => {
  it('is nothing while nobody knows which complaint it is', () => {
    const movements = [oursOf('dsp_1'), movementOf({ observedFrom: 'operator:ada' })];
    const ledger = ledgerOf({ movements });
    expect(sentForComplaint(ledger, { disputeId: null, currency: 'EUR' })).toBe(0);
  });

  it.each<[string, Movement, number]>([
    ['ours', oursOf('dsp_1', { amountMinor: 700 }), 700],
    ['ours that waits for its answer', oursOf('dsp_1', { amountMinor: 700, state: 'SENT' }), 700],
    ['ours that nobody knows about', oursOf('dsp_1', { amountMinor: 700, state: 'UNKNOWN' }), 700],
    ['ours that was refused', oursOf('dsp_1', { amountMinor: 700, state: 'REJECTED' }), 0],
    ['ours that never left', oursOf('dsp_1', { amountMinor: 700, state: 'NOT_SENT' }), 0],
    ['ours for another complaint', oursOf('dsp_2', { amountMinor: 700 }), 0],
    ['ours in another currency', oursOf('dsp_1', { amountMinor: 700, currency: 'GBP' }), 0],
    [
      'what a person says was refunded outside',
      movementOf({ disputeId: 'dsp_1', amountMinor: 700, observedFrom: 'operator:ada' }),
      700,
    ],
    [
      'what others refunded at the processor',
      movementOf({ disputeId: 'dsp_1', amountMinor: 700, observedFrom: 'processor' }),
      0,
    ],
    [
      'money of which nobody said anything',
      movementOf({ disputeId: 'dsp_1', observedFrom: null }),
      0,
    ],
    [
      'the bank’s chargeback',
      movementOf({ kind: 'chargeback', disputeId: 'dsp_1', observedFrom: 'operator:ada' }),
      0,
    ],
  ])('%s', (_what, movement, expected) => {
    expect(sum([movement])).toBe(expected);
  });

  it('does not count the movement that is judged', () => {
    const movements = [
      oursOf('dsp_1', { id: 'mv_a', amountMinor: 300 }),
      oursOf('dsp_1', { id: 'mv_b', amountMinor: 40 }),
    ];
    expect(sum(movements)).toBe(340);
    expect(sum(movements, { except: 'mv_a' })).toBe(40);
    expect(sum(movements, { except: 'mv_x' })).toBe(340);
  });

  it('grows by what is sent, so that no limit is passed in parts', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 6 }), (parts) => {
        const movements = parts.map((amountMinor, at) =>
          oursOf('dsp_1', { id: `mv_${at}`, amountMinor }),
        );
        expect(sum(movements)).toBe(parts.reduce((total, each) => total + each, 0));
      }),
    );
  });
});
