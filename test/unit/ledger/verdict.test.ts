/** Guarantee: each row of the outcome table (domain rules, section 0) leads to what it says, to the minor unit, for the alert's own dispute. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DisputedAlert, Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';
import { shownNow, verdict } from '../../../src/alerts/ledger/verdict.ts';
import type {
  ProcessorCapabilities,
  ProcessorCharge,
} from '../../../src/service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';
import { alertOf, chargeOf, disputeOfId, ledgerOf, movementOf, oursOf } from './fixtures.ts';

const CAPABILITIES = { ...CAUTIOUS_CAPABILITIES, refusesOverRefund: true };

interface Given {
  readonly capabilities?: ProcessorCapabilities;
  readonly isOffered?: boolean;
  readonly isTimeLeft?: boolean;
  /** Null: the processor shows none. */
  readonly charge?: Partial<ProcessorCharge> | null;
  readonly movements?: readonly Movement[];
  readonly alert?: Partial<DisputedAlert>;
  readonly disputeMinor?: number;
  readonly isPlaced?: boolean;
  readonly ledger?: Partial<Ledger>;
  readonly amountMinor?: number | null;
  readonly byOperator?: boolean;
}

/** One alert, in the one dispute of a captured charge of 50.00 EUR, unless bent. */
function assess(given: Given = {}) {
  const { charge, movements = [], isPlaced = true, ledger, amountMinor = null } = given;
  const { byOperator = false, alert: over, disputeMinor } = given;
  const { capabilities = CAPABILITIES, isOffered = true, isTimeLeft = true } = given;
  const alert = alertOf(over);
  const claimed = disputeMinor ?? Math.min(alert.amountMinor ?? 5000, 5000);
  const dispute = disputeOfId('dsp_1', { amountMinor: claimed, alerts: [alert] });
  const whole = ledgerOf({ movements, disputes: [dispute], ...ledger });
  const goneMinor = movements.reduce((sum, each) => sum + each.amountMinor, 0);
  const shown =
    charge === null
      ? undefined
      : chargeOf({ refundableMinor: Math.max(0, 5000 - goneMinor), ...charge });
  return verdict(
    {
      ledger: isPlaced ? whole : { ...whole, disputes: [], unplaced: [alert] },
      claim: {
        alertId: alert.alertId,
        disputeId: isPlaced ? 'dsp_1' : null,
        amountMinor: alert.amountMinor,
        currency: alert.currency,
      },
      pendingCounts: capabilities.pendingCounts,
      samePart: 'REVIEW',
    },
    { action: 'REFUND', by: byOperator ? 'person' : 'policy', amountMinor },
    {
      charge: shownNow(shown, isOffered),
      refusesOverRefund: capabilities.refusesOverRefund,
      isTimeLeft,
    },
  );
}

const refund = (amountMinor: number) => ({ kind: 'refund', amountMinor, disputeId: 'dsp_1' });
const PENDING_ELSEWHERE = { kind: 'wait', reason: 'refund_pending_elsewhere' };
const review = (reason: string) => ({ kind: 'hold', reason });

/** Support's refund of a part, answering the dispute. */
function support(amountMinor: number, over: Partial<Movement> = {}): Movement {
  return movementOf({ amountMinor, covers: [{ disputeId: 'dsp_1', amountMinor }], ...over });
}

describe('captured, refundable', () => {
  it('refunds the alert’s amount', () => {
    expect(assess()).toEqual(refund(5000));
  });

  it('refunds the policy’s amount, which is the charge’s', () => {
    expect(assess({ amountMinor: 5000 })).toEqual(refund(5000));
  });

  it('after one of ours that came to nothing', () => {
    for (const state of ['REJECTED', 'NOT_SENT'] as const) {
      const movements = [oursOf('dsp_1', { state })];
      expect(assess({ movements, charge: { refundableMinor: 5000 } })).toEqual(refund(5000));
    }
  });

  it.each<[string, Partial<Movement>, string]>([
    ['failed after it was confirmed', { state: 'REVERSED' }, 'refund_reversed'],
    ['was refused for good', { state: 'REJECTED', failureClass: 'final' }, 'refund_rejected'],
  ])('after one of ours that %s: a person only, as everywhere', (_name, over, reason) => {
    const movements = [oursOf('dsp_1', over)];
    const charge = { refundableMinor: 5000 };
    expect(assess({ movements, charge })).toEqual(review(reason));
    expect(assess({ movements, charge, byOperator: true })).toEqual(refund(5000));
  });

  it('not when too little time is left, whoever asks', () => {
    expect(assess({ isTimeLeft: false })).toEqual(review('too_late'));
    expect(assess({ isTimeLeft: false, byOperator: true })).toEqual(review('too_late'));
    expect(assess({ isTimeLeft: false, movements: [support(5000)] })).toMatchObject({
      kind: 'covered',
    });
  });
});

describe('the money went back', () => {
  it('by support, in full: covered', () => {
    expect(assess({ movements: [support(5000)] })).toEqual({ kind: 'covered', movementId: 'mv_1' });
  });

  it('and a dispute is open, or the processor cannot be asked: still the truth', () => {
    const movements = [support(5000)];
    const covered = { kind: 'covered', movementId: 'mv_1' };
    expect(assess({ movements, charge: { disputed: true } })).toEqual(covered);
    expect(assess({ movements, charge: null })).toEqual(covered);
    expect(assess({ movements, isOffered: false, charge: null })).toEqual(covered);
    expect(assess({ movements, isPlaced: false })).toEqual(covered);
  });

  it('as much as the alert asks for: covered', () => {
    const movements = [support(2500)];
    expect(assess({ movements, alert: { amountMinor: 2500 } })).toMatchObject({ kind: 'covered' });
  });

  it('to another dispute: not covered (row 4)', () => {
    const movements = [oursOf('dsp_0', { amountMinor: 2500 })];
    const verdict = assess({ movements, alert: { amountMinor: 2000 }, amountMinor: 2000 });
    expect(verdict).toEqual(refund(2000));
  });

  it('in pending money: waits, unless pending counts', () => {
    const movements = [support(5000, { state: 'PENDING' })];
    expect(assess({ movements })).toEqual({
      kind: 'wait',
      reason: 'refund_pending_elsewhere',
      error: 'a refund by somebody else is pending at the processor',
    });
    const capabilities = { ...CAPABILITIES, pendingCounts: true };
    expect(assess({ movements, capabilities })).toMatchObject({ kind: 'covered' });
  });
});

describe('all of the dispute went back, and the alert asks for more', () => {
  const given = { alert: { amountMinor: 2500 }, disputeMinor: 2000 };

  it('waits for money that is pending', () => {
    const movements = [support(2000, { state: 'PENDING' })];
    expect(assess({ ...given, movements })).toMatchObject({ kind: 'wait' });
  });

  it('waits for none that is through: a person', () => {
    expect(assess({ ...given, movements: [support(2000)] })).toEqual(review('partly_refunded'));
  });
});

describe('ours under way', () => {
  it.each(['SENT', 'UNKNOWN', 'PENDING', 'HUMAN'] as const)('%s: waited for', (state) => {
    const movements = [oursOf('dsp_1', { id: 'mv_own', state })];
    const under = { kind: 'under_way', movementId: 'mv_own', reaches: true };
    expect(assess({ movements })).toEqual(under);
    expect(assess({ movements, charge: null })).toEqual(under);
    expect(assess({ movements, byOperator: true })).toEqual(under);
  });

  it.each(['SENT', 'UNKNOWN', 'HUMAN'] as const)('%s for another dispute: later (L2)', (state) => {
    const movements = [oursOf('dsp_0', { state, amountMinor: 2500 })];
    const verdict = assess({ movements, alert: { amountMinor: 2000 }, amountMinor: 2000 });
    expect(verdict).toEqual({
      kind: 'wait',
      reason: 'refund_under_way',
      error: 'another refund of the charge waits for its answer',
    });
  });

  it('pending for another dispute blocks nothing (L2)', () => {
    const movements = [oursOf('dsp_0', { state: 'PENDING', amountMinor: 2500 })];
    expect(assess({ movements, alert: { amountMinor: 2000 }, amountMinor: 2000 })).toEqual(
      refund(2000),
    );
  });
});

describe('what the processor does not say', () => {
  it('no charge, or no way to ask: a person', () => {
    expect(assess({ charge: null })).toEqual(review('charge_absent'));
    expect(assess({ charge: null, isOffered: false })).toEqual(review('processor_cannot_be_asked'));
    expect(assess({ charge: { status: 'tomorrow' as never } })).toEqual(
      review('processor_cannot_be_asked'),
    );
  });
});

describe('the dispute', () => {
  it('that nobody knows: a person', () => {
    expect(assess({ isPlaced: false })).toEqual(review('dispute_unclear'));
  });

  it('whose money the network may have returned for another payment: a person', () => {
    const networkInDoubt = { alertId: 'netalrt_rdr', knownAtMs: 1 };
    expect(assess({ ledger: { networkInDoubt } })).toEqual(review('network_refund_unclear'));
  });

  it('that is accepted through another alert: a person', () => {
    expect(assess({ alert: { isAccepted: true } })).toEqual(review('another_alert_accepted'));
  });
});

describe('not captured', () => {
  it('authorised: released; declined: a person, and the credit claimed', () => {
    expect(assess({ charge: { status: 'authorised' }, ledger: { status: 'authorised' } })).toEqual({
      kind: 'void',
      disputeId: 'dsp_1',
    });
    expect(assess({ charge: { status: 'declined' }, ledger: { status: 'declined' } })).toEqual(
      review('declined'),
    );
  });

  it.each<[string, Pick<Given, 'alert' | 'amountMinor' | 'byOperator'>, boolean]>([
    ['an alert about more than all', { alert: { amountMinor: 5001 } }, true],
    ['an alert about a part', { alert: { amountMinor: 4999 } }, false],
    ['a policy’s or a person’s part', { amountMinor: 4999, byOperator: true }, false],
    ['all of it, by name', { amountMinor: 5000 }, true],
    ['another currency', { alert: { currency: 'GBP' } }, false],
    [
      'another currency, but a person decided',
      { alert: { currency: 'GBP' }, byOperator: true },
      true,
    ],
    [
      'another currency, but all was named',
      { alert: { currency: 'GBP' }, amountMinor: 5000 },
      true,
    ],
    [
      'another currency, and a part was named',
      { alert: { currency: 'GBP' }, amountMinor: 4999 },
      false,
    ],
  ])(
    'authorised: a release gives back all, so it is (or is no) answer to %s',
    (_name, given, is) => {
      const status = 'authorised';
      const verdict = assess({ ...given, charge: { status }, ledger: { status } });
      const isForeign = given.alert?.currency !== undefined && !given.byOperator;
      const not = isForeign ? 'currency_differs' : 'amount_differs';
      expect(verdict).toEqual(is ? { kind: 'void', disputeId: 'dsp_1' } : review(not));
    },
  );

  it('released by somebody: covered', () => {
    const movements = [movementOf({ kind: 'void', amountMinor: 0 })];
    expect(assess({ movements, ledger: { status: 'voided' } })).toEqual({
      kind: 'covered',
      movementId: 'mv_1',
    });
  });
});

describe('disputed at the processor', () => {
  it('a person; never a refund', () => {
    const charge = { disputed: true };
    expect(assess({ charge })).toEqual(review('disputed'));
    expect(assess({ charge, byOperator: true })).toEqual(review('disputed'));
  });

  it('and lost already: accepted', () => {
    expect(assess({ charge: { disputed: true, refundableMinor: 0 } })).toEqual({
      kind: 'accept',
      isChargedBack: true,
      despite: null,
    });
  });
});

describe('amounts that differ', () => {
  it.each<[string, Partial<DisputedAlert>]>([
    ['no amount', { amountMinor: null }],
    ['nothing', { amountMinor: 0 }],
    ['below nothing', { amountMinor: -1 }],
    ['no currency', { currency: null }],
    ['lower case', { currency: 'eur' }],
  ])('%s: a person', (_name, alert) => {
    expect(assess({ alert })).toEqual(review('alert_amount_unreadable'));
  });

  it('one less: a person; the policy’s own amount or a person allows it', () => {
    const alert = { amountMinor: 4999 };
    expect(assess({ alert })).toEqual(review('amount_differs'));
    expect(assess({ alert, amountMinor: 4999 })).toEqual(refund(4999));
    expect(assess({ alert, byOperator: true })).toEqual(refund(4999));
  });

  it('a policy amount that is the whole charge chooses no smaller one', () => {
    expect(assess({ alert: { amountMinor: 4999 }, amountMinor: 5000 })).toEqual(
      review('amount_differs'),
    );
  });

  it('one cent above the charge: a person, or the whole charge where it was named (row 11)', () => {
    const alert = { amountMinor: 5001 };
    expect(assess({ alert })).toEqual(review('amount_differs'));
    expect(assess({ alert, amountMinor: 4999 })).toEqual(review('amount_differs'));
    expect(assess({ alert, amountMinor: 5000 })).toEqual(refund(5000));
    expect(assess({ alert, byOperator: true })).toEqual(refund(5000));
    const rest = { movements: [support(2000)], amountMinor: 3000 };
    expect(assess({ alert, ...rest })).toEqual(review('amount_differs'));
    expect(assess({ alert, movements: [support(5000)] })).toMatchObject({ kind: 'covered' });
  });

  it('another currency: a person, or the whole charge where it was named (row 11)', () => {
    const alert = { amountMinor: 6600, currency: 'GBP' };
    expect(assess({ alert })).toEqual(review('currency_differs'));
    expect(assess({ alert, amountMinor: 4999 })).toEqual(review('currency_differs'));
    expect(assess({ alert, amountMinor: 5000 })).toEqual(refund(5000));
    expect(assess({ alert, byOperator: true })).toEqual(refund(5000));
  });

  it('another currency is never compared with what went back, or is left, as a number', () => {
    const alert = { amountMinor: 66, currency: 'GBP' };
    const given = { alert, amountMinor: 5000, disputeMinor: 5000 };
    expect(assess({ ...given, charge: { refundableMinor: 66 } })).toEqual(
      review('remainder_too_small'),
    );
    expect(assess({ ...given, movements: [support(66)] })).toEqual(review('partly_refunded'));
    // A person gives the rest: in the charge's currency, and not what is left of the alert's number.
    expect(
      assess({ ...given, movements: [support(66)], amountMinor: null, byOperator: true }),
    ).toEqual(refund(4934));
    expect(assess({ ...given, movements: [support(66, { state: 'PENDING' })] })).toMatchObject(
      PENDING_ELSEWHERE,
    );
  });

  it('a policy amount that does not reach the alert is not sent; a person’s is', () => {
    const alert = { amountMinor: 4000 };
    expect(assess({ alert, amountMinor: 3999 })).toEqual(review('amount_differs'));
    expect(assess({ alert, amountMinor: 3999, byOperator: true })).toEqual(refund(3999));
    expect(assess({ alert, amountMinor: 4001, byOperator: true })).toEqual(refund(4000));
  });

  it('a partial refund needs a processor that refuses what exceeds the charge, or a person', () => {
    const capabilities = { ...CAPABILITIES, refusesOverRefund: false };
    const alert = { amountMinor: 4999 };
    expect(assess({ alert, amountMinor: 4999, capabilities })).toEqual(
      review('partial_needs_person'),
    );
    expect(assess({ alert, byOperator: true, capabilities })).toEqual(refund(4999));
    expect(assess({ capabilities })).toEqual(refund(5000));
  });
});

describe('a part went back before', () => {
  it('a person; the rest where the policy’s own amount or a person says so', () => {
    const movements = [support(2000)];
    expect(assess({ movements })).toEqual(review('partly_refunded'));
    expect(assess({ movements, byOperator: true })).toEqual(refund(3000));
    expect(assess({ movements, amountMinor: 3000 })).toEqual(refund(3000));
  });

  it('and the alert is about less: the person hears of the part', () => {
    expect(assess({ movements: [support(2000)], alert: { amountMinor: 4000 } })).toEqual(
      review('partly_refunded'),
    );
  });

  it('and is pending: waited for, whatever the policy’s amount; a person may continue', () => {
    const movements = [support(2000, { state: 'PENDING' })];
    expect(assess({ movements, amountMinor: 3000 })).toMatchObject(PENDING_ELSEWHERE);
    expect(assess({ movements, byOperator: true })).toEqual(refund(3000));
  });

  it('and is pending for another dispute: that is not this one’s money', () => {
    const covers = [{ disputeId: 'dsp_0', amountMinor: 2000 }];
    const movements = [support(2000, { state: 'PENDING', covers }), support(1000)];
    expect(assess({ movements, amountMinor: 2000, alert: { amountMinor: 3000 } })).toEqual(
      refund(2000),
    );
  });

  it('and what is left is one too little: a person', () => {
    const given = { movements: [support(2000)], amountMinor: 3000 };
    expect(assess({ ...given, charge: { refundableMinor: 3000 } })).toEqual(refund(3000));
    expect(assess({ ...given, charge: { refundableMinor: 2999 } })).toEqual(
      review('remainder_too_small'),
    );
    expect(assess({ charge: { refundableMinor: 0 } })).toEqual(review('remainder_too_small'));
  });

  it('to another dispute: what is left of the charge limits this one (L1)', () => {
    const movements = [oursOf('dsp_0', { amountMinor: 3000 })];
    const given = { movements, charge: { refundableMinor: 5000 } };
    expect(assess({ ...given, alert: { amountMinor: 2000 }, amountMinor: 2000 })).toEqual(
      refund(2000),
    );
    expect(assess({ ...given, alert: { amountMinor: 2001 }, amountMinor: 2001 })).toEqual(
      review('remainder_too_small'),
    );
  });
});

describe('for any charge', () => {
  const amount = fc.integer({ min: 1, max: 6000 });
  const part = fc.record({
    isOwn: fc.boolean(),
    amountMinor: fc.integer({ min: 0, max: 3000 }),
    state: fc.constantFrom('CONFIRMED' as const, 'PENDING' as const),
    to: fc.constantFrom('dsp_0', 'dsp_1'),
  });
  const given = fc.record({
    alertMinor: amount,
    currency: fc.constantFrom('EUR', 'EUR', 'GBP'),
    wantedMinor: fc.option(amount),
    byOperator: fc.boolean(),
    parts: fc.array(part, { maxLength: 3 }),
    refundableMinor: fc.integer({ min: 0, max: 5000 }),
    isDisputed: fc.boolean(),
  });

  it('a refund never exceeds charge, dispute, or what is left, and is never sent beside a dispute', () => {
    fc.assert(
      fc.property(given, ({ alertMinor, currency, wantedMinor, parts, ...rest }) => {
        const { refundableMinor, isDisputed, byOperator } = rest;
        const movements = parts.map(({ isOwn, to, amountMinor, state }, n) =>
          isOwn
            ? oursOf(to, { id: `mv_${n}`, amountMinor, state })
            : movementOf({
                id: `mv_${n}`,
                amountMinor,
                state,
                covers: [{ disputeId: to, amountMinor }],
              }),
        );
        const verdict = assess({
          alert: { amountMinor: alertMinor, currency },
          disputeMinor: currency === 'EUR' ? Math.min(alertMinor, 5000) : 5000,
          movements,
          amountMinor: wantedMinor,
          byOperator,
          charge: { refundableMinor, disputed: isDisputed },
        });
        if (verdict.kind !== 'refund') return;
        const outMinor = parts.reduce((sum, each) => sum + each.amountMinor, 0);
        const ownMinor = parts
          .filter(({ to }) => to === 'dsp_1')
          .reduce((sum, each) => sum + each.amountMinor, 0);
        const disputeMinor = currency === 'EUR' ? Math.min(alertMinor, 5000) : 5000;
        expect(isDisputed).toBe(false);
        expect(verdict.amountMinor).toBeGreaterThan(0);
        expect(verdict.amountMinor).toBeLessThanOrEqual(refundableMinor);
        expect(verdict.amountMinor + outMinor).toBeLessThanOrEqual(5000);
        expect(verdict.amountMinor + ownMinor).toBeLessThanOrEqual(disputeMinor);
        if (!(byOperator && wantedMinor !== null)) {
          // What the policy sends makes the answer true.
          expect(verdict.amountMinor + ownMinor).toBe(disputeMinor);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
