/** Guarantee: every payment an order names reaches the index, and nothing that is no payment does. */
import { expect, test } from 'vitest';
import { alertFactsOf } from '../../../src/alerts/match/alert-facts.ts';
import { chargesOfOrder, recordOfProcessorCharge } from '../../../src/orders/charge-record.ts';
import { chargeOf } from '../ledger/fixtures.ts';

test('a transaction becomes a charge, times in UTC', () => {
  const charges = chargesOfOrder({
    reference_id: 'order-7',
    integration_id: 'int_1',
    subscriptions: [{ reference_id: 'sub-1' }],
    transactions: [
      {
        reference_id: 'ch_7',
        amount_in_cents: 5000,
        currency: 'JPY',
        authorised_at: '2026-03-10T01:00:00+02:00',
        settlement_datetime: '2026-03-11',
        authorisation_code: 'AB12CD',
        acquirer_reference_number: '74208326069000000000017',
        payment_method_card_bin: '411111',
        payment_method_card_last_4: '1111',
        payment_method_card_brand: 'SCHEME_A',
        descriptor: 'SHOP*7',
        something_new: true,
      },
    ],
  });
  expect(charges).toEqual([
    {
      reference: 'ch_7',
      orderReference: 'order-7',
      integrationId: 'int_1',
      source: 'order',
      amountMinor: 5000,
      currency: 'JPY',
      authorisedAt: '2026-03-09T23:00:00.000Z',
      settledAt: '2026-03-11T00:00:00.000Z',
      authorisationCode: 'AB12CD',
      acquirerReferenceNumber: '74208326069000000000017',
      cardBin: '411111',
      cardLast4: '1111',
      cardBrand: 'SCHEME_A',
      descriptor: 'SHOP*7',
      subscriptionReference: 'sub-1',
      isFailed: false,
    },
  ]);
});

const transaction = { reference_id: 'ch_1', amount_in_cents: 100, currency: 'USD' };

test.each<[string, unknown, number]>([
  ['no reference', { ...transaction, reference_id: undefined }, 0],
  ['no amount', { ...transaction, amount_in_cents: null }, 0],
  ['an amount as text', { ...transaction, amount_in_cents: '100' }, 0],
  ['a fraction', { ...transaction, amount_in_cents: 1.5 }, 0],
  ['a lower-case currency', { ...transaction, currency: 'usd' }, 0],
  ['no object', 'ch_1', 0],
  [
    'a broken optional field',
    { ...transaction, authorised_at: 17, payment_method_card_bin: {} },
    1,
  ],
])('%s', (_case, entry, count) => {
  expect(chargesOfOrder({ reference_id: 'o', transactions: [entry] })).toHaveLength(count);
});

test.each([null, undefined, 'order', 7, [], {}, { transactions: null }, { transactions: {} }])(
  '%j is an order without charges',
  (order) => {
    expect(chargesOfOrder(order)).toEqual([]);
  },
);

test('with two subscriptions nobody can say which one paid', () => {
  const order = { transactions: [transaction], subscriptions: [{ reference_id: 'a' }, {}] };
  expect(chargesOfOrder(order)[0]?.subscriptionReference).toBeNull();
});

const row = {
  id: 'netalrt_1',
  integration_id: null,
  integration_transaction_id: null,
  acquirer_reference_number: null,
  authorisation_code: null,
  card_bin: null,
  card_last4: null,
  card_scheme: null,
  amount_minor: null,
  currency: null,
  authorised_at: null,
  descriptor: null,
  snapshot: {},
};

test.each([
  ['exact', '74208326069000000000017', '74208326069000000000017'],
  ['22 characters', '7420832606900000000001', null],
  ['24 characters', '742083260690000000000177', null],
  ['a space inside', '7420832606900000000 017', null],
  ['lower case', 'a4208326069000000000017', null],
  ['zeros', '0'.repeat(23), null],
])('ARN, %s (F25)', (_case, acquirer_reference_number, arn) => {
  expect(alertFactsOf({ ...row, acquirer_reference_number }).arn).toBe(arn);
});

test.each([
  ['six', ' ab12cd ', 'AB12CD'],
  ['seven', 'AB12CD7', 'AB12CD7'],
  ['five', 'AB12C', null],
  ['zeros', '000000', null],
  ['a dash', 'AB-12C', null],
])('authorisation code of %s', (_case, authorisation_code, code) => {
  expect(alertFactsOf({ ...row, authorisation_code }).authorisationCode).toBe(code);
});

test("the day comes from the snapshot's own text, which the session's time zone cannot move", () => {
  const facts = alertFactsOf({
    ...row,
    authorised_at: new Date('2026-03-09T18:30:00Z'),
    snapshot: { transaction_authorised_at: '2026-03-10' },
  });
  // 2026-03-10 is day 20522.
  expect(facts.day).toBe(20_522);
  expect(alertFactsOf({ ...row, authorised_at: new Date('2026-03-09T18:30:00Z') }).day).toBe(
    20_521,
  );
});

test('a charge of the processor keeps its day and says where it is from', () => {
  const record = recordOfProcessorCharge(chargeOf({ authorisedAt: '2026-03-10' }));
  expect(record).toMatchObject({ source: 'processor', authorisedAt: '2026-03-10T00:00:00.000Z' });
});

test.each([
  ['DECLINED', {}, true],
  ['voided', {}, true],
  ['Cancelled', {}, true],
  ['SETTLED', {}, false],
  ['REFUNDED', {}, false],
  [undefined, {}, null],
  // Money was taken, whatever the state; for nothing none is.
  ['VOIDED', { settlement_datetime: '2026-03-11' }, false],
  ['SETTLED', { amount_in_cents: 0 }, true],
] as const)('an attempt of state %s with %o has failed: %s', (status, more, isFailed) => {
  const transaction = { reference_id: 'ch_1', amount_in_cents: 100, currency: 'USD', ...more };
  const [charge] = chargesOfOrder({
    transactions: [{ ...transaction, ...(status && { authorisation_status: status }) }],
  });
  expect(charge?.isFailed).toBe(isFailed);
});
