/**
 * Guarantee: what a person chose names a charge only for the same payment, as the networks identify it;
 * for anything that merely looks alike it is evidence and no more.
 */
import { describe, expect, test } from 'vitest';
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import type { RememberedChoice } from '../../../src/alerts/match/choice.ts';
import { choiceEvidence } from '../../../src/alerts/match/choice.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import { matchAlert } from '../../../src/alerts/match/matcher.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { ARN, alertFacts, chargeRecord, DAY } from './fixtures.ts';

/** A wallet's token 0042, which a person recognised as the card 1111 of charge ch_1. */
const TOKEN: Partial<AlertFacts> = { cardBin: '489537', cardLast4: '0042' };

function chosen(over: Partial<RememberedChoice> = {}): RememberedChoice {
  return {
    alertId: 'netalrt_0',
    chargeReference: 'ch_1',
    operator: 'ada',
    arn: ARN,
    authorisationCode: 'AB12CD',
    cardLast4: '0042',
    amountMinor: 2990,
    currency: 'USD',
    day: DAY,
    chargeCardLast4: '1111',
    ...over,
  };
}

function sign(
  alert: Partial<AlertFacts>,
  choice: Partial<RememberedChoice> = {},
  charge: Partial<ChargeRecord> = {},
) {
  const about = { choices: [chosen(choice)], settings: DEFAULT_MATCH_SETTINGS };
  return choiceEvidence(alertFacts({ ...TOKEN, ...alert }), chargeRecord(charge), about)?.sign;
}

describe('what an earlier choice says of the chosen charge', () => {
  test.each<[string, Partial<AlertFacts>, Partial<RememberedChoice>, string | undefined]>([
    ['the same ARN, digits and date', { arn: ARN }, {}, 'same_payment'],
    ['the same code, digits and date', { authorisationCode: 'AB12CD' }, {}, 'same_payment'],
    ['two days apart', { arn: ARN, day: DAY + 2 }, {}, 'same_payment'],
    ['three days apart: an ARN may have come back', { arn: ARN, day: DAY + 3 }, {}, 'same_token'],
    ['no date', { arn: ARN, day: null }, {}, 'same_token'],
    ['the same ARN and another code', { arn: ARN, authorisationCode: 'ZZ99ZZ' }, {}, 'same_token'],
    ['the same ARN on other digits', { arn: ARN, cardLast4: '7777' }, {}, undefined],
    ['digits, amount and date alone', {}, {}, 'like_payment'],
    ['digits and date, another amount', { amountMinor: 100 }, {}, 'same_token'],
    ['digits and date, another currency', { currency: 'EUR' }, {}, 'same_token'],
    ['its own choice', { arn: ARN }, { alertId: 'netalrt_1' }, undefined],
    ['another charge chosen for it', { arn: ARN }, { chargeReference: 'ch_2' }, 'other_charge'],
    ['another charge chosen for its like', {}, { chargeReference: 'ch_2' }, 'same_token'],
    ['no identifier on either side', {}, { arn: null, authorisationCode: null }, 'like_payment'],
    [
      'the same code and another ARN',
      { arn: '74208326069000000000025', authorisationCode: 'AB12CD' },
      {},
      'same_token',
    ],
    [
      'a code now, none then',
      { authorisationCode: 'AB12CD' },
      { arn: null, authorisationCode: null },
      'like_payment',
    ],
    ['its like, and another ARN', { arn: '74208326069000000000025' }, {}, 'same_token'],
    ['no digits on either side', { arn: ARN, cardLast4: null }, { cardLast4: null }, undefined],
    ['no date on either side', { arn: ARN, day: null }, { day: null }, 'same_token'],
    [
      'the digits of the charge itself, another amount',
      { amountMinor: 100, cardLast4: '1111' },
      { cardLast4: '1111' },
      undefined,
    ],
  ])('%s', (_case, alert, choice, expected) => {
    expect(sign(alert, choice)).toBe(expected);
  });

  test('a token says nothing about a card it did not stand for', () => {
    expect(sign({ amountMinor: 100 }, {}, { cardLast4: '2222' })).toBeUndefined();
    expect(sign({ amountMinor: 100 }, { chargeCardLast4: null })).toBeUndefined();
    const unknown = { cardLast4: null };
    expect(sign({ amountMinor: 100 }, { chargeCardLast4: null }, unknown)).toBeUndefined();
  });

  test('of several choices the strongest counts, whoever made it first', () => {
    const same = { arn: ARN };
    const like = { arn: null, authorisationCode: null };
    const token = { ...like, amountMinor: 100 };
    // As for `ChoiceSign`: the same payment, first for this charge, then for another; its like; the token.
    const ranked = [
      chosen(same),
      chosen({ ...same, chargeReference: 'ch_2' }),
      chosen(like),
      chosen(token),
    ];
    const signs = ['same_payment', 'other_charge', 'like_payment', 'same_token'];
    for (const [from, expected] of signs.entries()) {
      // Its own choice says nothing, and hides nothing.
      const choices = [chosen({ alertId: 'netalrt_1' }), ...ranked.slice(from).reverse()];
      const about = { choices, settings: DEFAULT_MATCH_SETTINGS };
      const alert = alertFacts({ ...TOKEN, ...same });
      expect(choiceEvidence(alert, chargeRecord(), about)?.sign).toBe(expected);
    }
  });
});

describe('what the matcher makes of it', () => {
  const candidate = (charge: Partial<ChargeRecord>, choice: Partial<RememberedChoice> = {}) => ({
    charge: chargeRecord(charge),
    sources: ['order'] as const,
    choice: choiceEvidence(alert, chargeRecord(charge), {
      choices: [chosen(choice)],
      settings: DEFAULT_MATCH_SETTINGS,
    }),
  });
  const alert = alertFacts({ ...TOKEN, arn: ARN });
  const look = (...candidates: ReturnType<typeof candidate>[]) =>
    matchAlert(alert, candidates, DEFAULT_MATCH_SETTINGS);

  test('the same payment is matched although the digits differ', () => {
    const result = look(candidate({}));
    expect(result).toMatchObject({
      outcome: 'single',
      chargeReference: 'ch_1',
      tier: 'operator_choice',
    });
    expect(result.evidence.map(({ text }) => text)).toContain(
      'ada chose this charge for the same payment (alert netalrt_0)',
    );
  });

  test.each<[string, Partial<ChargeRecord>]>([
    ['ARN', { acquirerReferenceNumber: '74208326069000000000025' }],
    ['brand', { cardBrand: 'SCHEME_B' }],
    ['date', { authorisedAt: '2026-01-10T00:00:00Z' }],
  ])('not against what has become known since: another %s', (_case, charge) => {
    expect(look(candidate(charge)).outcome).toBe('none');
  });

  test('a like payment stays with a person, the chosen charge first', () => {
    const like = { arn: null, authorisationCode: null };
    // Nothing else agrees but amount and date: the choice itself is what makes it worth showing.
    const plain = alertFacts({ ...TOKEN, cardBrand: null });
    const about = { choices: [chosen(like)], settings: DEFAULT_MATCH_SETTINGS };
    const charges = [chargeRecord({ reference: 'ch_0' }), chargeRecord()];
    const result = matchAlert(
      plain,
      charges.map((charge) => ({
        charge,
        sources: ['order'],
        choice: choiceEvidence(plain, charge, about),
      })),
      DEFAULT_MATCH_SETTINGS,
    );
    expect(result).toMatchObject({ outcome: 'none', weakSign: 'wallet_token' });
    expect(result.candidates.map(({ reference }) => reference)).toEqual(['ch_1', 'ch_0']);
  });

  test('a choice for another charge speaks against this one, and turns one into several', () => {
    const byArn = alertFacts({ arn: ARN });
    const about = {
      choices: [chosen({ chargeReference: 'ch_2', cardLast4: '1111' })],
      settings: DEFAULT_MATCH_SETTINGS,
    };
    const charges = ['ch_1', 'ch_2'].map((reference) =>
      chargeRecord({ reference, acquirerReferenceNumber: reference === 'ch_1' ? ARN : null }),
    );
    const result = matchAlert(
      byArn,
      charges.map((charge) => ({
        charge,
        sources: ['order'],
        choice: choiceEvidence(byArn, charge, about),
      })),
      DEFAULT_MATCH_SETTINGS,
    );
    expect(result).toMatchObject({ outcome: 'single', chargeReference: 'ch_2' });
    expect(result.candidates[1]?.against).toEqual([
      'ada chose another charge for the same payment (alert netalrt_0)',
    ]);
  });
});
