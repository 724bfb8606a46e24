/**
 * Guarantee: what a person may decide about money is what would be carried out now, and what is refused names its reason (A5);
 * accepting beside money that went back is told as a sum, never beside money that is on its way (L5).
 */
import { describe, expect, it } from 'vitest';
import type { DisputedAlert, Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';
import {
  answerToAccept,
  isTimeToRefund,
  mayRefundSome,
  standingFor,
  whyNoRefund,
} from '../../../src/alerts/review/persons-verdict.ts';
import { alertOf, disputeOfId, ledgerOf, movementOf, oursOf } from '../ledger/fixtures.ts';

const DEADLINE = new Date('2026-03-03T08:00:00Z');
const MINUTE_MS = 60_000;

interface Given {
  readonly movements?: readonly Movement[];
  readonly alert?: Partial<DisputedAlert>;
  readonly disputeMinor?: number;
  readonly over?: Partial<Ledger>;
  readonly isTimeLeft?: boolean;
}

/** An alert of 50.00 EUR about all of a charge of 50.00 EUR, in its dispute. */
function on({ movements = [], alert, disputeMinor = 5000, over, isTimeLeft = true }: Given = {}) {
  const placed = disputeOfId('dsp_1', { amountMinor: disputeMinor, alerts: [alertOf(alert)] });
  const ledger = ledgerOf({ movements, disputes: [placed], ...over });
  return { ledger, alertId: 'netalrt_1', isTimeLeft };
}

const part = (amountMinor: number, over: Partial<Movement> = {}): Movement =>
  movementOf({ amountMinor, covers: [{ disputeId: 'dsp_1', amountMinor }], ...over });

describe('the time that a refund needs', () => {
  const alert = { alert_id: 'netalrt_1', deadline_at: DEADLINE };
  const left = (ms: number) => new Date(DEADLINE.getTime() - ms);

  it('is 15 minutes before the deadline, to the millisecond', () => {
    expect(isTimeToRefund(alert, left(15 * MINUTE_MS + 1))).toBe(true);
    expect(isTimeToRefund(alert, left(15 * MINUTE_MS))).toBe(false);
    expect(isTimeToRefund(alert, left(0))).toBe(false);
    expect(isTimeToRefund(alert, left(-MINUTE_MS))).toBe(false);
  });

  it('is always there for what is owed without an alert of the service', () => {
    const claim = { ...alert, alert_id: 'netalrt_claim_1' };
    expect(isTimeToRefund(claim, left(-MINUTE_MS))).toBe(true);
  });
});

describe('a refund that a person asks for', () => {
  it.each<[string, Given, string | undefined]>([
    ['of a charge of which nothing went back', {}, undefined],
    [
      'of a charge that was never shown',
      { over: { status: null, amountMinor: null, currency: null } },
      undefined,
    ],
    [
      'while ours is on its way',
      { movements: [oursOf('dsp_1', { state: 'SENT' })] },
      'refund_under_way',
    ],
    ['beside an accepted alert', { alert: { isAccepted: true } }, 'dispute_accepted'],
    ['of a charge that is disputed at the processor', { over: { isDisputed: true } }, 'disputed'],
    [
      'of money that the bank has taken',
      {
        movements: [movementOf({ kind: 'chargeback', observedFrom: 'processor' })],
        over: { isDisputed: true },
      },
      'disputed',
    ],
    ['of a charge that was declined', { over: { status: 'declined' } }, 'nothing_to_refund'],
    ['of a charge that was released', { over: { status: 'voided' } }, 'nothing_to_refund'],
    [
      'of a part of an authorisation',
      { alert: { amountMinor: 2000 }, over: { status: 'authorised' } },
      'whole_authorisation',
    ],
    [
      'of more than is left',
      { movements: [movementOf({ amountMinor: 5000, state: 'PENDING' })] },
      'remainder_too_small',
    ],
    ['in the last minutes', { isTimeLeft: false }, 'too_little_time'],
  ])('%s', (_what, given, expected) => {
    expect(whyNoRefund(on(given), null)).toBe(expected);
  });

  it('where nobody knows which complaint it is: refused; where the charge is only named now: not', () => {
    const first = alertOf({ alertId: 'netalrt_0', amountMinor: 2000 });
    const again = alertOf({ amountMinor: 2000 });
    const twice = ledgerOf({
      disputes: [disputeOfId('dsp_0', { amountMinor: 2000, alerts: [first] })],
      unplaced: [again],
    });
    const asked = { ledger: twice, alertId: 'netalrt_1', isTimeLeft: true };
    expect(standingFor(asked).isUnclear).toBe(true);
    expect(whyNoRefund(asked, null)).toBe('dispute_unclear');
    expect(whyNoRefund({ ...asked, ledger: ledgerOf() }, null)).toBeUndefined();
  });

  it('of a doubt that is known: they decide now, so it was looked at', () => {
    const over = { networkInDoubt: { alertId: 'netalrt_n', knownAtMs: Date.now() } };
    expect(whyNoRefund(on({ over }), null)).toBeUndefined();
  });

  it('of a part: whatever the processor does with more than is left', () => {
    expect(whyNoRefund(on(), 1000)).toBeUndefined();
  });

  it('is offered of some amount while the charge has room for one', () => {
    expect(mayRefundSome(on())).toBe(true);
    const short = on({ movements: [movementOf({ amountMinor: 4999 })] });
    expect(whyNoRefund(short, null)).toBe('remainder_too_small');
    expect(mayRefundSome(short)).toBe(true);
    const none = on({ movements: [movementOf({ state: 'PENDING' })] });
    expect(whyNoRefund(none, null)).toBe('remainder_too_small');
    expect(mayRefundSome(none)).toBe(false);
    expect(mayRefundSome(on({ isTimeLeft: false }))).toBe(false);
  });

  it('counts money of ours that is pending as gone only once it is through', () => {
    expect(standingFor(on({ movements: [oursOf('dsp_1', { state: 'PENDING' })] }))).toMatchObject({
      isCovered: false,
      underWay: { reaches: true },
    });
  });
});

describe('an acceptance by a person', () => {
  it('beside no money: accepted', () => {
    expect(answerToAccept(on())).toEqual({ kind: 'accept', isChargedBack: false, despite: null });
  });

  it('of what went back: refused', () => {
    const answer = { kind: 'refuse', reason: 'money_went_back' };
    expect(answerToAccept(on({ movements: [part(5000)] }))).toEqual(answer);
    expect(answerToAccept(on({ movements: [part(5000)] }), 5000)).toEqual(answer);
  });

  it('while ours is on its way: refused', () => {
    const movements = [oursOf('dsp_1', { state: 'UNKNOWN', amountMinor: 2000 })];
    expect(answerToAccept(on({ movements }), 2000)).toEqual({
      kind: 'refuse',
      reason: 'refund_under_way',
    });
  });

  it('while somebody else’s is pending: refused, and whose it is', () => {
    const objection = {
      kind: 'others_pending',
      amountMinor: 2000,
      currency: 'EUR',
      movementId: 'mv_1',
    };
    const movements = [part(2000, { state: 'PENDING' })];
    expect(answerToAccept(on({ movements }), 2000)).toEqual({
      kind: 'refuse',
      reason: 'refund_under_way',
      objection,
    });
  });

  it.each([
    ['of which a part went back', { kind: 'external', state: 'CONFIRMED' }, 'part_went_back'],
    [
      'of which nobody says what the network moved',
      { kind: 'network', state: 'PENDING', observedFrom: 'network' },
      'network_unclear',
    ],
  ] as const)('%s: told the sum, and accepted by who was told all of it', (_what, over, kind) => {
    const objection = { kind, amountMinor: 2000, currency: 'EUR', movementId: 'mv_1' };
    const given = on({ movements: [part(2000, over)] });
    expect(answerToAccept(given)).toEqual({ kind: 'tell', objection });
    expect(answerToAccept(given, 1999)).toEqual({ kind: 'tell', objection });
    expect(answerToAccept(given, 2000)).toEqual({
      kind: 'accept',
      isChargedBack: false,
      despite: objection,
    });
  });

  it('where the processor shows no such charge: accepted, as nothing speaks against it', () => {
    const over = { status: null, amountMinor: null, currency: null };
    expect(answerToAccept(on({ over }))).toMatchObject({ kind: 'accept' });
  });
});
