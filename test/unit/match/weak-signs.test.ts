/** Guarantee: a weak sign shows a charge to a person and never names it, whatever the settings. */
import { describe, expect, test } from 'vitest';
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import { compareAmounts } from '../../../src/alerts/match/compare-amount.ts';
import type { MatchSettings } from '../../../src/alerts/match/match-settings.ts';
import { DEFAULT_MATCH_SETTINGS, MATCH_TIERS } from '../../../src/alerts/match/match-settings.ts';
import { matchAlert } from '../../../src/alerts/match/matcher.ts';
import { mergeCandidates } from '../../../src/alerts/match/merge-candidates.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { ARN, alertFacts, chargeRecord } from './fixtures.ts';

const SETTINGS: MatchSettings = {
  ...DEFAULT_MATCH_SETTINGS,
  rates: { USD: 1, EUR: 1.1, JPY: 0.0065 },
};

function match(
  alert: Partial<AlertFacts>,
  charges: readonly Partial<ChargeRecord>[],
  settings = SETTINGS,
) {
  return matchAlert(alertFacts(alert), mergeCandidates(charges.map(chargeRecord)), settings);
}

const noCard = { cardBin: null, cardLast4: null, cardBrand: null };

describe('each sign', () => {
  test.each<[string, Partial<AlertFacts>, Partial<ChargeRecord>, string | null]>([
    [
      'ARN alone',
      { ...noCard, arn: ARN, amountMinor: null },
      { acquirerReferenceNumber: ARN },
      'identifier_alone',
    ],
    [
      'code without last 4',
      { ...noCard, authorisationCode: 'AB12CD' },
      { authorisationCode: 'AB12CD' },
      'identifier_alone',
    ],
    [
      'ARN in another currency',
      { arn: ARN, currency: 'GBP' },
      { acquirerReferenceNumber: ARN },
      'identifier_alone',
    ],
    ['the card without BIN', { cardBin: null }, {}, 'card_incomplete'],
    ['the card without brand', { cardBrand: null }, {}, 'card_incomplete'],
    ['a part of the amount', { amountMinor: 1000 }, {}, 'partial_amount'],
    ['more than the amount', { amountMinor: 3000 }, {}, null],
    ['a part, and the last 4 not known', { amountMinor: 1000, cardLast4: null }, {}, null],
    ['a part in a currency that is not told', { amountMinor: 1000, currency: null }, {}, null],
    [
      'another currency, and the last 4 not known',
      { amountMinor: 2718, currency: 'EUR', cardLast4: null },
      {},
      null,
    ],
    [
      'other digits on the same ARN',
      { cardLast4: '0042', cardBrand: null, arn: ARN },
      { acquirerReferenceNumber: ARN },
      'wallet_token',
    ],
    [
      'other digits on the same code',
      { cardLast4: '0042', cardBrand: null, authorisationCode: 'AB12CD' },
      { authorisationCode: 'AB12CD' },
      'wallet_token',
    ],
    ['a part, three days apart', { amountMinor: 1000 }, { authorisedAt: '2026-03-13' }, null],
    // 27.18 EUR at 1.10 are 29.898 USD: 0.007 % off.
    ['another currency, agreeing', { amountMinor: 2718, currency: 'EUR' }, {}, 'foreign_currency'],
    // 26.00 EUR at 1.10 are 28.60 USD: 4.3 % off.
    ['another currency, 4 % off', { amountMinor: 2600, currency: 'EUR' }, {}, null],
    ['a currency without a rate', { amountMinor: 2300, currency: 'GBP' }, {}, null],
    ['other card digits', { cardLast4: '0042' }, {}, 'wallet_token'],
    ['another BIN', { cardBin: '489537' }, {}, 'wallet_token'],
    ['other digits of another brand', { cardLast4: '0042', cardBrand: 'SCHEME_B' }, {}, null],
    ['other digits, nothing else agrees', { cardLast4: '0042', cardBrand: null }, {}, null],
    [
      'other digits, and the descriptor agrees',
      { cardLast4: '0042', cardBrand: null, descriptor: 'SHOP' },
      { descriptor: 'SHOP*1' },
      'wallet_token',
    ],
    [
      'other digits, and another code',
      { cardLast4: '0042', authorisationCode: 'AAAAAA' },
      { authorisationCode: 'BBBBBB' },
      null,
    ],
    ['other digits and another amount', { cardLast4: '0042', amountMinor: 1000 }, {}, null],
    [
      'other digits on a recycled ARN',
      { cardLast4: '0042', arn: ARN },
      { acquirerReferenceNumber: ARN, authorisedAt: '2025-03-10' },
      null,
    ],
    [
      'descriptor, amount and date',
      { ...noCard, descriptor: 'SHOP' },
      { descriptor: 'SHOP*1' },
      'descriptor',
    ],
    ['amount and date alone', noCard, {}, null],
  ])('%s', (_case, alert, charge, expected) => {
    const result = match(alert, [charge]);
    expect(result).toMatchObject({ outcome: 'none', chargeReference: null, weakSign: expected });
    expect(result.candidates[0]).toMatchObject({ tier: null, sign: expected });
  });

  test('the sentence says what could be meant, and by what', () => {
    expect(match({ amountMinor: 1000 }, [{}]).sentence).toBe(
      'No charge is certain. ch_1 could be meant: card and date agree, and the amount is a part of the charge.',
    );
  });

  test.each<[string, Partial<AlertFacts>, Partial<ChargeRecord>, string]>([
    [
      'what differs',
      { cardLast4: '0042', cardBrand: 'SCHEME_B' },
      {},
      'last 4 digits differs, card brand differs',
    ],
    ['that too little agrees', noCard, {}, 'too little agrees'],
  ])('without a sign the sentence says %s', (_case, alert, charge, why) => {
    expect(match(alert, [charge]).sentence).toBe(
      `No charge agrees in enough; the nearest, ch_1, fails because: ${why}.`,
    );
  });

  test('a converted amount speaks for the charge, and is told', () => {
    const [candidate] = match({ amountMinor: 2718, currency: 'EUR' }, [{}]).candidates;
    expect(candidate?.for).toContain(
      'amount agrees: 27.18 EUR on the alert, 29.90 USD on the charge, 0.0 % apart after conversion',
    );
  });

  test('sign before none, and none before a contradiction, whatever the score', () => {
    const alert = { arn: ARN, authorisationCode: 'AB12CD', descriptor: 'SHOP' };
    const none = { reference: 'none', authorisedAt: '2026-03-15T00:00:00Z' };
    const described = { ...noCard, reference: 'sign', descriptor: 'SHOP' };
    const contradicted = {
      reference: 'contradicted',
      acquirerReferenceNumber: ARN,
      authorisationCode: 'AB12CD',
      cardBrand: 'SCHEME_B',
    };
    const { candidates } = match(alert, [contradicted, none, described]);
    // Amount 12, currency 3, date 8, descriptor 2; with the card 20 and against the date 8; and with
    // ARN 40, code 25, and against the brand 20.
    expect(candidates.map(({ reference, score }) => [reference, score])).toEqual([
      ['sign', 25],
      ['none', 27],
      ['contradicted', 86],
    ]);
  });

  test('the stronger sign comes first, and a contradiction last', () => {
    const result = match({ cardBin: null }, [
      { reference: 'contradicted', cardBrand: 'SCHEME_B' },
      { reference: 'part', amountMinor: 5000 },
      { reference: 'incomplete' },
    ]);
    expect(result.candidates.map(({ reference }) => reference)).toEqual([
      'incomplete',
      'part',
      'contradicted',
    ]);
    expect(result).toMatchObject({ runnerUp: 'part', outcome: 'none' });
  });
});

describe('the bar', () => {
  test('what clears a tier is told by it, not by a sign', () => {
    const result = match({}, [{}]);
    expect(result.candidates[0]).toMatchObject({ tier: 'card_and_amount', sign: null });
    expect(result.sentence).toBe(
      'Charge ch_1 is the only one that agrees in BIN, last 4 digits, brand, amount, currency and date.',
    );
  });

  test('an ARN is not held up by a charge of the same card that clears no tier', () => {
    const charges = [{ acquirerReferenceNumber: ARN }, { reference: 'ch_2', cardBin: null }];
    expect(match({ arn: ARN }, charges)).toMatchObject({ outcome: 'single', tier: 'arn' });
  });

  test('of many equal charges five are named, and nothing is told as evidence', () => {
    const charges = [1, 2, 3, 4, 5, 6].map((n) => ({ reference: `ch_${n}` }));
    expect(match({}, charges)).toMatchObject({
      sentence: '6 charges could be meant (ch_1, ch_2, ch_3, ch_4, ch_5); none is chosen.',
      evidence: [],
    });
  });

  test('a tier that is not automatic names nothing', () => {
    const careful = { ...SETTINGS, automaticTiers: new Set(MATCH_TIERS.slice(0, -1)) };
    expect(match({}, [{}]).tier).toBe('card_and_amount');
    expect(match({}, [{}], careful)).toMatchObject({
      outcome: 'none',
      weakSign: 'card_incomplete',
    });
  });

  test('two strong keys that name two charges name neither', () => {
    // The ARN is worth 40 points and the code 25: 15 apart, and 20 are asked for.
    const charges = [
      { reference: 'by_arn', acquirerReferenceNumber: ARN },
      { reference: 'by_code', authorisationCode: 'AB12CD' },
    ];
    const alert = { arn: ARN, authorisationCode: 'AB12CD' };
    expect(match(alert, charges)).toMatchObject({ outcome: 'several', margin: 15 });
    const narrow = { ...SETTINGS, marginMin: 15 };
    expect(match(alert, charges, narrow)).toMatchObject({
      outcome: 'single',
      chargeReference: 'by_arn',
    });
  });

  test('two charges with one ARN name neither, however far apart they score', () => {
    // 83 points against 59: 24 apart, more than the margin.
    const exact = { acquirerReferenceNumber: ARN };
    const other = { ...exact, reference: 'ch_2', amountMinor: 100 };
    expect(match({ arn: ARN }, [exact, other])).toMatchObject({ outcome: 'several', margin: 24 });
  });

  test('an ARN with a part of the amount does not outweigh the exact amount on the same card', () => {
    // 67 points against 43: more than the margin, and yet the alert may be about either.
    const charges = [{ acquirerReferenceNumber: ARN, amountMinor: 5000 }, { reference: 'ch_2' }];
    expect(match({ arn: ARN }, charges)).toMatchObject({ outcome: 'several', margin: 24 });
  });

  test('an ARN with another amount needs a date that fits', () => {
    const charge = { acquirerReferenceNumber: ARN };
    expect(match({ arn: ARN, amountMinor: 990 }, [charge]).tier).toBe('arn');
    expect(match({ arn: ARN, amountMinor: 990, day: null }, [charge]).tier).toBeNull();
  });

  test('an ARN with BIN only: amount and date must not differ', () => {
    const charge = { acquirerReferenceNumber: ARN, cardLast4: null };
    expect(match({ arn: ARN }, [charge]).tier).toBe('arn');
    expect(match({ arn: ARN, amountMinor: 990 }, [charge]).tier).toBeNull();
    // The same price a week apart is how a recycled ARN looks.
    const weekLater = { ...charge, authorisedAt: '2026-03-17T00:00:00Z' };
    expect(match({ arn: ARN }, [weekLater]).tier).toBeNull();
  });

  test('a charge without any card digits is no rival', () => {
    const other = { reference: 'ch_2', cardBin: null, cardLast4: null };
    expect(match({}, [{}, other]).outcome).toBe('single');
    expect(match({}, [{}, { ...other, cardBin: '411111' }]).outcome).toBe('several');
  });

  test('score, runner-up and margin are told', () => {
    // 10 last 4, 8 BIN, 2 brand, 12 amount, 3 currency, 8 date.
    expect(match({}, [{}])).toMatchObject({ score: 43, runnerUp: null, margin: null });
  });
});

describe('amounts', () => {
  const rates = { USD: 1, JPY: 0.0065, KWD: 3.25, XXX: 1 };
  const settings = { rates, foreignTolerancePercent: 2 };
  test.each<[string, [number, string], [number, string], string]>([
    ['equal', [100, 'USD'], [100, 'USD'], 'exact'],
    ['smaller', [99, 'USD'], [100, 'USD'], 'part'],
    ['larger', [101, 'USD'], [100, 'USD'], 'above'],
    // 4600 JPY at 0.0065 are 29.90 USD.
    ['yen have no minor unit', [4600, 'JPY'], [2990, 'USD'], 'converted'],
    ['yen taken for hundredths', [46, 'JPY'], [2990, 'USD'], 'converted_apart'],
    // 9.200 KWD at 3.25 are 29.90 USD.
    ['dinars have three digits', [9200, 'KWD'], [2990, 'USD'], 'converted'],
    ['1.97 % off', [3049, 'USD'], [4600, 'JPY'], 'converted'],
    ['2.01 % off', [3050, 'USD'], [4600, 'JPY'], 'converted_apart'],
    ['2 % off, no more', [10_200, 'XXX'], [10_000, 'USD'], 'converted'],
    ['no rate', [100, 'EUR'], [100, 'USD'], 'unknown'],
    ['nothing charged', [100, 'JPY'], [0, 'USD'], 'unknown'],
  ])('%s', (_case, [amountMinor, currency], [paidMinor, paid], relation) => {
    const alert = { amountMinor, currency };
    const charge = { amountMinor: paidMinor, currency: paid };
    expect(compareAmounts(alert, charge, settings).relation).toBe(relation);
  });
});
