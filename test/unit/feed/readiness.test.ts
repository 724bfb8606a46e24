/** Guarantee: for each programme of the specification's table, the exact missing field is named. */
import { describe, expect, it } from 'vitest';
import { orderBodySchema } from '../../../src/orders/order-body.ts';
import { parseProgrammes } from '../../../src/orders/programme.ts';
import { assessOrder, cardCombinations, holdReason } from '../../../src/orders/readiness.ts';

const TRANSACTION = {
  reference_id: 'ch_1',
  amount_in_cents: 5_000,
  currency: 'JPY',
  payment_method_type: 'CARD',
  authorisation_status: 'SETTLED',
  authorised_at: '2026-11-20T10:00:00Z',
  payment_method_card_brand: 'SCHEME_A',
  payment_method_card_last_4: '4242',
  acquirer_reference_number: '74111111111111111111119',
  descriptor: 'DEMO',
};
const ORDER = {
  type: 'COMPLETE',
  organisation_id: 'org_1',
  integration_id: 'int_1',
  reference_id: 'A-1',
  order_datetime: '2026-11-20T10:00:00Z',
  order_number: '17',
  order_subtotal_amount_in_cents: 5_000,
  order_currency: 'JPY',
  order_total_amount_in_cents: 5_000,
  order_status: 'OPEN_PENDING',
  customer_email: 'a@example.com',
  customer_account_id: 'c-1',
  order_email: 'a@example.com',
  device_id: 'd-1',
  merchant_name: 'Demo',
  merchant_store_name: 'Demo',
  merchant_contact_phone: '+1 555 0100',
  merchant_url: 'https://example.com',
  transactions: [TRANSACTION],
  items: [{ reference_id: 'A-1:1', name: 'Lamp' }],
  deliveries: [{ reference_id: 'A-1:d1', type: 'PHYSICAL' }],
  subscriptions: [{ reference_id: 'sub_1' }],
};

function assess(changes: Record<string, unknown>) {
  return assessOrder(orderBodySchema.parse({ ...ORDER, ...changes }));
}

function withTransaction(changes: Record<string, unknown>) {
  return assess({ transactions: [{ ...TRANSACTION, ...changes }] });
}

it('finds a full order ready for everything, without a word to say', () => {
  const readiness = assess({});
  expect(readiness.ready).toEqual([
    'alerts',
    'receipt-neta',
    'receipt-netb',
    'first-party-trust',
    'compelling-evidence',
    'merchant-information',
  ]);
  expect(readiness.warnings).toEqual([]);
  expect(readiness.faults).toEqual([]);
});

describe('missing fields', () => {
  it.each([
    ['alerts', { transactions: undefined }, ['transactions']],
    ['alerts', { transactions: [] }, ['transactions']],
    ['receipt-netb', { items: [{ reference_id: 'A-1:1' }] }, ['items[0].name']],
    ['receipt-netb', { items: undefined }, ['items[0].name']],
    ['first-party-trust', { order_email: undefined }, ['order_email']],
    ['first-party-trust', { customer_email: undefined }, ['customer_email']],
    [
      'first-party-trust',
      { device_id: undefined },
      ['device_ip_address|device_id|device_fingerprint'],
    ],
    ['compelling-evidence', { customer_email: undefined }, ['customer_email']],
    [
      'compelling-evidence',
      { device_id: undefined },
      ['device_ip_address|device_id|device_fingerprint'],
    ],
    ['merchant-information', { merchant_url: undefined }, ['merchant_url']],
    [
      'receipt-neta',
      { refunds: [{ reference_id: 'r', amount_in_cents: 1, currency: 'JPY' }] },
      ['refunds[0].refund_datetime'],
    ],
  ] as const)('%s of %j', (programme, changes, expected) => {
    expect(assess(changes).missing[programme]).toEqual(expected);
  });

  it.each([
    'authorised_at',
    'payment_method_type',
    'authorisation_status',
    'payment_method_card_brand',
  ])('alerts need %s on the transaction', (field) => {
    expect(withTransaction({ [field]: undefined }).missing.alerts).toEqual([
      `transactions[0].${field}`,
    ]);
  });

  it.each([
    { payment_method_card_bin: '424242' },
    { authorisation_code: 'A1B2C3' },
    { acquirer_reference_number: '74111111111111111111119' },
  ])('an identifier that is there is not called missing for want of another field: %j', (own) => {
    const none = { acquirer_reference_number: undefined };
    const gaps = withTransaction({ ...none, ...own, payment_method_card_brand: undefined });
    expect(gaps.missing.alerts).toEqual(['transactions[0].payment_method_card_brand']);
    const noDigits = withTransaction({ ...none, ...own, payment_method_card_last_4: undefined });
    expect(noDigits.missing.alerts).toEqual(['transactions[0].payment_method_card_last_4']);
  });

  it('alerts need one ready transaction, not all', () => {
    const bare = { reference_id: 'ch_0', amount_in_cents: 1, currency: 'JPY' };
    expect(assess({ transactions: [bare, TRANSACTION] }).missing.alerts).toEqual([]);
  });

  it('a payment without a card needs no card field', () => {
    const wallet = {
      reference_id: 'ch_1',
      amount_in_cents: 1,
      currency: 'KWD',
      payment_method_type: 'WALLET',
      authorisation_status: 'SETTLED',
      authorised_at: '2026-11-20',
    };
    expect(assess({ transactions: [wallet] }).missing.alerts).toEqual([]);
  });

  it.each(['device_ip_address', 'device_id', 'device_fingerprint'])(
    '%s alone is a device',
    (field) => {
      const readiness = assess({ device_id: undefined, [field]: 'x' });
      expect(readiness.missing['compelling-evidence']).toEqual([]);
    },
  );
});

describe('card identifiers', () => {
  const base = { reference_id: 'c', amount_in_cents: 1, currency: 'USD' };
  it.each([
    [{ acquirer_reference_number: '74111111111111111111119' }, ['a']],
    [{ acquirer_reference_number: '7411111111111111111111' }, []], // 22
    [{ authorisation_code: 'A1B2C3', payment_method_card_last_4: '4242' }, ['b']],
    [{ authorisation_code: 'A1B2C3' }, []],
    [{ authorisation_code: 'A1B2C', payment_method_card_last_4: '4242' }, []],
    [
      {
        payment_method_card_bin: '424242',
        payment_method_card_last_4: '4242',
        payment_method_card_brand: 'SCHEME_A',
      },
      ['c'],
    ],
    [{ payment_method_card_bin: '424242', payment_method_card_last_4: '4242' }, []],
    [{ payment_method_card_bin: '424242', payment_method_card_brand: 'SCHEME_A' }, []],
  ])('%j satisfies %j', (fields, expected) => {
    expect(cardCombinations({ ...base, ...fields })).toEqual(expected);
  });

  it('names the identifiers when none is complete', () => {
    const readiness = withTransaction({ acquirer_reference_number: undefined });
    expect(readiness.missing.alerts).toEqual([
      'transactions[0].acquirer_reference_number|transactions[0].authorisation_code|transactions[0].payment_method_card_bin',
    ]);
    expect(readiness.cards).toEqual([{ transaction: 'ch_1', combinations: [] }]);
  });
});

describe('warnings', () => {
  it.each([
    ['x'.repeat(25), false],
    ['x'.repeat(26), true],
  ])('order_number %s: %s', (order_number, warned) => {
    const texts = assess({ order_number }).warnings.filter((text) =>
      text.startsWith('order_number'),
    );
    expect(texts).toHaveLength(warned ? 1 : 0);
  });

  it('holds an ARN or code of the wrong length, whatever the programmes', () => {
    const readiness = withTransaction({
      acquirer_reference_number: '741111111111111111111190',
      authorisation_code: 'A1B2C3D',
    });
    expect(readiness.faults).toEqual([
      'transactions[0].acquirer_reference_number has 24 characters, not 23',
      'transactions[0].authorisation_code has 7 characters, not 6',
    ]);
    expect(holdReason(readiness, { required: [], reported: [] })).toContain('24 characters');
  });

  it('names what can never be added later', () => {
    const readiness = assess({
      customer_account_id: undefined,
      device_id: undefined,
      subscriptions: undefined,
    });
    expect(readiness.warnings).toEqual([
      'cannot be added after creation: customer_account_id, device_ip_address|device_id|device_fingerprint',
      'can be updated later only if sent now: subscriptions',
    ]);
  });

  it('names fields the interface does not list', () => {
    const readiness = assess({
      custmer_email: 'x',
      items: [{ reference_id: 'i', name: 'n', colour: 'red' }],
    });
    expect(readiness.warnings).toEqual([
      'not named in the interface, sent as they are: custmer_email, items[0].colour',
    ]);
  });
});

describe('FORESTALL_PROGRAMMES', () => {
  const notReady = assess({ customer_email: undefined });

  it('holds for a named programme, and names programme and field', () => {
    const policy = parseProgrammes(['alerts', 'Compelling_Evidence']);
    expect(holdReason(notReady, policy)).toBe(
      'not ready for compelling-evidence: customer_email missing',
    );
  });

  it('reports only for a name with a question mark', () => {
    expect(holdReason(notReady, parseProgrammes(['compelling-evidence?']))).toBeUndefined();
    expect(holdReason(notReady, parseProgrammes(['alerts']))).toBeUndefined();
  });

  it('refuses a word that is no programme', () => {
    expect(() => parseProgrammes(['alerts', 'evidense'])).toThrow('names what is no programme');
  });
});
