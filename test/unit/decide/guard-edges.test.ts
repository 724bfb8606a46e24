/**
 * Guarantee: what holds an alert because of money that is known in part says so in words, is asked again where time may end it,
 * and stops only whom it is about; facts that were stored before there was a standing are counted to the minor unit.
 */
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/alerts/decide/guard.ts';
import { firstGuard, GUARDS } from '../../../src/alerts/decide/guards.ts';
import { accountOf, reasonsIn, verdictIn } from '../../../src/alerts/decide/money-state.ts';
import { ENTRUSTED_MS } from '../../../src/alerts/guard/second-person.ts';
import type { Standing } from '../../../src/alerts/ledger/verdict.ts';
import type { FactsOver } from './fixtures.ts';
import { account, facts, foundCharge, ownRefund, standing } from './fixtures.ts';

const intent = (over: Partial<Intent> = {}): Intent => ({
  ...{ action: 'REFUND', amount: 'full', occasion: 'policy' },
  ...over,
});
const ACCEPT = intent({ action: 'ACCEPT_DISPUTE' });
const OPERATOR = intent({ occasion: 'operator' });

function sentenceOf(name: string, over: FactsOver, wanted: Intent): string | undefined {
  return GUARDS.find((guard) => guard.name === name)?.check(facts(over), wanted);
}

const stands = (over: Partial<Standing>): FactsOver => ({
  account: account({ standing: standing(over) }),
});

const part = { amountMinor: 1000, disputeMinor: 1000, missingMinor: 1000 };
const objection = {
  kind: 'part_went_back',
  amountMinor: 700,
  currency: 'USD',
  movementId: 'mv_1',
} as const;

describe('what the ledger says in part', () => {
  it.each<[string, FactsOver, Intent, string]>([
    [
      'another_refund_ahead',
      stands({ disputeId: null, isRefundAhead: true }),
      ACCEPT,
      'another alert about the charge is to be refunded, and accepting this one would stop that',
    ],
    [
      'refund_pending_elsewhere',
      stands({ pendingMinor: 2990 }),
      intent(),
      'the network has not said yet whether it refunded, or how much',
    ],
    [
      'refund_pending_elsewhere',
      { ...stands({ pendingMinor: 2990 }), charge: foundCharge({ pendingMinor: 1 }) },
      intent(),
      'a refund of 0.01 USD by somebody else is pending at the processor',
    ],
    [
      'refund_pending_elsewhere',
      { ...stands({ pendingMinor: 2990 }), charge: { kind: 'not_offered' } },
      intent(),
      'the network has not said yet whether it refunded, or how much',
    ],
    [
      'refund_rejected',
      stands({ isRefusedForGood: true }),
      intent(),
      'the processor refused for good to refund this dispute before',
    ],
    [
      'network_refund_unclear',
      stands({ networkInDoubtMs: 1 }),
      ACCEPT,
      'the network refunded a payment (RDR) that may be this one, and nobody can say which',
    ],
    [
      'acceptance_unclear',
      stands({ acceptanceInDoubtMs: 1 }),
      intent(),
      'an alert that was accepted for no charge may be about this one, and a refund beside it may be paid twice',
    ],
    [
      'part_went_back',
      stands({ objection }),
      ACCEPT,
      'money went back for this dispute, so accepting it would pay that part twice',
    ],
    [
      'network_currency',
      stands({ isForeign: true }),
      intent(),
      'the network refunded (RDR) in another currency',
    ],
    [
      'partial_needs_person',
      {
        ...stands(part),
        alert: { amountMinor: 1000 },
        charge: foundCharge({ refusesOverRefund: false }),
      },
      intent({ amount: 'alert_amount' }),
      'a part of the charge would be refunded, and the processor does not refuse a refund above what is left',
    ],
    [
      'another_processor',
      stands({ isThroughAnother: true }),
      intent(),
      'money of this charge went through another processor, and what this one shows may be another charge',
    ],
  ])('%s', (name, over, wanted, sentence) => {
    expect(sentenceOf(name, over, wanted)).toBe(sentence);
    expect(sentenceOf(name, stands({}), wanted)).toBeUndefined();
  });

  it('is asked again where time may end it, and nowhere else', () => {
    expect(GUARDS.filter(({ retry }) => retry === true).map(({ name }) => name)).toEqual([
      'search_unanswered',
      'processor_unavailable',
      'refund_under_way',
      'another_refund_ahead',
      'refund_pending_elsewhere',
      'network_refund_unclear',
    ]);
  });
});

describe('whom a guard is about', () => {
  const first = (over: FactsOver, wanted: Intent) =>
    firstGuard(GUARDS, facts(over), wanted)?.guard.name;

  it('what stops refunds stops no cancellation, and the other way round', () => {
    const accepted = stands({ isAccepted: true });
    expect(first(accepted, intent())).toBe('another_alert_accepted');
    const elsewhere = { ...accepted, integrationType: 'OTHER' };
    expect(first(elsewhere, intent({ action: 'CANCEL' }))).toBeUndefined();
    expect(first(elsewhere, intent({ action: 'REFUND_AND_CANCEL' }))).toBe(
      'another_alert_accepted',
    );
    expect(first({}, intent({ action: 'CANCEL' }))).toBe('cancel_not_offered');
  });

  it('what is owed is not over after its day', () => {
    const over = { now: '2026-04-01T00:00:00.000Z', ...stands({}) };
    expect(first(over, intent())).toBe('deadline_passed');
    expect(first({ ...over, alert: { enrolmentType: 'WITHDRAWAL' } }, intent())).toBeUndefined();
  });

  it('a search that did not answer is nothing where one charge is meant', () => {
    const match = { outcome: 'single', tier: 'arn', unanswered: true } as const;
    expect(first({ ...stands({}), match }, intent())).toBeUndefined();
  });
});

describe('facts without a standing', () => {
  const refundOf = (over: FactsOver, wanted = OPERATOR) => verdictIn(facts(over), wanted);
  const refund = (amountMinor: number) => ({ kind: 'refund', amountMinor, disputeId: 'dsp_1' });

  it('a dispute is about what its alert asks for', () => {
    const given = { alert: { amountMinor: 2000 }, account: account() };
    expect(refundOf(given)).toEqual(refund(2000));
    expect(refundOf({ ...given, alert: { amountMinor: null } })).toMatchObject({ kind: 'hold' });
  });

  it('misses what did not go back', () => {
    const given = { account: account({ coveredMinor: 500, outMinor: 500 }) };
    expect(refundOf(given)).toEqual(refund(2490));
  });

  it('the amount that was named goes', () => {
    const given = { account: account({ coveredMinor: 500 }) };
    expect(refundOf(given, { ...OPERATOR, amount: 'remainder' })).toEqual(refund(2490));
  });

  it('in no dispute it is accepted by silence, unless another one is to be refunded', () => {
    const wanted: Intent = { ...ACCEPT, occasion: 'fallback' };
    const unclear = account({ dispute: 'unclear' });
    expect(refundOf({ account: unclear }, wanted)).toMatchObject({ kind: 'accept' });
    expect(refundOf({ account: { ...unclear, isRefundAhead: true } }, wanted)).toMatchObject({
      kind: 'hold',
      reason: 'another_refund_ahead',
    });
  });

  it('what is under way reaches the alert, although the processor is away', () => {
    const given = {
      charge: { kind: 'unavailable', reason: 'away' },
      account: account({
        outMinor: 2990,
        underWay: { id: 'mv_1', amountMinor: 2990, isVoid: false },
      }),
    } as const;
    expect(refundOf(given)).toEqual({ kind: 'under_way', movementId: 'mv_1', reaches: true });
    expect(reasonsIn(facts(given), OPERATOR)).toEqual([]);
  });

  it('what is owed may be refunded at any time', () => {
    const late = { now: '2026-03-13T03:59:00.000Z', account: account() };
    expect(refundOf(late)).toMatchObject({ kind: 'hold', reason: 'too_late' });
    expect(refundOf({ ...late, alert: { enrolmentType: 'WITHDRAWAL' } })).toEqual(refund(2990));
  });

  it('nothing covers nothing, and is the first complaint', () => {
    const none = facts({ alert: { amountMinor: 0 }, ownRefund: ownRefund({ amountMinor: 0 }) });
    expect(accountOf(none).isCovered).toBe(false);
    expect(accountOf(facts({ account: null })).dispute).toBe('first');
  });
});

it('whom somebody trusted is their hand for a day', () => {
  expect(ENTRUSTED_MS).toBe(86_400_000);
});
