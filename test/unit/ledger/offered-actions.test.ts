/** Guarantee: what a person is offered follows from their own alert and its dispute, and from no other of the charge (L7). */
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/alerts/ledger/ledger.ts';
import { offeredActions, rests } from '../../../src/alerts/review/offered-actions.ts';
import { whyNoRefund } from '../../../src/alerts/review/persons-verdict.ts';
import { alertOf, disputeOfId, ledgerOf, movementOf, oursOf } from './fixtures.ts';

const PART = { amountMinor: 2000 };
const OTHER = alertOf({ alertId: 'netalrt_2', ...PART });

function offered(over: Partial<Ledger>): string[] {
  const ledger = ledgerOf(over);
  const of = { state: 'HUMAN', alertId: 'netalrt_1', isBeforeDeadline: true, ledger } as const;
  return [...offeredActions(of)].sort();
}

describe('the alert', () => {
  const beside = disputeOfId('dsp_2', { ...PART, alerts: [OTHER] });

  it('of the same part again is joined or separated before it is refunded', () => {
    expect(offered({ disputes: [beside], unplaced: [alertOf(PART)] })).toEqual([
      'ACCEPT_DISPUTE',
      'JOIN_DISPUTE',
      'NOT_OURS',
      'RETRY',
      'SEPARATE_DISPUTE',
    ]);
  });

  it('is joined and separated although another one is not placed either', () => {
    const unplaced = [alertOf(PART), alertOf({ ...PART, alertId: 'netalrt_3' })];
    expect(offered({ disputes: [beside], unplaced })).toEqual(
      expect.arrayContaining(['JOIN_DISPUTE', 'SEPARATE_DISPUTE']),
    );
  });

  it('is not where only another one is not placed', () => {
    const own = disputeOfId('dsp_1', { alerts: [alertOf()] });
    const unplaced = [alertOf({ ...PART, alertId: 'netalrt_3' })];
    for (const disputes of [[own], [beside], []]) {
      const actions = offered({ disputes, unplaced });
      expect(actions).not.toContain('JOIN_DISPUTE');
      expect(actions).not.toContain('SEPARATE_DISPUTE');
    }
  });

  it('is refunded only as far as the charge allows, as the processor last showed it', () => {
    const own = disputeOfId('dsp_1', { alerts: [alertOf()] });
    const other = (amountMinor: number) => [
      oursOf('dsp_2', { amountMinor, covers: [{ disputeId: 'dsp_2', amountMinor }] }),
    ];
    const asked = { alertId: 'netalrt_1', isTimeLeft: true };
    const why = (over: Partial<Ledger>, amountMinor: number | null = null) =>
      whyNoRefund(
        { ...asked, ledger: ledgerOf({ disputes: [own, beside], ...over }) },
        amountMinor,
      );
    expect(why({})).toBeUndefined();
    expect(why({ isDisputed: true })).toBe('disputed');
    expect(why({ status: 'voided' })).toBe('nothing_to_refund');
    expect(why({ status: 'authorised' })).toBeUndefined();
    expect(why({ status: 'authorised' }, 4999)).toBe('whole_authorisation');
    // Nobody has asked the processor yet.
    expect(why({ status: null, isDisputed: true })).toBeUndefined();
    // Of 50.00 less is left than is missing: a person may name what is.
    expect(why({ movements: other(4000) })).toBe('remainder_too_small');
    expect(why({ movements: other(4000) }, 1000)).toBeUndefined();
    expect(offered({ disputes: [own, beside], movements: other(4000) })).toContain('REFUND');
    expect(offered({ disputes: [own, beside], isDisputed: true })).not.toContain('REFUND');
  });

  it('is joined to nothing where there is no dispute', () => {
    expect(offered({ unplaced: [alertOf({ status: 'INVALID' })] })).toEqual([
      'ACCEPT_DISPUTE',
      'NOT_OURS',
      'REFUND',
      'RETRY',
    ]);
  });

  it('for which all is on its way was not refunded outside', () => {
    const covers = [{ disputeId: 'dsp_1', amountMinor: 5000 }];
    const own = disputeOfId('dsp_1', { alerts: [alertOf()] });
    const movements = [movementOf({ state: 'PENDING', covers })];
    expect(offered({ disputes: [own], movements })).toEqual(['REFUND', 'RETRY']);
  });
});

describe('what became of a request', () => {
  const disputes = [
    disputeOfId('dsp_2', { ...PART, alerts: [OTHER] }),
    disputeOfId('dsp_1', { ...PART, alerts: [alertOf({ alertId: 'twin' }), alertOf(PART)] }),
  ];
  const asked = (disputeId: string) =>
    offered({
      disputes,
      movements: [oursOf(disputeId, { ...PART, state: 'HUMAN', covers: [] })],
    }).includes('DID_EXECUTE');

  it('is asked at each alert of its dispute, and at no other', () => {
    expect(asked('dsp_1')).toBe(true);
    expect(asked('dsp_2')).toBe(false);
  });
});

describe('on a dispute rests', () => {
  const covers = ['dsp_1', 'dsp_2'].map((disputeId) => ({ disputeId, amountMinor: 2000 }));
  const disputes = ['dsp_1', 'dsp_2', 'dsp_3'].map((id) => disputeOfId(id));

  it('money that may have gone back for it', () => {
    const ledger = ledgerOf({ disputes, movements: [movementOf({ covers })] });
    expect(['dsp_1', 'dsp_2', 'dsp_3'].map((id) => rests(ledger, id))).toEqual([true, true, false]);
    const gone = ledgerOf({ disputes, movements: [movementOf({ covers, state: 'REVERSED' })] });
    expect(rests(gone, 'dsp_1')).toBe(false);
  });

  it.each(['isAccepted', 'isRefundDeclared'])('an answer (%s) to it', (said) => {
    const answered = disputeOfId('dsp_1', { alerts: [alertOf(), alertOf({ [said]: true })] });
    const ledger = ledgerOf({ disputes: [answered, disputeOfId('dsp_2')] });
    expect(['dsp_1', 'dsp_2', 'dsp_9'].map((id) => rests(ledger, id))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
