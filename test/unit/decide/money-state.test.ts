/**
 * Guarantee: facts that versions before the ledger stored, with one refund row or with the processor's list alone, are read as
 * the account that they were, to the minor unit, and lead to the same outcome table.
 */
import { describe, expect, it } from 'vitest';
import type { AccountInputs, OwnRefundInputs } from '../../../src/alerts/decide/facts.ts';
import type { Intent } from '../../../src/alerts/decide/guard.ts';
import {
  accountOf,
  amountToRefund,
  isSettled,
  reasonsIn,
  refundedMinor,
  refundedShare,
  verdictIn,
} from '../../../src/alerts/decide/money-state.ts';
import type { FactsOver } from './fixtures.ts';
import { account, facts, foundCharge, ownRefund, standing } from './fixtures.ts';

const REFUND: Intent = { action: 'REFUND', amount: 'full', occasion: 'policy' };
const ACCEPT: Intent = { action: 'ACCEPT_DISPUTE', amount: 'full', occasion: 'policy' };

describe('one refund row of an earlier version', () => {
  const of = (row: Partial<OwnRefundInputs>, over: FactsOver = {}): AccountInputs =>
    accountOf(facts({ ownRefund: ownRefund(row), ...over }));

  it.each<[string, Partial<AccountInputs>]>([
    ['CONFIRMED', { coveredMinor: 2990, outMinor: 2990, isCovered: true, underWay: null }],
    ['EXTERNAL', { coveredMinor: 2990, outMinor: 2990, isCovered: true, underWay: null }],
    ['REVERSED', { coveredMinor: 0, outMinor: 0, isCovered: false, isReversed: true }],
    ['REJECTED', { coveredMinor: 0, outMinor: 0, refusal: { code: null, failureClass: 'final' } }],
    ...(['INTENT', 'SENT', 'UNKNOWN', 'PENDING', 'HUMAN'] as const).map(
      (state) =>
        [
          state,
          {
            coveredMinor: 0,
            outMinor: 2990,
            isCovered: false,
            isReversed: false,
            refusal: null,
            underWay: { id: 'rf_1', amountMinor: 2990, isVoid: false },
          },
        ] satisfies [string, Partial<AccountInputs>],
    ),
  ])('%s', (state, expected) => {
    expect(of({ state })).toMatchObject({ ...expected, reference: 'rf_1', refundedBy: 'us' });
  });

  it('counts what others gave back with it, and the greater of row and list', () => {
    expect(of({ amountMinor: 1000, externalMinor: 500 })).toMatchObject({
      coveredMinor: 1500,
      outMinor: 1500,
      chargeOutMinor: 1500,
      isCovered: false,
    });
    const charge = foundCharge({ refundedMinor: 1600 });
    expect(of({ amountMinor: 1000, externalMinor: 500 }, { charge }).coveredMinor).toBe(1600);
    expect(of({ state: 'SENT', amountMinor: 1000 }, { charge })).toMatchObject({
      coveredMinor: 1600,
      outMinor: 1600,
    });
  });

  it('is of support where nothing of it was ours', () => {
    expect(of({ amountMinor: 0, externalMinor: 2990 }).refundedBy).toBe('support');
    expect(of({ amountMinor: 1, externalMinor: 2989 }).refundedBy).toBe('us');
  });

  it('a release covers once it is through, whatever it is worth', () => {
    const release = { isVoid: true, amountMinor: 0 };
    expect(of(release).isCovered).toBe(true);
    expect(of({ ...release, state: 'SENT' })).toMatchObject({
      isCovered: false,
      underWay: { isVoid: true },
    });
    expect(of({ amountMinor: 0 }).isCovered).toBe(false);
  });

  it('reaches the alert in its own currency, or the whole charge', () => {
    const part = { amountMinor: 1000 };
    const one = { amountMinor: 1000 };
    expect(of(part, { alert: one }).isCovered).toBe(true);
    expect(of(part, { alert: { amountMinor: 1001 } }).isCovered).toBe(false);
    expect(of(part, { alert: { ...one, currency: 'EUR' } }).isCovered).toBe(false);
    expect(of(part, { alert: { amountMinor: null } }).isCovered).toBe(false);
    expect(of({}, { alert: { amountMinor: 5000, currency: 'EUR' } }).isCovered).toBe(true);
    // Without the charge its own currency is compared.
    const charge = { kind: 'unavailable', reason: 'away' } as const;
    expect(of(part, { alert: one, charge }).isCovered).toBe(true);
    expect(of({ ...part, currency: 'EUR' }, { alert: one, charge }).isCovered).toBe(false);
  });
});

describe('the processor’s list alone', () => {
  it('is support’s', () => {
    const charge = foundCharge({ refundedMinor: 1000 });
    expect(accountOf(facts({ charge }))).toMatchObject({
      coveredMinor: 1000,
      outMinor: 1000,
      isCovered: false,
      refundedBy: 'support',
      underWay: null,
      reference: null,
    });
    expect(accountOf(facts())).toMatchObject({ coveredMinor: 0, refundedBy: null });
    const away = facts({ charge: { kind: 'unavailable', reason: 'away' } });
    expect(accountOf(away)).toMatchObject({ coveredMinor: 0, refundedBy: null });
  });

  it('is not looked at where the ledger speaks, or says that it knows nothing', () => {
    const charge = foundCharge({ refundedMinor: 1000 });
    expect(refundedMinor(facts({ charge, account: account({ coveredMinor: 7 }) }))).toBe(7);
    expect(refundedMinor(facts({ charge, account: null }))).toBe(0);
  });
});

describe('the share that went back', () => {
  it.each([
    [0, 0, 'none'],
    [1, 0, 'part'],
    [0, 1, 'part'],
    [2989, 0, 'part'],
    [2990, 0, 'full'],
    [0, 2990, 'full'],
  ] as const)('%i listed, %i in the ledger: %s', (refundedMinor, coveredMinor, expected) => {
    const given = facts({
      charge: foundCharge({ refundedMinor }),
      account: account({ coveredMinor }),
    });
    expect(refundedShare(given)).toBe(expected);
  });

  it('is not known where no charge is shown', () => {
    expect(refundedShare(facts({ charge: { kind: 'absent' } }))).toBeNull();
  });
});

describe('what would be moved', () => {
  const charge = { ...foundCharge(), kind: 'found' } as Extract<
    ReturnType<typeof foundCharge>,
    { kind: 'found' }
  >;

  it.each([
    ['full', 2990],
    ['whole_charge', 2990],
    ['alert_amount', 1400],
    ['remainder', 1400],
  ] as const)(
    '%s of an alert about 20.00 of 29.90, of which 6.00 went back: %i',
    (amount, minor) => {
      const given = facts({
        alert: { amountMinor: 2000 },
        account: account({ coveredMinor: 600 }),
      });
      expect(amountToRefund(amount, given, charge)).toBe(minor);
    },
  );

  it('is never more than the charge, and nothing where the alert says nothing', () => {
    const above = facts({ alert: { amountMinor: 3000 }, account: account() });
    expect(amountToRefund('remainder', above, charge)).toBe(2990);
    const silent = facts({ alert: { amountMinor: null }, account: account() });
    expect(amountToRefund('remainder', silent, charge)).toBe(0);
  });
});

describe('the outcome table of facts without a standing', () => {
  const verdictOf = (over: FactsOver, intent: Intent | null = REFUND) =>
    verdictIn(facts(over), intent);

  it('refunds, accepts, or leaves open', () => {
    const refund = { kind: 'refund', amountMinor: 2990, disputeId: 'dsp_1' };
    expect(verdictOf({ account: account() })).toEqual(refund);
    expect(verdictOf({ account: account() }, ACCEPT)).toMatchObject({ kind: 'accept' });
    expect(verdictOf({ account: account() }, null)).toEqual({ kind: 'open' });
    // Before there were disputes, the alert is its own.
    expect(verdictOf({})).toEqual({ ...refund, disputeId: 'netalrt_1' });
  });

  it.each<[string, Partial<AccountInputs>, string]>([
    ['unclear', { dispute: 'unclear' }, 'dispute_unclear'],
    ['accepted', { isAccepted: true }, 'another_alert_accepted'],
    ['reversed', { isReversed: true }, 'refund_reversed'],
    ['refused for good', { refusal: { code: 'x', failureClass: 'final' } }, 'refund_rejected'],
    ['of which something went back', { outMinor: 1000, coveredMinor: 1000 }, 'partly_refunded'],
  ])('holds what is %s', (_name, over, reason) => {
    expect(verdictOf({ account: account(over) })).toEqual({ kind: 'hold', reason });
  });

  it.each<[string, Partial<AccountInputs>]>([
    ['refused for now', { refusal: { code: 'x', failureClass: 'retry' } }],
    ['with older money of another complaint', { unnamedMinor: 700 }],
  ])('refunds all of what is %s', (_name, over) => {
    expect(verdictOf({ account: account(over) })).toMatchObject({ kind: 'refund' });
  });

  it('does not accept beside money, and names how much', () => {
    const given = { account: account({ outMinor: 1000, coveredMinor: 1000, reference: 're_1' }) };
    expect(verdictOf(given, ACCEPT)).toEqual({
      kind: 'hold',
      reason: 'part_went_back',
      objection: {
        kind: 'part_went_back',
        amountMinor: 1000,
        currency: 'USD',
        movementId: 're_1',
      },
    });
  });

  it.each<[string, FactsOver['alert'], boolean, boolean]>([
    ['as much as the alert asks for', {}, false, true],
    ['less', { amountMinor: 2991 }, false, false],
    ['another currency', { currency: 'EUR' }, false, false],
    ['no amount', { amountMinor: null }, false, false],
    ['a release', { amountMinor: 9999 }, true, true],
  ])('under way with %s', (_name, alert, isVoid, reaches) => {
    const underWay = { id: 'mv_1', amountMinor: 2990, isVoid };
    const given = { alert: alert ?? {}, account: account({ outMinor: 2990, underWay }) };
    expect(verdictOf(given)).toEqual({ kind: 'under_way', movementId: 'mv_1', reaches });
    expect(isSettled(facts(given))).toBe(reaches);
    expect(reasonsIn(facts(given), REFUND)).toEqual(reaches ? [] : ['refund_under_way']);
  });

  it('waits for what is pending by others, not for what is ours', () => {
    const charge = foundCharge({ pendingMinor: 1 });
    expect(verdictOf({ charge, account: account() })).toMatchObject({
      kind: 'wait',
      reason: 'refund_pending_elsewhere',
    });
    const underWay = { id: 'mv_1', amountMinor: 1, isVoid: false };
    expect(reasonsIn(facts({ charge, account: account({ underWay }) }), REFUND)).toEqual([
      'refund_under_way',
    ]);
  });
});

describe('the moment', () => {
  const MINUTE_MS = 60_000;
  const at = (minutesLeft: number, enrolmentType = 'NETA_ALERT') => {
    const now = '2026-03-11T12:00:00.000Z';
    const deadlineAt = new Date(Date.parse(now) + minutesLeft * MINUTE_MS).toISOString();
    return verdictIn(
      facts({ now, deadlineAt, alert: { enrolmentType }, account: account() }),
      REFUND,
    ).kind;
  };

  it('is in time as long as the guard’s time is left', () => {
    expect(at(15)).toBe('refund');
    expect(at(14)).toBe('hold');
  });

  it('a request of another organisation for the charge is waited for by the step that sends', () => {
    const given = facts({ account: account({ standing: standing({ isInFlight: true }) }) });
    expect(verdictIn(given, REFUND)).toMatchObject({ kind: 'refund' });
  });

  it.each([
    [{ kind: 'none' }, 'processor_cannot_be_asked'],
    [{ kind: 'not_offered' }, 'processor_cannot_be_asked'],
    [{ kind: 'absent' }, 'charge_absent'],
    [{ kind: 'unavailable', reason: 'away' }, 'processor_unavailable'],
  ] as const)('%j: %s', (charge, reason) => {
    expect(verdictIn(facts({ charge, account: account() }), REFUND)).toMatchObject({ reason });
  });

  it('a processor of which nothing is said refuses what exceeds the charge', () => {
    const given = (refusesOverRefund?: boolean) =>
      verdictIn(
        facts({
          alert: { amountMinor: 1000 },
          charge: foundCharge(refusesOverRefund === undefined ? {} : { refusesOverRefund }),
          account: account(),
        }),
        { ...REFUND, amount: 'alert_amount' },
      );
    expect(given()).toMatchObject({ kind: 'refund', amountMinor: 1000 });
    expect(given(true)).toMatchObject({ kind: 'refund', amountMinor: 1000 });
    expect(given(false)).toEqual({ kind: 'hold', reason: 'partial_needs_person' });
  });

  it('is settled only where one charge is meant', () => {
    const covered = { account: account({ isCovered: true }) };
    expect(isSettled(facts(covered))).toBe(true);
    expect(isSettled(facts({ ...covered, match: { outcome: 'several', tier: null } }))).toBe(false);
    expect(reasonsIn(facts(covered), REFUND)).toEqual([]);
  });
});
