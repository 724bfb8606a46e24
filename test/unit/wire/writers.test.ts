/** Guarantee: what we send has the specification's names, lengths and combinations, or is not sent. */
import { describe, expect, test } from 'vitest';
import { alertActionSchema } from '../../../src/service/wire/alert.ts';
import {
  enrolmentCreateSchema,
  enrolmentUpdateSchema,
  enrolmentV1CreateSchema,
} from '../../../src/service/wire/enrolment.ts';
import { merchantCreateSchema, merchantUpdateSchema } from '../../../src/service/wire/merchant.ts';
import {
  completeOrderSchema,
  orderCreateSchema,
  partialOrderSchema,
} from '../../../src/service/wire/order-request.ts';
import { orderUpdateSchema } from '../../../src/service/wire/order-update.ts';
import {
  ruleInputSchema,
  rulesetCreateSchema,
  rulesetUpdateSchema,
} from '../../../src/service/wire/ruleset.ts';
import {
  simulateAlertSchema,
  simulateEnrolmentSchema,
} from '../../../src/service/wire/simulation.ts';
import { unlistedFields } from '../../../src/service/wire/unlisted-fields.ts';

const ARN = '12345678901234567890123';

const transaction = {
  reference_id: 'T1',
  amount_in_cents: 12990,
  currency: 'USD',
  payment_method_type: 'CARD',
  authorisation_status: 'SETTLED',
  authorised_at: '2026-02-27T09:00:00Z',
  descriptor: 'SHOP',
  acquirer_reference_number: ARN,
  authorisation_code: 'A1B2C3',
  cvc_verified: true,
  three_d_secure_verified: false,
  payment_method_card_brand: 'SCHEME_B',
  payment_method_card_last_4: '1111',
  payment_method_card_bin: '411111',
  billing_address: { line_1: '1 High St', city: 'X', country: 'GB' },
};

const order = {
  type: 'COMPLETE',
  organisation_id: 'org_1',
  integration_id: 'int_1',
  reference_id: 'A1',
  order_datetime: '2026-02-27T09:00:00Z',
  order_number: 'A1',
  order_subtotal_amount_in_cents: 10000,
  order_currency: 'USD',
  order_total_amount_in_cents: 12990,
  order_status: 'CLOSED_COMPLETE',
};

const delivery = {
  reference_id: 'D1',
  type: 'DIGITAL',
  digital_download_datetime: '2026-02-27T09:00:00Z',
};

const rich = {
  ...order,
  order_communications: [{ sent_at: '2026-02-27', body: 'thanks' }],
  customer_email: 'a@example.com',
  device_ip_address: '192.0.2.1',
  transactions: [transaction],
  deliveries: [delivery],
  items: [{ reference_id: 'A1-I1', name: 'Book', price_in_cents: 10000, quantity: 1 }],
  subscriptions: [{ reference_id: 'S1', trial_end_date: '2026-03-01', interval: 'MONTH' }],
  refunds: [{ reference_id: 'R1', amount_in_cents: 1, currency: 'USD', status: 'SUCCEEDED' }],
  disputes: [{ reference_id: 'P1', amount_in_cents: 1, currency: 'USD', stage: '1ST_CHARGEBACK' }],
};

const withTransaction = (change: object) => ({
  ...order,
  transactions: [{ ...transaction, ...change }],
});

describe('orders', () => {
  test('the core alone, and everything the specification names, pass unchanged', () => {
    expect(completeOrderSchema.parse(order)).toEqual(order);
    expect(completeOrderSchema.parse(rich)).toEqual(rich);
  });

  test.each(Object.keys(order))('a complete order without %s is refused', (field) => {
    expect(completeOrderSchema.safeParse({ ...order, [field]: undefined }).success).toBe(false);
  });

  test.each([
    ['an unknown field', { ...order, order_nubmer: 'A1' }],
    ['a status of our own', { ...order, order_status: 'SHIPPED' }],
    ['a lower-case currency', { ...order, order_currency: 'usd' }],
    ['an amount as text', { ...order, order_total_amount_in_cents: '12990' }],
    ['an amount below zero', { ...order, order_total_amount_in_cents: -1 }],
    ['a fraction', { ...order, order_total_amount_in_cents: 129.9 }],
    ['22 characters of ARN', withTransaction({ acquirer_reference_number: ARN.slice(1) })],
    ['24 characters of ARN', withTransaction({ acquirer_reference_number: `${ARN}4` })],
    ['5 characters of authorisation', withTransaction({ authorisation_code: 'A1B2C' })],
    ['7 characters of authorisation', withTransaction({ authorisation_code: 'A1B2C34' })],
    ['a full card number as BIN', withTransaction({ payment_method_card_bin: '4111111111111111' })],
    ['a security code', withTransaction({ payment_method_card_cvc: '123' })],
    ['an unknown delivery field', { ...order, deliveries: [{ ...delivery, carrier: 'X' }] }],
    ['an unknown delivery type', { ...order, deliveries: [{ ...delivery, type: 'PIGEON' }] }],
    ['an unknown subscription field', { ...order, subscriptions: [{ reference_id: 'S', end: 1 }] }],
  ])('refuses %s', (_case, body) => {
    expect(completeOrderSchema.safeParse(body).success).toBe(false);
  });

  test('exactly 23 and 6 characters pass', () => {
    expect(completeOrderSchema.safeParse(withTransaction({})).success).toBe(true);
  });

  test('a partial order needs device identity, and no core', () => {
    const partial = {
      type: 'PARTIAL',
      organisation_id: 'org_1',
      integration_id: 'int_2',
      reference_id: 'ch_1',
    };
    expect(partialOrderSchema.safeParse(partial).success).toBe(false);
    for (const field of ['device_ip_address', 'device_id', 'device_fingerprint']) {
      expect(partialOrderSchema.safeParse({ ...partial, [field]: 'x' }).success).toBe(true);
    }
  });

  test('1 to 100 orders at once', () => {
    const many = (length: number) => Array.from({ length }, () => order);
    expect(orderCreateSchema.safeParse([]).success).toBe(false);
    expect(orderCreateSchema.safeParse(many(1)).success).toBe(true);
    expect(orderCreateSchema.safeParse(many(100)).success).toBe(true);
    expect(orderCreateSchema.safeParse(many(101)).success).toBe(false);
    expect(orderCreateSchema.safeParse(order).success).toBe(false);
  });

  test('an update takes its seven fields and no other', () => {
    const { deliveries, subscriptions, refunds, disputes, order_communications } = rich;
    const update = {
      order_status: 'OTHER',
      order_status_other_description: 'lost',
      order_communications,
      deliveries,
      subscriptions,
      refunds,
      disputes,
    };
    expect(orderUpdateSchema.parse(update)).toEqual(update);
    expect(orderUpdateSchema.safeParse({}).success).toBe(false);
    for (const field of ['customer_email', 'items', 'transactions', 'device_id', 'reference_id']) {
      expect(orderUpdateSchema.safeParse({ order_status: 'OTHER', [field]: 'x' }).success).toBe(
        false,
      );
    }
  });
});

describe('an order update', () => {
  test.each([
    [
      'the status of a delivery',
      { deliveries: [{ reference_id: 'D', physical_shipping_status: 'DELIVERED' }] },
    ],
    ['the status of a refund', { refunds: [{ reference_id: 'R', status: 'SUCCEEDED' }] }],
    ['the status of a dispute', { disputes: [{ reference_id: 'X', status: 'OPEN' }] }],
    [
      'the status of a subscription',
      { subscriptions: [{ reference_id: 'S', status: 'CANCELLED' }] },
    ],
    ['a field that is not listed', { refunds: [{ reference_id: 'R', gateway: 'acme' }] }],
    [
      'an unlisted part of an address',
      { deliveries: [{ reference_id: 'D', physical_shipping_address: { line_2: 'c/o' } }] },
    ],
  ])('takes %s alone', (_case, update) => {
    expect(orderUpdateSchema.safeParse(update).success).toBe(true);
  });

  test.each([
    ['an entry without its reference', { refunds: [{ status: 'SUCCEEDED' }] }],
    ['a listed field of another type', { refunds: [{ reference_id: 'R', amount_in_cents: '1' }] }],
    ['an unknown kind of delivery', { deliveries: [{ reference_id: 'D', type: 'PIGEON' }] }],
  ])('refuses %s', (_case, update) => {
    expect(orderUpdateSchema.safeParse(update).success).toBe(false);
  });

  test('unlisted fields are found once per place, families are listed', () => {
    const update = {
      order_communications: { anything: 1 },
      deliveries: [
        { reference_id: 'D1', physical_shiping_status: 'X', digital_download_ip: '192.0.2.1' },
        {
          reference_id: 'D2',
          physical_shiping_status: 'Y',
          physical_shipping_address: { door: 1 },
        },
      ],
      subscriptions: [{ reference_id: 'S', trial_ends_at: 'x', free_trial: true, colour: 'red' }],
      refunds: [{ reference_id: 'R', status: 'SUCCEEDED' }],
    };
    expect(unlistedFields(orderUpdateSchema, update)).toEqual([
      { field: 'deliveries.physical_shiping_status', nearest: 'physical_shipping_status' },
      { field: 'deliveries.physical_shipping_address.door', nearest: undefined },
      { field: 'subscriptions.colour', nearest: undefined },
    ]);
  });
});

describe('alerts', () => {
  test('four actions, an optional note, nothing else', () => {
    for (const action of ['REFUND', 'ACCEPT_DISPUTE', 'CANCEL', 'REFUND_AND_CANCEL']) {
      expect(alertActionSchema.safeParse({ action, note: 'n' }).success).toBe(true);
    }
    expect(alertActionSchema.safeParse({ action: 'IGNORE' }).success).toBe(false);
    expect(alertActionSchema.safeParse({ note: 'n' }).success).toBe(false);
    expect(alertActionSchema.safeParse({ action: 'REFUND', amount: 1 }).success).toBe(false);
  });
});

describe('enrolments', () => {
  const descriptors = [{ descriptor: 'SHOP', match_type: 'STARTS_WITH' }];
  const rdr = (netb_rdr: object) => ({ type: 'NETB_RDR', merchant_ids: ['mrch_1'], netb_rdr });

  test('alert enrolments carry descriptors, without a status', () => {
    const body = { type: 'NETA_ALERT', merchant_ids: ['mrch_1'], neta_alert: { descriptors } };
    expect(enrolmentCreateSchema.parse(body)).toEqual(body);
    expect(enrolmentCreateSchema.safeParse({ ...body, neta_alert: undefined }).success).toBe(false);
    expect(enrolmentCreateSchema.safeParse({ ...body, merchant_ids: [] }).success).toBe(false);
    expect(enrolmentCreateSchema.safeParse({ ...body, merchant_ids: ['a', 'a'] }).success).toBe(
      false,
    );
    const withStatus = { descriptors: [{ ...descriptors[0], status: 'ACTIVE' }] };
    expect(enrolmentCreateSchema.safeParse({ ...body, neta_alert: withStatus }).success).toBe(
      false,
    );
    expect(enrolmentUpdateSchema.safeParse({ neta_alert: { descriptors } }).success).toBe(true);
    expect(enrolmentUpdateSchema.safeParse({ neta_alert: { descriptors: [] } }).success).toBe(
      false,
    );
  });

  test.each([
    [{ bin: '411111', caid: 'C1' }, true],
    [{ arns: [ARN] }, true],
    [{ bin: '411111' }, false],
    [{ caid: 'C1' }, false],
    [{ arns: [] }, false],
    [{}, false],
    [{ bin: '411111', caid: 'C1', arns: [ARN] }, false],
    [{ bin: '411111', arns: [ARN] }, false],
  ])('an RDR configuration %j: %s', (config, valid) => {
    expect(enrolmentCreateSchema.safeParse(rdr(config)).success).toBe(valid);
  });

  test('v1 takes one merchant_id', () => {
    const body = { type: 'NETA_ALERT', merchant_id: 'mrch_1', neta_alert: { descriptors } };
    expect(enrolmentV1CreateSchema.parse(body)).toEqual(body);
    const v2 = { type: 'NETA_ALERT', merchant_ids: ['mrch_1'], neta_alert: { descriptors } };
    expect(enrolmentV1CreateSchema.safeParse(v2).success).toBe(false);
  });
});

describe('merchants', () => {
  test('lengths, required fields, and null where it clears', () => {
    const body = { organisation_id: 'org_1', name: 'S', type: 'X', external_id: 'e'.repeat(250) };
    expect(merchantCreateSchema.safeParse(body).success).toBe(true);
    expect(merchantCreateSchema.safeParse({ ...body, external_id: 'e'.repeat(251) }).success).toBe(
      false,
    );
    expect(merchantCreateSchema.safeParse({ ...body, name: '' }).success).toBe(false);
    expect(merchantUpdateSchema.safeParse({ external_id: null }).success).toBe(true);
    expect(merchantUpdateSchema.safeParse({ name: null }).success).toBe(false);
    expect(merchantUpdateSchema.safeParse({}).success).toBe(false);
  });
});

describe('rulesets', () => {
  const amount = {
    type: 'AMOUNT',
    parameters: { operator: 'GREATER_THAN', currency_code: 'USD', amount_in_cents: 0 },
  };
  const descriptor = {
    type: 'DESCRIPTOR',
    parameters: { descriptors: [{ value: 'SHOP', match_type: 'EXACT_MATCH' }] },
  };
  const ruleset = {
    organisation_id: 'org_1',
    enrolment_ids: ['enrl_1'],
    outcome: 'ACCEPT_DISPUTE',
    join_operator: 'OR',
  };

  test('rules: USD only, not below zero, parameters of their own type', () => {
    expect(ruleInputSchema.safeParse(amount).success).toBe(true);
    expect(ruleInputSchema.safeParse(descriptor).success).toBe(true);
    const change = (parameters: object) => ({
      ...amount,
      parameters: { ...amount.parameters, ...parameters },
    });
    expect(ruleInputSchema.safeParse(change({ currency_code: 'EUR' })).success).toBe(false);
    expect(ruleInputSchema.safeParse(change({ amount_in_cents: -1 })).success).toBe(false);
    expect(ruleInputSchema.safeParse(change({ operator: 'ABOVE' })).success).toBe(false);
    expect(ruleInputSchema.safeParse({ ...amount, type: 'DESCRIPTOR' }).success).toBe(false);
  });

  test('one rule of each type at creation, none in an update', () => {
    const create = (rules: object[]) =>
      rulesetCreateSchema.safeParse({ ...ruleset, rules }).success;
    expect(rulesetCreateSchema.safeParse(ruleset).success).toBe(true);
    expect(create([amount, descriptor])).toBe(true);
    expect(create([amount, amount])).toBe(false);
    expect(rulesetUpdateSchema.safeParse({ outcome: 'REFUND' }).success).toBe(true);
    expect(rulesetUpdateSchema.safeParse({ rules: [] }).success).toBe(false);
  });
});

describe('simulations', () => {
  const body = {
    organisation_id: 'org_1',
    enrolment_id: 'enrl_1',
    status: 'ACTION_REQUIRED',
    card_scheme: 'SCHEME_A',
    amount_in_cents: 12990,
    currency_code: 'USD',
    transaction_acquirer_reference_number: ARN,
    transaction_authorisation_code: 'A1B2C3',
  };

  test('the alert simulation needs all eight fields, with their exact lengths', () => {
    expect(simulateAlertSchema.parse(body)).toEqual(body);
    for (const field of Object.keys(body)) {
      expect(simulateAlertSchema.safeParse({ ...body, [field]: undefined }).success).toBe(false);
    }
    const short = { ...body, transaction_authorisation_code: 'A1B2C' };
    expect(simulateAlertSchema.safeParse(short).success).toBe(false);
    expect(simulateEnrolmentSchema.safeParse({ status: 'ENABLED' }).success).toBe(true);
  });
});
