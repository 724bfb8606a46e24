/**
 * Guarantee: what an alert says of one charge alone is judged by the tiers and signs of the matcher; only an identifier names a
 * charge, and one that other facts speak against leaves a doubt.
 */
import { expect, test } from 'vitest';
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../../src/alerts/match/match-settings.ts';
import type { Meant } from '../../../src/alerts/match/matcher.ts';
import { meantBy } from '../../../src/alerts/match/matcher.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { ARN, alertFacts, chargeRecord, DAY } from './fixtures.ts';

const CODE = 'AB12CD';
const arn = { acquirerReferenceNumber: ARN };
const code = { authorisationCode: CODE };
const here = { integrationId: 'int_1' };
const names = (reference: string): Partial<AlertFacts> => ({ reference, integrationId: 'int_1' });

test.each<[string, Partial<AlertFacts>, Partial<ChargeRecord>, Meant]>([
  ['the reference', names('ch_1'), here, 'named'],
  [
    'the reference of another integration',
    { ...names('ch_1'), amountMinor: 100 },
    { integrationId: 'int_2', cardLast4: '2222' },
    'not',
  ],
  ['the reference, of another card', { ...names('ch_1'), cardLast4: '2222' }, here, 'contradicted'],
  ['the reference, long before', { ...names('ch_1'), day: DAY + 31 }, here, 'contradicted'],
  ['the ARN with last 4', { arn: ARN }, arn, 'named'],
  [
    'the ARN with last 4, and another code',
    { arn: ARN, authorisationCode: CODE },
    { ...arn, authorisationCode: 'ZZ99ZZ' },
    'contradicted',
  ],
  [
    'the ARN alone',
    { arn: ARN, cardLast4: null, cardBin: null, amountMinor: null },
    arn,
    'possible',
  ],
  ['the ARN of another card', { arn: ARN, cardLast4: '2222' }, arn, 'not'],
  ['the ARN with last 4, 30 days apart', { arn: ARN, day: DAY + 30 }, arn, 'named'],
  ['the ARN with last 4, further apart', { arn: ARN, day: DAY + 31 }, arn, 'not'],
  [
    'the ARN with last 4, another issuer, 30 days apart',
    { arn: ARN, cardBin: '555555', day: DAY + 30 },
    arn,
    'contradicted',
  ],
  [
    'the ARN with last 4, another issuer, on no day',
    { arn: ARN, cardBin: '555555', day: null },
    arn,
    'contradicted',
  ],
  [
    'the ARN with last 4 and amount, another payment being named',
    { ...names('ch_2'), arn: ARN },
    { ...arn, ...here },
    'contradicted',
  ],
  [
    'the ARN with last 4, another payment and amount being named',
    { ...names('ch_2'), arn: ARN, amountMinor: 100 },
    { ...arn, ...here },
    'not',
  ],
  ['last 4 and amount, another payment being named', names('ch_2'), here, 'not'],
  ['code, last 4 and day', { authorisationCode: CODE }, code, 'named'],
  [
    'code, last 4 and day, another issuer',
    { authorisationCode: CODE, cardBin: '555555' },
    code,
    'contradicted',
  ],
  ['card, amount and day', {}, {}, 'possible'],
  ['last 4, amount and day', { cardBin: null }, {}, 'possible'],
  ['other digits of the same price and brand', { cardLast4: '2222' }, {}, 'not'],
  ['another amount of the same card', { amountMinor: 99_999 }, {}, 'not'],
])('%s', (_name, alert, charge, meant) => {
  expect(meantBy(alertFacts(alert), chargeRecord(charge), DEFAULT_MATCH_SETTINGS)).toBe(meant);
});

test('a tier that names nothing by itself is a doubt at most', () => {
  const settings = { ...DEFAULT_MATCH_SETTINGS, automaticTiers: new Set([]) };
  const judged = meantBy(alertFacts({ arn: ARN }), chargeRecord(arn), settings);
  expect(judged).toBe('possible');
});
