/** Guarantee: a history holds what concerns the charge, says how surely, and leaves recycled numbers out. */
import { expect, test } from 'vitest';
import type { ServiceRecord } from '../../../src/capabilities/history/history.ts';
import { linkTo } from '../../../src/capabilities/history/history.ts';
import { ARN, chargeRecord } from '../../unit/match/fixtures.ts';

const NOTHING: ServiceRecord = {
  reference: null,
  arn: null,
  cardBin: null,
  cardLast4: null,
  amountMinor: null,
  currency: null,
  date: null,
};
/** The charge: ch_1, 29.90 USD on 2026-03-10 with 411111…1111. */
const CHARGE = chargeRecord({ acquirerReferenceNumber: ARN });
const CARD = { cardBin: '411111', cardLast4: '1111' };
const PAYMENT = { ...CARD, amountMinor: 2990, currency: 'USD', date: '2026-03-10' };

test.each<[string, Partial<ServiceRecord>, string | undefined]>([
  ['its reference', { reference: 'ch_1' }, 'reference'],
  ['another reference, whatever else agrees', { ...PAYMENT, reference: 'ch_2' }, undefined],
  ['ARN with last 4', { arn: ARN, cardLast4: '1111' }, 'acquirer_reference_number'],
  ['ARN with a date', { arn: ARN, date: '2026-04-09' }, 'acquirer_reference_number'],
  ['ARN alone', { arn: ARN }, undefined],
  ['ARN on another card', { arn: ARN, cardLast4: '2222' }, undefined],
  ['ARN on another BIN', { arn: ARN, cardBin: '522222', date: '2026-03-10' }, undefined],
  ['ARN more than 30 days apart', { arn: ARN, date: '2026-04-10' }, undefined],
  ['another ARN, whatever else agrees', { ...PAYMENT, arn: '74208326069000000000025' }, undefined],
  ['card, amount and date', PAYMENT, 'card_and_amount'],
  ['three days apart', { ...PAYMENT, date: '2026-03-13' }, 'card_and_amount'],
  ['four days apart', { ...PAYMENT, date: '2026-03-14' }, undefined],
  ['no date', { ...PAYMENT, date: null }, undefined],
  ['no BIN', { ...PAYMENT, cardBin: null }, undefined],
  ['another amount', { ...PAYMENT, amountMinor: 2991 }, undefined],
  ['another currency', { ...PAYMENT, currency: 'EUR' }, undefined],
  ['nothing', {}, undefined],
])('%s', (_case, change, link) => {
  expect(linkTo(CHARGE, { ...NOTHING, ...change })).toBe(link);
});
