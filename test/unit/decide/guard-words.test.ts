/**
 * Guarantee: each guard says in words what it stops and why, what it leaves of a fallback is as written
 * here by hand, and what counts as refunded is counted to the minor unit.
 */
import { describe, expect, it } from 'vitest';
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { Intent } from '../../../src/alerts/decide/guard.ts';
import { alertMoneyText, GUARDS, unknownValues } from '../../../src/alerts/decide/guards.ts';
import {
  amountToRefund,
  isSettled,
  refundedShare,
} from '../../../src/alerts/decide/money-state.ts';
import type { FactsOver } from './fixtures.ts';
import { account, alertInputs, facts, foundCharge, ownRefund } from './fixtures.ts';

const REFUND: Intent = { action: 'REFUND', amount: 'full', occasion: 'policy' };

function words(name: string, over: FactsOver, intent: Intent | null = REFUND): string | undefined {
  return GUARDS.find((guard) => guard.name === name)!.check(facts(over), intent);
}

/** 45 letters, of which 40 are shown. */
const LONG = 'A'.repeat(45);

describe('the words of a guard', () => {
  it.each<[string, FactsOver, string]>([
    ['alert_not_open', { alert: { status: 'RESOLVED' } }, 'the alert is RESOLVED already'],
    [
      'alert_status_unknown',
      { alert: { status: LONG } },
      `the alert has a status Forestall does not know (${'A'.repeat(40)}…)`,
    ],
    [
      'alert_status_unknown',
      { alert: { status: 'B'.repeat(40) } },
      `the alert has a status Forestall does not know (${'B'.repeat(40)})`,
    ],
    [
      'alert_value_unknown',
      { alert: { scheme: 'X', refundOutcome: 'Y' } },
      'the alert carries values Forestall does not know (card scheme, refund outcome)',
    ],
    [
      'deadline_unusable',
      { alert: { createdAt: '2026-03-13T04:00:00.001Z' } },
      'its deadline lies before its creation',
    ],
    ['deadline_passed', { now: '2026-03-13T04:00:00.000Z' }, 'its deadline has passed'],
    [
      'cancel_not_offered',
      {},
      'CANCEL and REFUND_AND_CANCEL are not for CUSTOM_ORDERS integrations',
    ],
    [
      'no_charge',
      { match: { outcome: 'none', tier: null } },
      'no charge was found that this alert is about',
    ],
    [
      'several_charges',
      { match: { outcome: 'several', tier: null } },
      'several charges could be meant, and none is chosen',
    ],
    [
      'refund_under_way',
      { ownRefund: ownRefund({ state: 'PENDING', amountMinor: 1000 }) },
      'a refund for this dispute is under way that does not reach the amount of this alert',
    ],
    [
      'search_unanswered',
      { match: { outcome: 'none', tier: null, unanswered: true } },
      "the processor's search did not answer, so it is not known whether it shows the charge",
    ],
    [
      'dispute_unclear',
      { account: account({ dispute: 'unclear', unclearBecause: 'it does not fit' }) },
      'another complaint about the charge is known, and it does not fit',
    ],
    [
      'dispute_unclear',
      { account: account({ dispute: 'unclear' }) },
      'another complaint about the charge is known, and nobody knows whether it is the same',
    ],
    [
      'another_alert_accepted',
      { account: account({ isAccepted: true }) },
      'another alert about the same dispute was answered ACCEPT_DISPUTE',
    ],
    [
      'refund_rejected',
      { account: account({ refusal: { code: 'too_old', failureClass: 'final' } }) },
      'the processor refused for good to refund this dispute before (too_old)',
    ],
    [
      'refund_reversed',
      { ownRefund: ownRefund({ state: 'REVERSED' }) },
      'an earlier refund for this dispute failed after it had been confirmed',
    ],
    [
      'processor_unavailable',
      { charge: { kind: 'unavailable', reason: 'down' } },
      'the processor could not be asked about the charge (down)',
    ],
    ['charge_absent', { charge: { kind: 'absent' } }, 'the processor does not know the charge'],
    [
      'processor_cannot_be_asked',
      { charge: { kind: 'not_offered' } },
      'the processor does not say what is left of a charge',
    ],
    [
      'refund_pending_elsewhere',
      { charge: foundCharge({ pendingMinor: 990 }) },
      'a refund of 9.90 USD by somebody else is pending at the processor',
    ],
    [
      'refund_rejected',
      { ownRefund: ownRefund({ state: 'REJECTED' }) },
      'the processor refused for good to refund this dispute before',
    ],
    [
      'declined',
      { charge: foundCharge({ status: 'voided' }) },
      'the payment was voided: there is nothing to refund',
    ],
    [
      'disputed',
      { charge: foundCharge({ disputed: true }) },
      'a dispute is open at the processor: a refund would be paid twice',
    ],
    ['currency_differs', { alert: { currency: 'EUR' } }, 'the alert is in EUR, the charge in USD'],
    [
      'amount_differs',
      { alert: { amountMinor: 2991 } },
      'the alert is about 29.91 USD, the charge about 29.90 USD',
    ],
    [
      'partly_refunded',
      { charge: foundCharge({ refundedMinor: 1000 }) },
      '10.00 USD of the charge were refunded before, and the policy asks for the full amount',
    ],
    [
      'remainder_too_small',
      { charge: foundCharge({ refundableMinor: 2989 }) },
      '29.90 USD would have to be refunded, and 29.89 USD are left of the charge',
    ],
    [
      'too_late',
      { now: '2026-03-13T03:45:00.001Z' },
      'less than 15 minutes are left before the deadline, too little to refund safely',
    ],
  ])('%s', (name, over, sentence) => {
    expect(words(name, over)).toBe(sentence);
    expect(words(name, {})).toBe(name === 'cancel_not_offered' ? sentence : undefined);
  });

  it('money of before the complaint holds a part of the charge, and nothing that is about all of it', () => {
    const older = (unnamedMinor: number, amountMinor: number, currency = 'USD') => ({
      account: account({ unnamedMinor }),
      alert: { amountMinor, currency },
    });
    const part: Intent = { ...REFUND, amount: 'alert_amount' };
    const sentence =
      '25.00 USD of the charge went back before the complaint, and nobody has said whether that was for it';
    expect(words('partly_refunded', older(2500, 2000), part)).toBe(sentence);
    expect(words('partly_refunded', older(0, 2000), part)).toBeUndefined();
    expect(words('partly_refunded', older(2500, 2990), part)).toBeUndefined();
    expect(words('partly_refunded', older(2500, 2000, 'EUR'), part)).toBeUndefined();
  });

  it('a withdrawal is not left unrefunded by a rule or by silence; a person may say it is not owed', () => {
    const withdrawn = { alert: { enrolmentType: 'WITHDRAWAL' } };
    const accept = (occasion: Intent['occasion']): Intent => ({
      ...REFUND,
      ...{ action: 'ACCEPT_DISPUTE', occasion },
    });
    const sentence = 'the customer has withdrawn, and no rule may leave that unrefunded';
    expect(words('owed_by_law', withdrawn, accept('policy'))).toBe(sentence);
    expect(words('owed_by_law', withdrawn, accept('fallback'))).toBe(sentence);
    expect(words('owed_by_law', withdrawn, accept('operator'))).toBeUndefined();
    expect(words('owed_by_law', withdrawn, REFUND)).toBeUndefined();
    expect(words('owed_by_law', {}, accept('policy'))).toBeUndefined();
  });

  it('a deadline at the alert’s creation, or without one, is usable', () => {
    const at = '2026-03-13T04:00:00.000Z';
    expect(words('deadline_unusable', { alert: { createdAt: at } })).toBeUndefined();
    expect(words('deadline_unusable', { alert: { createdAt: null } })).toBeUndefined();
  });

  it('a person’s question, with no intent, is not stopped by what only a refund would meet', () => {
    const part = { charge: foundCharge({ refundedMinor: 1000, refundableMinor: 0 }) };
    expect(words('partly_refunded', part, null)).toBeUndefined();
    expect(words('remainder_too_small', part, null)).toBeUndefined();
    const smaller = { alert: { amountMinor: 1000 } };
    expect(words('amount_differs', smaller, null)).toBeUndefined();
    expect(words('amount_differs', smaller)).toContain('10.00 USD');
  });

  it('the last minor unit may be refunded', () => {
    const charge = foundCharge({ amountMinor: 1, refundableMinor: 1 });
    expect(words('remainder_too_small', { charge, alert: { amountMinor: 1 } })).toBeUndefined();
    const none = foundCharge({ refundableMinor: 0 });
    expect(words('remainder_too_small', { charge: none })).toContain('0.00 USD');
  });
});

describe('every guard', () => {
  it('stops, does and leaves what is written here', () => {
    const rows = GUARDS.map(
      ({ name, stops, effect, fallbacks }) => `${name} ${stops} ${effect} ${fallbacks}`,
    );
    expect(rows).toEqual([
      'network_refunded everything nothing none',
      'alert_not_open everything nothing none',
      'alert_status_unknown everything review none',
      'alert_value_unknown everything review none',
      'deadline_unusable everything review none',
      'deadline_passed everything review none',
      'owed_by_law everything review none',
      'cancel_not_offered cancel review any',
      'alert_amount_unreadable everything review accept',
      'search_unanswered everything review any',
      'no_charge everything review accept',
      'several_charges everything review accept_by_rule',
      'processor_unavailable everything review any',
      'refund_under_way everything review any',
      'dispute_unclear everything review accept',
      'another_refund_ahead everything review any',
      'refund_reversed everything review accept',
      'charge_absent everything review accept',
      'refund_pending_elsewhere everything review any',
      'processor_cannot_be_asked refund review accept',
      'another_alert_accepted refund review accept',
      'refund_rejected refund review accept',
      'network_refund_unclear everything review any',
      'acceptance_unclear refund review accept',
      'part_went_back everything review none',
      'declined refund review accept',
      'disputed refund review accept',
      'currency_differs refund review accept',
      'amount_differs refund review accept',
      'partly_refunded refund review accept',
      'network_currency refund review accept',
      'remainder_too_small refund review accept',
      'partial_needs_person refund review accept',
      'another_processor refund review accept',
      'too_late refund review accept',
    ]);
  });
});

describe('an alert’s amount', () => {
  it.each<[number | null, string | null, string]>([
    [2990, 'USD', '29.90 USD'],
    [null, 'USD', 'an unknown amount'],
    [2990, null, '2990 minor units of an unknown currency'],
    [2990.5, 'USD', '2990.5 minor units of an unknown currency'],
  ])('%s %s reads %s', (amountMinor, currency, text) => {
    expect(alertMoneyText(alertInputs({ amountMinor, currency }))).toBe(text);
  });

  it('names each value that the specification does not give', () => {
    const odd = alertInputs({ enrolmentType: null, scheme: 'X', refundOutcome: 'Y' });
    expect(unknownValues(odd)).toEqual(['enrolment type', 'card scheme', 'refund outcome']);
    expect(unknownValues(alertInputs({ scheme: null }))).toEqual([]);
  });
});

describe('what is refunded', () => {
  const withCharge = (refundedMinor: number): DecisionFacts =>
    facts({ charge: foundCharge({ refundedMinor }) });

  it('is none, part or full of the charge', () => {
    expect([0, 1, 2989, 2990, 2991].map((minor) => refundedShare(withCharge(minor)))).toEqual([
      'none',
      'part',
      'part',
      'full',
      'full',
    ]);
    expect(refundedShare(facts({ charge: { kind: 'absent' } }))).toBeNull();
  });

  it('counts ours and what was beside it, while it is on its way too', () => {
    const both = (state: 'CONFIRMED' | 'INTENT' | 'PENDING' | 'HUMAN' | 'REJECTED') =>
      isSettled(facts({ ownRefund: ownRefund({ state, amountMinor: 2000, externalMinor: 990 }) }));
    expect(both('CONFIRMED')).toBe(true);
    expect(both('INTENT')).toBe(true);
    expect(both('PENDING')).toBe(true);
    expect(both('HUMAN')).toBe(true);
    expect(both('REJECTED')).toBe(false);
  });

  const covered = account({ isCovered: true, coveredMinor: 2990, outMinor: 2990 });
  const underWay = { id: 'mv_1', amountMinor: 2990, isVoid: false };

  it.each<[string, FactsOver, boolean]>([
    ['covered', { account: covered }, true],
    ['nothing', { account: account() }, false],
    ['no account', { account: null }, false],
    [
      'covered, of no single charge',
      { account: covered, match: { outcome: 'several', tier: null } },
      false,
    ],
    [
      'covered, of a charge that cannot be read',
      { account: covered, charge: { kind: 'absent' } },
      true,
    ],
    ['ours under way, all of it', { account: account({ outMinor: 2990, underWay }) }, true],
    ['ours under way, one too little', { account: account({ outMinor: 2989, underWay }) }, false],
    [
      'ours under way, in another currency',
      { account: account({ outMinor: 2990, underWay }), alert: { currency: 'EUR' } },
      false,
    ],
    [
      'ours under way, of an alert without an amount',
      { account: account({ outMinor: 2990, underWay }), alert: { amountMinor: null } },
      false,
    ],
    ['somebody else’s pending', { account: account({ outMinor: 2990 }) }, false],
    [
      'a release under way',
      { account: account({ underWay: { ...underWay, amountMinor: 0, isVoid: true } }) },
      true,
    ],
  ])('settles the alert or not: %s', (_name, over, expected) => {
    expect(isSettled(facts(over))).toBe(expected);
  });

  it.each<[string, FactsOver, boolean]>([
    ['all of it', { charge: foundCharge({ refundedMinor: 2990 }) }, true],
    ['nothing', {}, false],
    [
      'the smaller alert’s amount',
      { alert: { amountMinor: 1000 }, charge: foundCharge({ refundedMinor: 1000 }) },
      true,
    ],
    [
      'ours, of a charge that cannot be read',
      { charge: { kind: 'unavailable', reason: 'down' }, ownRefund: ownRefund() },
      true,
    ],
    [
      'ours in another currency, of a charge that cannot be read',
      { charge: { kind: 'not_offered' }, ownRefund: ownRefund({ currency: 'EUR' }) },
      false,
    ],
    [
      'the whole charge, for an alert in another currency',
      { alert: { currency: 'EUR' }, charge: foundCharge({ refundedMinor: 2990 }) },
      true,
    ],
    [
      'a part, for an alert in another currency',
      { alert: { currency: 'EUR', amountMinor: 1 }, charge: foundCharge({ refundedMinor: 2989 }) },
      false,
    ],
    ['a release refused', { ownRefund: ownRefund({ state: 'REJECTED', isVoid: true }) }, false],
  ])('decisions of before the ledger are read alike: %s', (_name, over, expected) => {
    expect(isSettled(facts(over))).toBe(expected);
  });

  it('leaves the rest to be moved', () => {
    const charge = { ...foundCharge({ refundedMinor: 1000 }) };
    if (charge.kind !== 'found') throw new Error('the charge is found');
    const part = facts({ charge, alert: { amountMinor: 2000 } });
    expect(amountToRefund('full', part, charge)).toBe(2990);
    expect(amountToRefund('whole_charge', part, charge)).toBe(2990);
    expect(amountToRefund('alert_amount', part, charge)).toBe(1000);
    expect(amountToRefund('remainder', part, charge)).toBe(1000);
    // Of another dispute's money nothing is taken off.
    const beside = facts({ charge, alert: { amountMinor: 2000 }, account: account() });
    expect(amountToRefund('alert_amount', beside, charge)).toBe(2000);
    // Above the charge no more than the charge.
    expect(amountToRefund('alert_amount', facts({ alert: { amountMinor: 4000 } }), charge)).toBe(
      2990,
    );
  });
});
