/** Guarantee: each row of the outcome table (domain rules, section 0) leads to what it says, to the minor unit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChargeEvidence } from '../../../src/refund/assess-charge.ts';
import { assessCharge, isChargedBack, refundedOf } from '../../../src/refund/assess-charge.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/refund/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/refund/processor.ts';

const CAPABILITIES = { ...CAUTIOUS_CAPABILITIES, refusesOverRefund: true };
const RULES = { disputed: 'REVIEW', partlyRefunded: 'REVIEW', smallerAmount: 'REVIEW' } as const;
const KEY = 'fst_ours';

function refundOf(fields: Partial<ProcessorRefund> = {}): ProcessorRefund {
  return {
    reference: 're_1',
    idempotencyKey: null,
    chargeReference: 'ch_1',
    status: 'succeeded',
    failureCode: null,
    amountMinor: 5000,
    currency: 'EUR',
    createdAt: null,
    ...fields,
  };
}

function chargeOf(fields: Partial<ProcessorCharge> = {}): ProcessorCharge {
  return {
    reference: 'ch_1',
    status: 'captured',
    amountMinor: 5000,
    currency: 'EUR',
    refundableMinor: 5000,
    disputed: false,
    authorisedAt: null,
    cardBrand: null,
    cardBin: null,
    cardLast4: null,
    acquirerReferenceNumber: null,
    authorisationCode: null,
    orderReference: null,
    subscriptionReference: null,
    refunds: [],
    ...fields,
  };
}

type Overrides = Partial<Omit<ChargeEvidence, 'charge'>> & { charge?: Partial<ProcessorCharge> };

function assess({ charge, ...fields }: Overrides = {}) {
  return assessCharge({
    alert: { amountMinor: 5000, currency: 'EUR' },
    decision: { amountMinor: null, byOperator: false },
    charge: { kind: 'found', value: chargeOf(charge) },
    own: { kind: 'absent' },
    capabilities: CAPABILITIES,
    rules: RULES,
    ...fields,
  });
}

const TOP_UP = { ...RULES, partlyRefunded: 'TOP_UP' } as const;
const ALLOW_SMALLER = { ...RULES, smallerAmount: 'ALLOW' } as const;
const PART = { refunds: [refundOf({ amountMinor: 2000 })], refundableMinor: 3000 };

describe('captured, refundable', () => {
  it('refunds the alert’s amount', () => {
    expect(assess()).toEqual({
      kind: 'refund',
      amountMinor: 5000,
      externalMinor: 0,
      capturedMinor: 5000,
    });
  });

  it('refunds the policy’s amount, which is the charge’s', () => {
    expect(assess({ decision: { amountMinor: 5000, byOperator: false } })).toMatchObject({
      kind: 'refund',
      amountMinor: 5000,
    });
  });

  it('a failed refund before counts for nothing', () => {
    const charge = { refunds: [refundOf({ status: 'failed' })] };
    expect(assess({ charge })).toMatchObject({ kind: 'refund', amountMinor: 5000 });
  });
});

describe('refunded before', () => {
  it('in full: nothing, declared with the reference', () => {
    const charge = { refunds: [refundOf()], refundableMinor: 0 };
    expect(assess({ charge })).toEqual({
      kind: 'external',
      reference: 're_1',
      externalMinor: 5000,
      capturedMinor: 5000,
    });
  });

  it('in full, and disputed since: still the truth', () => {
    const charge = { refunds: [refundOf()], refundableMinor: 0, disputed: true };
    expect(assess({ charge })).toMatchObject({ kind: 'external' });
  });

  it('more than the charge: no more than the charge is booked', () => {
    const charge = { refunds: [refundOf({ amountMinor: 6000 })], refundableMinor: 0 };
    expect(assess({ charge })).toMatchObject({ kind: 'external', externalMinor: 5000 });
  });

  it('is counted without what failed, and found by the first that moved', () => {
    const refunds = [
      refundOf({ reference: 're_0', status: 'failed' }),
      refundOf({ amountMinor: 2000 }),
      refundOf({ reference: 're_2', amountMinor: 1000, status: 'pending' }),
    ];
    expect(refundedOf(chargeOf({ refunds }))).toEqual({
      settledMinor: 2000,
      pendingMinor: 1000,
      reference: 're_1',
    });
    expect(refundedOf(chargeOf()).reference).toBe('ch_1');
  });

  it('nothing left and no refund listed is not "refunded"', () => {
    expect(assess({ charge: { refundableMinor: 0 } })).toMatchObject({
      kind: 'review',
      reason: 'remainder_too_small',
    });
  });

  it.each([
    [4999, 'review'],
    [5000, 'external'],
  ])('%i of 5000: %s', (amountMinor, kind) => {
    const charge = { refunds: [refundOf({ amountMinor })], refundableMinor: 5000 - amountMinor };
    expect(assess({ charge })).toMatchObject({ kind });
  });

  it('in full but still pending there: waits, unless pending counts', () => {
    const charge = { refunds: [refundOf({ status: 'pending' })], refundableMinor: 0 };
    expect(assess({ charge })).toEqual({
      kind: 'wait',
      reason: 'a refund by somebody else is pending at the processor',
    });
    const capabilities = { ...CAPABILITIES, pendingCounts: true };
    expect(assess({ charge, capabilities })).toMatchObject({ kind: 'external' });
  });

  it('in part: a person; the rest where the rule says so', () => {
    expect(assess({ charge: PART })).toMatchObject({ reason: 'partly_refunded' });
    expect(assess({ charge: PART, rules: TOP_UP })).toEqual({
      kind: 'refund',
      amountMinor: 3000,
      externalMinor: 2000,
      capturedMinor: 5000,
    });
  });

  it('in part, and the rest pending: a person, whatever the rule', () => {
    const charge = {
      refunds: [
        refundOf({ amountMinor: 1000 }),
        refundOf({ amountMinor: 1000, status: 'pending' }),
      ],
      refundableMinor: 3000,
    };
    expect(assess({ charge, rules: TOP_UP })).toMatchObject({ reason: 'partly_refunded' });
  });

  it('the rest is more than what is left: a person', () => {
    const charge = { ...PART, refundableMinor: 2999 };
    expect(assess({ charge, rules: TOP_UP })).toMatchObject({ reason: 'remainder_too_small' });
  });
});

describe('amounts and currencies that differ', () => {
  it.each([
    ['another currency', { amountMinor: 5000, currency: 'USD' }, 'currency_differs'],
    ['one more', { amountMinor: 5001, currency: 'EUR' }, 'amount_differs'],
    ['one less', { amountMinor: 4999, currency: 'EUR' }, 'amount_differs'],
    ['nothing', { amountMinor: 0, currency: 'EUR' }, 'alert_amount_unreadable'],
    ['below nothing', { amountMinor: -1, currency: 'EUR' }, 'alert_amount_unreadable'],
    ['no amount', { amountMinor: null, currency: 'EUR' }, 'alert_amount_unreadable'],
    ['no currency', { amountMinor: 5000, currency: null }, 'alert_amount_unreadable'],
    ['lower case', { amountMinor: 5000, currency: 'eur' }, 'alert_amount_unreadable'],
  ])('%s: a person', (_name, alert, reason) => {
    expect(assess({ alert })).toMatchObject({ kind: 'review', reason });
  });

  it('less, where the rule, the policy’s own amount or a person allows it', () => {
    const alert = { amountMinor: 3000, currency: 'EUR' };
    const expected = { kind: 'refund', amountMinor: 3000 };
    expect(assess({ alert, rules: ALLOW_SMALLER })).toMatchObject(expected);
    expect(assess({ alert, decision: { amountMinor: 3000, byOperator: false } })).toMatchObject(
      expected,
    );
    expect(assess({ alert, decision: { amountMinor: null, byOperator: true } })).toMatchObject(
      expected,
    );
  });

  it('more is not allowed by anybody: the sum could not reach the alert', () => {
    const alert = { amountMinor: 5001, currency: 'EUR' };
    const decision = { amountMinor: null, byOperator: true };
    expect(assess({ alert, decision, rules: ALLOW_SMALLER })).toMatchObject({
      reason: 'amount_differs',
    });
  });

  it('a policy amount that does not reach the alert is not sent', () => {
    expect(assess({ decision: { amountMinor: 4000, byOperator: false } })).toMatchObject({
      kind: 'review',
      reason: 'amount_differs',
    });
  });

  it('a policy amount that is the whole charge chooses no smaller one', () => {
    const alert = { amountMinor: 3000, currency: 'EUR' };
    expect(assess({ alert, decision: { amountMinor: 5000, byOperator: false } })).toMatchObject({
      reason: 'amount_differs',
    });
  });

  it('less, and a part refunded before: the person hears of the part', () => {
    const alert = { amountMinor: 3000, currency: 'EUR' };
    expect(assess({ alert, charge: PART })).toMatchObject({ reason: 'partly_refunded' });
  });

  it('a partial refund needs a processor that refuses what exceeds the charge, or a person', () => {
    const alert = { amountMinor: 3000, currency: 'EUR' };
    const capabilities = { ...CAPABILITIES, refusesOverRefund: false };
    expect(assess({ alert, capabilities, rules: ALLOW_SMALLER })).toMatchObject({
      reason: 'partial_needs_person',
    });
    expect(assess({ capabilities })).toMatchObject({ kind: 'refund', amountMinor: 5000 });
    const decision = { amountMinor: null, byOperator: true };
    expect(assess({ alert, capabilities, decision })).toMatchObject({ kind: 'refund' });
  });
});

describe('disputes', () => {
  it('open: a person, or accepted where the rule says so; never a refund', () => {
    expect(assess({ charge: { disputed: true } })).toEqual({
      kind: 'review',
      reason: 'disputed',
      creditClaim: false,
    });
    const rules = { ...RULES, disputed: 'ACCEPT_DISPUTE' } as const;
    expect(assess({ charge: { disputed: true }, rules })).toEqual({
      kind: 'accept',
      reason: 'disputed',
      creditClaim: false,
    });
    const decision = { amountMinor: null, byOperator: true };
    expect(assess({ charge: { disputed: true }, decision })).toMatchObject({ kind: 'review' });
  });

  it('lost already: accepted, and the credit claimed', () => {
    expect(assess({ charge: { disputed: true, refundableMinor: 0 } })).toEqual({
      kind: 'accept',
      reason: 'disputed',
      creditClaim: true,
    });
  });
});

describe('charged back', () => {
  const gone = { disputed: true, refundableMinor: 0 };
  it.each<[string, Partial<ProcessorCharge>, boolean]>([
    ['disputed, nothing left, nobody refunded', gone, true],
    ['a part refunded before', { ...gone, refunds: [refundOf({ amountMinor: 4999 })] }, true],
    ['all of it refunded', { ...gone, refunds: [refundOf()] }, false],
    [
      'refunded, some of it pending',
      {
        ...gone,
        refunds: [
          refundOf({ amountMinor: 4000 }),
          refundOf({ amountMinor: 1000, status: 'pending' }),
        ],
      },
      false,
    ],
    ['something left', { ...gone, refundableMinor: 1 }, false],
    ['not disputed', { ...gone, disputed: false }, false],
    ['never captured', { ...gone, status: 'authorised' }, false],
  ])('%s: %#', (_name, charge, expected) => {
    expect(isChargedBack(chargeOf(charge))).toBe(expected);
  });
});

describe('not captured', () => {
  it('a status of tomorrow is a person’s business', () => {
    const charge = { status: 'split' as ProcessorCharge['status'] };
    expect(assess({ charge })).toEqual({
      kind: 'review',
      reason: 'processor_cannot_be_asked',
      creditClaim: false,
    });
  });

  it('authorised: void; voided: declared so; declined: a person, credit claimed', () => {
    expect(assess({ charge: { status: 'authorised' } })).toEqual({ kind: 'void' });
    expect(assess({ charge: { status: 'voided' } })).toEqual({ kind: 'voided', reference: 'ch_1' });
    expect(assess({ charge: { status: 'declined' } })).toEqual({
      kind: 'review',
      reason: 'declined',
      creditClaim: true,
    });
  });
});

describe('what the processor does not say', () => {
  it.each([
    [{ kind: 'unavailable', reason: 'down' } as const, { kind: 'wait' }],
    [{ kind: 'absent' } as const, { kind: 'review', reason: 'charge_absent' }],
    [{ kind: 'not_offered' } as const, { kind: 'review', reason: 'processor_cannot_be_asked' }],
  ])('%o', (charge, expected) => {
    const verdict = assessCharge({
      alert: { amountMinor: 5000, currency: 'EUR' },
      decision: { amountMinor: null, byOperator: false },
      charge,
      own: { kind: 'absent' },
      capabilities: CAPABILITIES,
      rules: RULES,
    });
    expect(verdict).toMatchObject(expected);
  });

  it('our key unanswered: waits, although the charge looks untouched', () => {
    expect(assess({ own: { kind: 'unavailable', reason: 'down' } })).toMatchObject({
      kind: 'wait',
    });
  });
});

describe('our own refund', () => {
  it('stands already: booked, never sent again', () => {
    const refund = refundOf({ idempotencyKey: KEY });
    const charge = { refunds: [refund], refundableMinor: 0 };
    expect(assess({ charge, own: { kind: 'found', value: refund } })).toEqual({
      kind: 'ours',
      refund,
      externalMinor: 0,
      capturedMinor: 5000,
    });
  });

  it('stands beside somebody else’s', () => {
    const refund = refundOf({ idempotencyKey: KEY, amountMinor: 3000 });
    const charge = {
      refunds: [refund, refundOf({ reference: 're_2', amountMinor: 2000 })],
      refundableMinor: 0,
    };
    expect(assess({ charge, own: { kind: 'found', value: refund } })).toMatchObject({
      kind: 'ours',
      externalMinor: 2000,
    });
  });

  it('stands, whatever others did: what failed moved nothing, and no more went back than was taken', () => {
    const refund = refundOf({ idempotencyKey: KEY, amountMinor: 3000 });
    const others = (fields: Partial<ProcessorRefund>) => ({
      refunds: [refund, refundOf({ reference: 're_2', ...fields })],
    });
    const own = { kind: 'found', value: refund } as const;
    const failed = assess({ charge: others({ status: 'failed' }), own });
    expect(failed).toMatchObject({ kind: 'ours', externalMinor: 0 });
    const tooMuch = assess({ charge: others({ amountMinor: 4000 }), own });
    expect(tooMuch).toMatchObject({ kind: 'ours', externalMinor: 2000 });
  });

  it('stands although the charge cannot be read', () => {
    const refund = refundOf({ idempotencyKey: KEY, amountMinor: 3000 });
    const verdict = assessCharge({
      alert: { amountMinor: 5000, currency: 'EUR' },
      decision: { amountMinor: null, byOperator: false },
      charge: { kind: 'unavailable', reason: 'down' },
      own: { kind: 'found', value: refund },
      capabilities: CAPABILITIES,
      rules: RULES,
    });
    expect(verdict).toEqual({ kind: 'ours', refund, externalMinor: 0, capturedMinor: 3000 });
  });

  it('failed under this key: the key is burnt, a person decides', () => {
    const own = { kind: 'found', value: refundOf({ status: 'failed' }) } as const;
    expect(assess({ own })).toMatchObject({ kind: 'review', reason: 'key_failed' });
  });
});

describe('for any charge', () => {
  it('a refund never exceeds what is left, and the sum is exactly the alert’s amount', () => {
    const minor = fc.integer({ min: 0, max: 20_000 });
    fc.assert(
      fc.property(
        minor,
        minor,
        minor,
        fc.boolean(),
        fc.boolean(),
        (captured, alertMinor, refundedBefore, byOperator, disputed) => {
          const refunded = Math.min(refundedBefore, captured);
          const refundableMinor = captured - refunded;
          const verdict = assess({
            alert: { amountMinor: alertMinor, currency: 'EUR' },
            decision: { amountMinor: null, byOperator },
            rules: { disputed: 'REVIEW', partlyRefunded: 'TOP_UP', smallerAmount: 'ALLOW' },
            charge: {
              amountMinor: captured,
              refundableMinor,
              disputed,
              refunds: refunded === 0 ? [] : [refundOf({ amountMinor: refunded })],
            },
          });
          if (verdict.kind === 'refund') {
            expect(disputed).toBe(false);
            expect(verdict.amountMinor).toBeGreaterThan(0);
            expect(verdict.amountMinor).toBeLessThanOrEqual(refundableMinor);
            expect(verdict.amountMinor + refunded).toBe(alertMinor);
          } else if (verdict.kind === 'external') {
            expect(refunded).toBeGreaterThanOrEqual(alertMinor);
          } else {
            expect(['review', 'accept']).toContain(verdict.kind);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
