/** Guarantee: each fact is told in words, and speaks for a charge, against it, or rules it out, as its kind says. */
import { describe, expect, test } from 'vitest';
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import type { ChoiceSign } from '../../../src/alerts/match/choice.ts';
import type { Evidence, Fact } from '../../../src/alerts/match/compare.ts';
import { compare } from '../../../src/alerts/match/compare.ts';
import type { MatchTier, WeakSign } from '../../../src/alerts/match/match-settings.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import { mergeCandidates } from '../../../src/alerts/match/merge-candidates.ts';
import { tierText } from '../../../src/alerts/match/tiers.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { ARN, alertFacts, chargeRecord } from './fixtures.ts';

const RATES = { USD: 1, EUR: 1.1 };

function evidenceOf(
  alert: Partial<AlertFacts>,
  charge: Partial<ChargeRecord>,
  sign?: ChoiceSign,
): readonly Evidence[] {
  const choice = sign === undefined ? {} : { choice: { sign, operator: 'ada', alertId: 'a_0' } };
  const candidate = { charge: chargeRecord(charge), sources: ['order'] as const, ...choice };
  const settings = { ...DEFAULT_MATCH_SETTINGS, rates: RATES };
  return compare(alertFacts(alert), candidate, settings).evidence;
}

/** As a person would say it: `for`, `against`, or `rules out`. */
function told(evidence: readonly Evidence[]): string[] {
  return evidence.map(({ text, weight, contradicts }) => {
    const side = ['against', 'nothing', 'for'][Math.sign(weight) + 1];
    return `${contradicts ? 'rules out' : side}: ${text}`;
  });
}

const EVERYTHING: Partial<AlertFacts> = {
  reference: 'ch_1',
  arn: ARN,
  authorisationCode: 'AB12CD',
  descriptor: 'Shop  1',
};

test('a charge that agrees in everything', () => {
  const charge = {
    acquirerReferenceNumber: ARN,
    authorisationCode: 'ab12cd',
    authorisedAt: '2026-03-12T00:00:00Z',
    descriptor: 'SHOP 1*ORDER',
  };
  const evidence = evidenceOf(EVERYTHING, charge, 'same_payment');
  expect(told(evidence)).toEqual([
    'for: transaction reference agrees',
    'for: ada chose this charge for the same payment (alert a_0)',
    'for: ARN agrees',
    'for: authorisation code agrees',
    'for: last 4 digits agrees',
    'for: BIN agrees',
    'for: card brand agrees',
    'for: amount agrees',
    'for: currency agrees',
    'for: 2 days between the alert and the charge',
    'for: descriptor agrees',
  ]);
  expect(new Set(evidence.map(({ verdict }) => verdict))).toEqual(new Set(['agrees']));
});

test('a charge that differs in everything: what one payment has once rules it out', () => {
  const charge = {
    reference: 'ch_2',
    acquirerReferenceNumber: '74208326069000000000025',
    authorisationCode: 'ZZ99ZZ',
    cardLast4: '2222',
    cardBin: '522222',
    cardBrand: 'SCHEME_B',
    amountMinor: 100,
    currency: 'GBP',
    // 10 March and 31 days on.
    authorisedAt: '2026-04-10T00:00:00Z',
    descriptor: 'ELSEWHERE',
  };
  const evidence = evidenceOf(EVERYTHING, charge, 'other_charge');
  // No rate for pounds, and descriptors that differ mean nothing.
  expect(told(evidence)).toEqual([
    'rules out: transaction reference differs',
    'against: ada chose another charge for the same payment (alert a_0)',
    'rules out: ARN differs',
    'rules out: authorisation code differs',
    'rules out: last 4 digits differs',
    'rules out: BIN differs',
    'rules out: card brand differs',
    'against: currency differs: USD on the alert, GBP on the charge',
    'rules out: 31 days between the alert and the charge',
  ]);
  expect(evidence.every(({ weight }) => weight < 0)).toBe(true);
});

test('what is not known on one side is not told at all', () => {
  const nothing = {
    cardLast4: null,
    cardBin: null,
    cardBrand: null,
    authorisedAt: null,
    authorisationCode: null,
    acquirerReferenceNumber: null,
    descriptor: null,
  };
  expect(told(evidenceOf({ ...EVERYTHING, reference: null }, nothing))).toEqual([
    'for: amount agrees',
    'for: currency agrees',
  ]);
  const charge = {
    acquirerReferenceNumber: ARN,
    authorisationCode: 'AB12CD',
    descriptor: 'SHOP',
  };
  const empty = { cardLast4: null, cardBin: null, cardBrand: null, day: null };
  const noMoney = { amountMinor: null, currency: null };
  expect(told(evidenceOf({ ...empty, ...noMoney }, charge))).toEqual([]);
});

describe('one fact', () => {
  const charged = 'on the alert, 29.90 USD on the charge';
  test.each<[Fact, string, Partial<AlertFacts>, Partial<ChargeRecord>, string | undefined]>([
    [
      'date',
      '30 days',
      {},
      { authorisedAt: '2026-04-09' },
      'against: 30 days between the alert and the charge',
    ],
    [
      'date',
      '3 days',
      {},
      { authorisedAt: '2026-03-07' },
      'against: 3 days between the alert and the charge',
    ],
    ['amount', 'a part', { amountMinor: 990 }, {}, `against: amount differs: 9.90 USD ${charged}`],
    ['amount', 'more', { amountMinor: 3000 }, {}, `against: amount differs: 30.00 USD ${charged}`],
    // 27.18 EUR at 1.10 are 29.898 USD, and 26.00 EUR are 28.60 USD: 1.30 of 29.90.
    [
      'amount',
      'converted',
      { amountMinor: 2718, currency: 'EUR' },
      {},
      `for: amount agrees: 27.18 EUR ${charged}, 0.0 % apart after conversion`,
    ],
    [
      'amount',
      'converted, too far apart',
      { amountMinor: 2600, currency: 'EUR' },
      {},
      `against: amount differs: 26.00 EUR ${charged}, 4.3 % apart after conversion`,
    ],
    [
      'amount',
      'without a currency',
      { amountMinor: 990, currency: null },
      {},
      `against: amount differs: 990 ${charged}`,
    ],
    [
      'descriptor',
      'cut short',
      { descriptor: 'SHOP*ORDER 17' },
      { descriptor: 'shop*order' },
      'for: descriptor agrees',
    ],
    [
      'transaction_reference',
      'of another integration',
      { reference: 'ch_9', integrationId: 'int_2' },
      { integrationId: 'int_1' },
      undefined,
    ],
    ['descriptor', 'on the alert only', { descriptor: 'SHOP' }, {}, undefined],
    ['descriptor', 'on the charge only', {}, { descriptor: 'SHOP' }, undefined],
    [
      'authorisation_code',
      'six characters against seven',
      { authorisationCode: 'A1B2C3' },
      { authorisationCode: 'A1B2C3D' },
      undefined,
    ],
    ['card_brand', 'no scheme against a scheme', {}, { cardBrand: 'amex' }, undefined],
    [
      'card_brand',
      'in another spelling',
      { cardBrand: 'amex' },
      { cardBrand: 'Am-Ex' },
      'for: card brand agrees',
    ],
    ['card_brand', 'on the alert only', {}, { cardBrand: null }, undefined],
  ])('%s: %s', (fact, _case, alert, charge, expected) => {
    const [line] = told(evidenceOf(alert, charge).filter((each) => each.fact === fact));
    expect(line).toBe(expected);
  });

  test.each<[ChoiceSign, string]>([
    ['like_payment', 'for: ada chose this charge for a payment of the same card, amount and date'],
    ['same_token', 'for: ada recognised these card digits as this card before'],
  ])('a choice that says %s', (sign, line) => {
    expect(told(evidenceOf({}, {}, sign))).toContain(`${line} (alert a_0)`);
  });
});

// The words of the table in `src/alerts/match/README.md`, as a sentence puts them.
test.each<[MatchTier | WeakSign, string]>([
  ['transaction_reference', "the service's own transaction reference"],
  ['operator_choice', 'what a person chose for the same payment'],
  ['arn', 'the ARN with last 4 digits or BIN'],
  ['authorisation_code', 'the authorisation code with last 4 digits and date'],
  ['card_and_amount', 'BIN, last 4 digits, brand, amount, currency and date'],
  ['identifier_alone', 'the ARN or the authorisation code agrees, and too little besides'],
  ['card_incomplete', 'last 4 digits, amount and date agree, and too little besides'],
  ['partial_amount', 'card and date agree, and the amount is a part of the charge'],
  ['foreign_currency', 'card and date agree, and the amount agrees in another currency'],
  [
    'wallet_token',
    'amount and date agree on other card digits, as a wallet or a renewed card has them',
  ],
  ['descriptor', 'amount, date and descriptor agree, and the card is not known'],
])('%s reads: %s', (name, text) => {
  expect(tierText(name)).toBe(text);
});

describe('one candidate per charge', () => {
  const full = chargeRecord({
    integrationId: 'int_1',
    settledAt: '2026-03-11T00:00:00.000Z',
    authorisationCode: 'AB12CD',
    acquirerReferenceNumber: ARN,
    descriptor: 'SHOP',
    subscriptionReference: 'sub_1',
  });
  const { reference, amountMinor, currency, source: _source, ...optional } = full;
  const gaps = Object.fromEntries(Object.keys(optional).map((key) => [key, null]));

  test('each gap of the one is filled from the other', () => {
    const bare = chargeRecord({ source: 'processor', ...gaps });
    for (const records of [
      [full, bare],
      [bare, full],
    ]) {
      const [merged] = mergeCandidates(records);
      expect(merged).toEqual({
        charge: { ...full, source: 'processor' },
        sources: ['order', 'processor'],
      });
    }
  });

  test("the processor's word goes before an order's, and a newer one before an older", () => {
    const other = Object.fromEntries(Object.keys(optional).map((key) => [key, `other ${key}`]));
    const known = chargeRecord({ ...other, source: 'processor', amountMinor: 1, currency: 'EUR' });
    const paid = { reference, amountMinor, currency };
    expect(mergeCandidates([known, full])[0]?.charge).toEqual(known);
    expect(mergeCandidates([full, known])[0]?.charge).toEqual(known);
    for (const source of ['processor', 'order'] as const) {
      const newer = { ...full, ...paid, source };
      const older = { ...known, source };
      expect(mergeCandidates([older, newer])[0]).toEqual({ charge: newer, sources: [source] });
    }
  });

  test('in the order of their references', () => {
    const named = ['ch_2', 'ch_3', 'ch_1'].map((name) => chargeRecord({ reference: name }));
    expect(mergeCandidates(named).map(({ charge }) => charge.reference)).toEqual([
      'ch_1',
      'ch_2',
      'ch_3',
    ]);
  });
});
