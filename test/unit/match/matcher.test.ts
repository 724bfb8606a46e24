/** Guarantee: an alert is tied to exactly one charge or to none, and never to one that contradicts it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import { matchAlert } from '../../../src/alerts/match/matcher.ts';
import { mergeCandidates } from '../../../src/alerts/match/merge-candidates.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { parseBrandTokens } from '../../../src/service/wire/brand-tokens.ts';
import { ARN, alertFacts, chargeRecord } from './fixtures.ts';

function match(alert: AlertFacts, ...charges: ChargeRecord[]) {
  return matchAlert(alert, mergeCandidates(charges), DEFAULT_MATCH_SETTINGS);
}

/** An alert and a charge that share nothing but what a test adds. */
const BARE_ALERT: Partial<AlertFacts> = {
  cardBin: null,
  cardLast4: null,
  cardBrand: null,
  amountMinor: null,
  currency: null,
  day: null,
};
const BARE_CHARGE: Partial<ChargeRecord> = {
  cardBin: null,
  cardLast4: null,
  cardBrand: null,
  authorisedAt: null,
};

describe('what each tier asks for', () => {
  test.each<[string, Partial<AlertFacts>, Partial<ChargeRecord>, string | null]>([
    [
      'the reference alone',
      { ...BARE_ALERT, reference: 'ch_1' },
      BARE_CHARGE,
      'transaction_reference',
    ],
    [
      'ARN with last 4',
      { ...BARE_ALERT, arn: ARN, cardLast4: '1111' },
      { ...BARE_CHARGE, acquirerReferenceNumber: ARN, cardLast4: '1111' },
      'arn',
    ],
    [
      'ARN with BIN and date',
      { ...BARE_ALERT, arn: ARN, cardBin: '411111', day: 20_522 },
      {
        ...BARE_CHARGE,
        acquirerReferenceNumber: ARN,
        cardBin: '41111122',
        authorisedAt: '2026-03-12',
      },
      'arn',
    ],
    [
      'ARN with BIN and amount',
      { ...BARE_ALERT, arn: ARN, cardBin: '411111', amountMinor: 2990, currency: 'USD' },
      { ...BARE_CHARGE, acquirerReferenceNumber: ARN, cardBin: '411111' },
      'arn',
    ],
    [
      'ARN with BIN alone, which millions of cards share',
      { ...BARE_ALERT, arn: ARN, cardBin: '411111', day: 20_522 },
      {
        ...BARE_CHARGE,
        acquirerReferenceNumber: ARN,
        cardBin: '411111',
        authorisedAt: '2026-03-13',
      },
      null,
    ],
    [
      'ARN alone',
      { ...BARE_ALERT, arn: ARN },
      { ...BARE_CHARGE, acquirerReferenceNumber: ARN },
      null,
    ],
    [
      'code, last 4 and date',
      { ...BARE_ALERT, authorisationCode: 'AB12CD', cardLast4: '1111', day: 20_522 },
      {
        ...BARE_CHARGE,
        authorisationCode: 'ab12cd',
        cardLast4: '1111',
        authorisedAt: '2026-03-10',
      },
      'authorisation_code',
    ],
    [
      'code and last 4 without a date',
      { ...BARE_ALERT, authorisationCode: 'AB12CD', cardLast4: '1111' },
      {
        ...BARE_CHARGE,
        authorisationCode: 'AB12CD',
        cardLast4: '1111',
        authorisedAt: '2026-03-10',
      },
      null,
    ],
    [
      'code and date without last 4',
      { ...BARE_ALERT, authorisationCode: 'AB12CD', day: 20_522 },
      { ...BARE_CHARGE, authorisationCode: 'AB12CD', authorisedAt: '2026-03-10' },
      null,
    ],
    ['whole card, amount, currency, date', {}, {}, 'card_and_amount'],
    ['… without BIN', { cardBin: null }, {}, null],
    ['… without last 4', { cardLast4: null }, {}, null],
    ['… without brand', { cardBrand: null }, {}, null],
    ['… without amount', { amountMinor: null }, {}, null],
    ['… without currency', { currency: null }, {}, null],
    ['… without date', { day: null }, {}, null],
    ['nothing at all', BARE_ALERT, BARE_CHARGE, null],
  ])('%s', (_case, alert, charge, tier) => {
    const result = match(alertFacts(alert), chargeRecord(charge));
    expect(result.tier).toBe(tier);
    expect(result.outcome).toBe(tier === null ? 'none' : 'single');
    expect(result.chargeReference).toBe(tier === null ? null : 'ch_1');
  });
});

describe('windows, in UTC calendar days', () => {
  const byCode = { authorisationCode: 'AB12CD' };
  test.each<[string, string, Partial<AlertFacts>, Partial<ChargeRecord>, boolean]>([
    ['2 days before', '2026-03-08T23:59:59Z', { amountMinor: 1 }, byCode, true],
    ['3 days before', '2026-03-07T23:59:59Z', { amountMinor: 1 }, byCode, false],
    ['2 days after', '2026-03-12T23:59:59Z', { amountMinor: 1 }, byCode, true],
    ['3 days after', '2026-03-13T00:00:00Z', { amountMinor: 1 }, byCode, false],
    ['3 days, exact amount', '2026-03-13T00:00:00Z', {}, byCode, true],
    [
      '3 days, exact amount, other currency',
      '2026-03-13T00:00:00Z',
      { currency: 'EUR' },
      byCode,
      false,
    ],
    ['4 days, exact amount', '2026-03-14T00:00:00Z', {}, byCode, false],
    ['3 days by card', '2026-03-07T00:00:00Z', {}, {}, true],
    ['4 days by card', '2026-03-06T23:59:59Z', {}, {}, false],
    ['an offset that moves the day', '2026-03-14T01:00:00+02:00', {}, {}, true],
  ])('%s (%s)', (_case, authorisedAt, alert, charge, isSingle) => {
    const code = charge.authorisationCode ?? null;
    const result = match(
      alertFacts({ authorisationCode: code, ...alert }),
      chargeRecord({ ...charge, authorisedAt }),
    );
    expect(result.outcome).toBe(isSingle ? 'single' : 'none');
  });

  test('the settlement date stands in for a missing authorisation date', () => {
    const late = chargeRecord({ authorisedAt: null, settledAt: '2026-03-14T00:00:00Z' });
    const near = chargeRecord({ authorisedAt: null, settledAt: '2026-03-12T00:00:00Z' });
    expect(match(alertFacts(), late).outcome).toBe('none');
    expect(match(alertFacts(), near).outcome).toBe('single');
  });
});

describe('contradictions', () => {
  test.each<[string, Partial<AlertFacts>, Partial<ChargeRecord>]>([
    [
      'recycled ARN: another last 4',
      { arn: ARN },
      { acquirerReferenceNumber: ARN, cardLast4: '2222' },
    ],
    [
      'recycled ARN: another BIN',
      { arn: ARN },
      { acquirerReferenceNumber: ARN, cardBin: '522222' },
    ],
    [
      'recycled ARN: another currency',
      { arn: ARN, day: null },
      { acquirerReferenceNumber: ARN, currency: 'EUR' },
    ],
    [
      'recycled ARN: a year apart',
      { arn: ARN },
      { acquirerReferenceNumber: ARN, authorisedAt: '2025-03-10' },
    ],
    [
      'recycled ARN: another code',
      { arn: ARN, authorisationCode: 'AAAAAA' },
      { acquirerReferenceNumber: ARN, authorisationCode: 'BBBBBB' },
    ],
    [
      'same card and amount, another ARN',
      { arn: ARN },
      { acquirerReferenceNumber: '74208326069000000000025' },
    ],
    [
      'same card and amount, another code',
      { authorisationCode: 'AAAAAA' },
      { authorisationCode: 'BBBBBB' },
    ],
    [
      'same code and day, another currency',
      { authorisationCode: 'AAAAAA', currency: 'EUR' },
      { authorisationCode: 'AAAAAA' },
    ],
    ['BINs of eight digits that part at the end', { cardBin: '41111122' }, { cardBin: '41111133' }],
    ['another brand', { arn: ARN }, { acquirerReferenceNumber: ARN, cardBrand: 'SCHEME_B' }],
    ['the reference, with another last 4', { reference: 'ch_1' }, { cardLast4: '2222' }],
    [
      'another reference of the same integration',
      { reference: 'ch_9', integrationId: 'int_1' },
      { integrationId: 'int_1' },
    ],
    [
      'the reference of another integration, other card',
      { reference: 'ch_1', integrationId: 'int_2' },
      { integrationId: 'int_1', cardBin: '522222' },
    ],
    ['near miss: amount', { amountMinor: 2991 }, {}],
    ['near miss: last 4', { cardLast4: '1112' }, {}],
    ['near miss: BIN', { cardBin: '411112' }, {}],
    ['near miss: currency', { currency: 'EUR' }, {}],
  ])('%s is no match', (_case, alert, charge) => {
    const result = match(alertFacts(alert), chargeRecord(charge));
    expect(result.outcome).toBe('none');
    expect(result.chargeReference).toBeNull();
    expect(result.candidates[0]?.against.length).toBeGreaterThan(0);
  });

  test('an unusable identifier contradicts nothing', () => {
    const charge = chargeRecord({
      acquirerReferenceNumber: '123',
      authorisationCode: '000000',
      cardBin: '41111',
    });
    const alert = alertFacts({ arn: ARN, authorisationCode: 'AAAAAA', reference: 'ch_1' });
    expect(match(alert, charge).tier).toBe('transaction_reference');
  });

  // Without ARN and code the service went by card and amount, which another payment shares.
  test.each<[string, Partial<AlertFacts>, Partial<ChargeRecord>, string | null]>([
    ['and no identifier', {}, {}, null],
    ['and the ARN', { arn: ARN }, { acquirerReferenceNumber: ARN }, 'transaction_reference'],
    [
      'and the code',
      { authorisationCode: '387983' },
      { authorisationCode: '387983' },
      'transaction_reference',
    ],
  ])('the reference 14 days apart %s', (_case, alert, charge, tier) => {
    const facts = alertFacts({ reference: 'ch_1', day: 20_536, ...alert });
    const result = match(facts, chargeRecord({ authorisedAt: '2026-03-10', ...charge }));
    expect(result.tier).toBe(tier);
    expect(result.chargeReference).toBe(tier === null ? null : 'ch_1');
  });

  test('a code of seven characters neither matches six nor contradicts them', () => {
    const alert = alertFacts({ authorisationCode: 'A1B2C3D' });
    expect(match(alert, chargeRecord({ authorisationCode: 'A1B2C3' })).tier).toBe(
      'card_and_amount',
    );
    const same = chargeRecord({ authorisationCode: 'A1B2C3D', cardBin: null });
    expect(match(alert, same).tier).toBe('authorisation_code');
  });

  test('a reference of another integration says nothing about this charge', () => {
    const alert = alertFacts({ reference: 'ch_9', integrationId: 'int_2' });
    expect(match(alert, chargeRecord({ integrationId: 'int_1' })).tier).toBe('card_and_amount');
  });
});

describe('one or none', () => {
  test('two payments of one card, day and amount: none is chosen (F75)', () => {
    const result = match(alertFacts(), chargeRecord(), chargeRecord({ reference: 'ch_2' }));
    expect(result.outcome).toBe('several');
    expect(result.chargeReference).toBeNull();
    expect(result.candidates.map(({ reference }) => reference)).toEqual(['ch_1', 'ch_2']);
    expect(result.sentence).toBe('2 charges could be meant (ch_1, ch_2); none is chosen.');
  });

  test('a nearer date does not choose between them', () => {
    const other = chargeRecord({ reference: 'ch_2', authorisedAt: '2026-03-13' });
    expect(match(alertFacts(), chargeRecord(), other).outcome).toBe('several');
  });

  test('a stronger key with the exact amount outweighs a weaker one', () => {
    const exact = chargeRecord({ acquirerReferenceNumber: ARN });
    const result = match(alertFacts({ arn: ARN }), exact, chargeRecord({ reference: 'ch_2' }));
    expect(result).toMatchObject({
      outcome: 'single',
      chargeReference: 'ch_1',
      tier: 'arn',
      runnerUp: 'ch_2',
    });
    // ARN is worth 40 points, and everything else is equal.
    expect(result.margin).toBe(40);
  });

  test('a stronger key with another amount does not', () => {
    const other = chargeRecord({ acquirerReferenceNumber: ARN, amountMinor: 100 });
    const result = match(alertFacts({ arn: ARN }), other, chargeRecord({ reference: 'ch_2' }));
    expect(result.outcome).toBe('several');
  });

  test.each<[string, Partial<ChargeRecord>, string]>([
    ['whose BIN is not known', { cardBin: null }, 'several'],
    ['whose date is not known', { authorisedAt: null }, 'several'],
    ['of another amount', { cardBin: null, amountMinor: 100 }, 'single'],
    ['of another currency', { cardBin: null, currency: 'EUR' }, 'single'],
    ['3 days apart', { cardBin: null, authorisedAt: '2026-03-13' }, 'several'],
    ['4 days apart', { cardBin: null, authorisedAt: '2026-03-14' }, 'single'],
    ['of another card', { cardBin: null, cardLast4: '2222' }, 'single'],
  ])('by card and amount, a second charge %s', (_case, over, outcome) => {
    const other = chargeRecord({ reference: 'ch_2', ...over });
    expect(match(alertFacts(), chargeRecord(), other).outcome).toBe(outcome);
  });

  test('a partial amount alone is still this charge: what may be refunded is decided later', () => {
    const result = match(
      alertFacts({ arn: ARN, amountMinor: 990 }),
      chargeRecord({ acquirerReferenceNumber: ARN }),
    );
    expect(result).toMatchObject({ outcome: 'single', tier: 'arn' });
    expect(result.evidence.find(({ fact }) => fact === 'amount')?.text).toBe(
      'amount differs: 9.90 USD on the alert, 29.90 USD on the charge',
    );
  });

  test('a contradicted charge is no rival', () => {
    const recycled = chargeRecord({
      reference: 'ch_old',
      acquirerReferenceNumber: ARN,
      cardLast4: '9999',
    });
    const fresh = chargeRecord({ acquirerReferenceNumber: null });
    const result = match(alertFacts({ arn: ARN }), recycled, fresh);
    expect(result).toMatchObject({
      outcome: 'single',
      chargeReference: 'ch_1',
      runnerUp: 'ch_old',
    });
  });

  test('the same charge from our orders and from the processor is one candidate', () => {
    const own = chargeRecord({ orderReference: 'order-1', cardBin: null });
    const found = chargeRecord({ source: 'processor', orderReference: null, cardBin: '411111' });
    const result = match(alertFacts(), own, found);
    expect(result).toMatchObject({ outcome: 'single', chargeReference: 'ch_1' });
    expect(result.candidates).toHaveLength(1);
    expect(result.candidates[0]).toMatchObject({
      sources: ['order', 'processor'],
      orderReference: 'order-1',
    });
  });

  test("where both speak, the processor's word counts, in either order", () => {
    const own = chargeRecord({ amountMinor: 100 });
    const found = chargeRecord({ source: 'processor', amountMinor: 2990 });
    for (const charges of [
      [own, found],
      [found, own],
    ]) {
      expect(mergeCandidates(charges)[0]?.charge.amountMinor).toBe(2990);
    }
  });

  test('with no candidate the sentence says so', () => {
    const result = match(alertFacts());
    expect(result).toMatchObject({ outcome: 'none', runnerUp: null, margin: null });
    expect(result.sentence).toBe('No charge shares an identifier with this alert.');
  });
});

describe('brands', () => {
  const brands = parseBrandTokens('SCHEME_A=VISA,SCHEME_B=MASTERCARD');
  test.each([
    ['visa', 'single'],
    ['SCHEME_A', 'single'],
    ['MasterCard', 'none'],
    ['amex', 'none'],
  ])('%s against SCHEME_A is %s', (cardBrand, outcome) => {
    const candidates = mergeCandidates([chargeRecord({ cardBrand })]);
    const settings = { ...DEFAULT_MATCH_SETTINGS, brands };
    expect(matchAlert(alertFacts(), candidates, settings).outcome).toBe(outcome);
  });
});

describe('properties', () => {
  const maybe = <Value>(values: Value[]) => fc.constantFrom<Value | null>(...values, null);
  const fields = {
    arn: maybe([ARN, '74208326069000000000025']),
    code: maybe(['AAAAAA', 'BBBBBB']),
    bin: maybe(['411111', '522222']),
    last4: maybe(['1111', '2222']),
    brand: maybe(['SCHEME_A', 'SCHEME_B']),
    amount: fc.constantFrom(1000, 2000),
    currency: fc.constantFrom('USD', 'EUR'),
    dayShift: fc.integer({ min: -40, max: 40 }),
  };
  const charge = fc.record(fields).map((f) => ({
    acquirerReferenceNumber: f.arn,
    authorisationCode: f.code,
    cardBin: f.bin,
    cardLast4: f.last4,
    cardBrand: f.brand,
    amountMinor: f.amount,
    currency: f.currency,
    authorisedAt: new Date(Date.UTC(2026, 2, 10 + f.dayShift)).toISOString(),
  }));
  const alert = fc.record({ ...fields, reference: maybe(['ch_0', 'ch_1', 'ch_x']) }).map((f) =>
    alertFacts({
      reference: f.reference,
      arn: f.arn,
      authorisationCode: f.code,
      cardBin: f.bin,
      cardLast4: f.last4,
      cardBrand: f.brand,
      amountMinor: f.amount,
      currency: f.currency,
    }),
  );
  const charges = fc
    .array(charge, { maxLength: 6 })
    .map((list) => list.map((over, index) => chargeRecord({ ...over, reference: `ch_${index}` })));

  test('the order of the candidates does not matter', () => {
    fc.assert(
      fc.property(alert, charges, fc.infiniteStream(fc.nat()), (facts, list, noise) => {
        const candidates = mergeCandidates(list);
        const keys = candidates.map(() => noise.next().value);
        const shuffled = candidates
          .map((candidate, index) => ({ candidate, key: keys[index] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ candidate }) => candidate);
        expect(matchAlert(facts, shuffled, DEFAULT_MATCH_SETTINGS)).toEqual(
          matchAlert(facts, candidates, DEFAULT_MATCH_SETTINGS),
        );
      }),
    );
  });

  test('a single charge never contradicts the alert, and a reference only belongs to a single one', () => {
    fc.assert(
      fc.property(alert, charges, (facts, list) => {
        const result = match(facts, ...list);
        expect(result.outcome === 'single').toBe(result.chargeReference !== null);
        if (result.chargeReference === null) return;
        const chosen = list.find(({ reference }) => reference === result.chargeReference);
        const agree = (one: unknown, other: unknown) =>
          one === null || other === null || one === other;
        expect(agree(facts.cardLast4, chosen?.cardLast4 ?? null)).toBe(true);
        expect(agree(facts.cardBin, chosen?.cardBin ?? null)).toBe(true);
        expect(agree(facts.arn, chosen?.acquirerReferenceNumber ?? null)).toBe(true);
        expect(agree(facts.authorisationCode, chosen?.authorisationCode ?? null)).toBe(true);
        expect(agree(facts.reference, chosen?.reference ?? null)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('a twin of the chosen charge in all but its reference turns one into several', () => {
    fc.assert(
      fc.property(alert, charges, (facts, list) => {
        const result = match({ ...facts, reference: null }, ...list);
        const chosen = list.find(({ reference }) => reference === result.chargeReference);
        fc.pre(chosen !== undefined);
        const twin = { ...(chosen ?? chargeRecord()), reference: 'ch_twin' };
        expect(match({ ...facts, reference: null }, ...list, twin).outcome).toBe('several');
      }),
      { numRuns: 200 },
    );
  });
});
