/** Guarantee: each order mapper makes orders that the intake takes, with exact amounts and references. */
import { describe, expect, it } from 'vitest';
import { assessOrder } from '../../src/orders/readiness.ts';
import { readSubmission } from '../../src/orders/submission.ts';
import { orderFromRow } from '../../templates/orders/database.ts';
import { orderFromShopify } from '../../templates/orders/shopify.ts';
import { orderFromStripe } from '../../templates/orders/stripe.ts';
import { orderFromWooCommerce } from '../../templates/orders/woocommerce.ts';

const DEFAULTS = { organisationId: 'org_1', integrationId: 'int_1' };

/** The order as the intake reads it; fails where it refuses. */
function taken(order: unknown) {
  const read = readSubmission(order, DEFAULTS);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

describe('Stripe', () => {
  const charge = {
    id: 'ch_1',
    amount: 2900,
    amount_captured: 2900,
    captured: true,
    currency: 'usd',
    created: 1_763_600_000,
    status: 'succeeded',
    customer: 'cus_1',
    calculated_statement_descriptor: 'SHOP',
    metadata: { order_id: 'A-1' },
    billing_details: {
      email: 'a@b.example',
      phone: '+4930123',
      address: { line1: 'Weg 1', city: 'Berlin', state: 'BE', postal_code: '10115', country: 'DE' },
    },
    payment_method_details: {
      type: 'card',
      card: {
        brand: 'visa',
        last4: '4242',
        iin: '424242',
        checks: { cvc_check: 'pass' },
        three_d_secure: { result: 'authenticated' },
      },
    },
  };

  it('a charge', () => {
    expect(taken(orderFromStripe(charge))).toMatchObject({
      reference_id: 'A-1',
      order_datetime: '2025-11-20T00:53:20.000Z',
      order_total_amount_in_cents: 2900,
      order_currency: 'USD',
      order_status: 'CLOSED_COMPLETE',
      order_phone: '+4930123',
      transactions: [
        {
          reference_id: 'ch_1',
          authorisation_status: 'SETTLED',
          cvc_verified: true,
          three_d_secure_verified: true,
          billing_address: {
            line_1: 'Weg 1',
            city: 'Berlin',
            country_subdivision: 'BE',
            postal_code: '10115',
            country: 'DE',
          },
          payment_method_card_last_4: '4242',
          payment_method_card_bin: '424242',
        },
      ],
    });
  });

  it.each([
    ['jpy', 5000, 5000],
    ['isk', 500_000, 5_000],
    ['ugx', 70_000, 700],
    ['kwd', 5000, 5000],
    // Without decimals at Stripe, with two in ISO 4217.
    ['mga', 42, 4_200],
  ])('an amount in %s', (currency, amount, minor) => {
    const order = taken(orderFromStripe({ ...charge, currency, amount, amount_captured: amount }));
    expect(order).toMatchObject({ order_total_amount_in_cents: minor });
  });

  it.each([
    ['captured in part', { amount: 10_000, amount_captured: 2_900 }, 2_900],
    ['captured with a tip', { amount: 2_500, amount_captured: 2_900 }, 2_900],
  ])('%s: the amount of the statement', (_what, shown, minor) => {
    const order = taken(orderFromStripe({ ...charge, ...shown }));
    expect(order).toMatchObject({
      order_subtotal_amount_in_cents: minor,
      order_total_amount_in_cents: minor,
      transactions: [{ amount_in_cents: minor, authorisation_status: 'SETTLED' }],
    });
  });

  it('not captured yet: open, and not settled', () => {
    const order = taken(orderFromStripe({ ...charge, captured: false, amount_captured: 0 }));
    expect(order).toMatchObject({
      order_total_amount_in_cents: 2900,
      order_status: 'OPEN_PENDING',
    });
    expect(order.transactions?.[0]?.authorisation_status).toBeUndefined();
  });

  it('refunds that happened, and neither pending ones nor the rest of a partial capture', () => {
    const refund = { id: 're_1', amount: 900, created: 1_763_700_000, status: 'succeeded' };
    const data = [
      refund,
      { ...refund, id: 're_2', status: 'pending' },
      { ...refund, id: 're_3', status: 'failed' },
      { ...refund, id: 're_release', amount: 7_100 },
    ];
    const shown = { amount: 10_000, amount_captured: 2_900, refunds: { data } };
    expect(taken(orderFromStripe({ ...charge, ...shown })).refunds).toEqual([
      {
        reference_id: 're_1',
        amount_in_cents: 900,
        currency: 'USD',
        status: 'SUCCEEDED',
        original_transaction_reference_id: 'ch_1',
        // date -u -d @1763700000
        refund_datetime: '2025-11-21T04:40:00.000Z',
      },
    ]);
  });

  it('refuses what is none, what failed, and what is no whole number of minor units', () => {
    expect(orderFromStripe({})).toBe('it is no charge');
    expect(orderFromStripe({ ...charge, status: 'failed' })).toBe('it failed');
    expect(orderFromStripe({ ...charge, currency: 'isk', amount_captured: 150 })).toBe(
      'its amount is no whole number of minor units',
    );
  });
});

describe('Shopify', () => {
  const order = {
    id: 450_789_469,
    name: '#1001',
    currency: 'USD',
    created_at: '2026-11-20T10:00:00-05:00',
    total_price: '409.94',
    subtotal_price: '398.00',
    total_tax: '11.94',
    email: 'bob@shop.example',
    fulfillment_status: 'fulfilled',
    line_items: [{ id: 1, name: 'Lamp', price: '199.00', quantity: 2, sku: 'L1' }],
    fulfillments: [
      {
        id: 7,
        tracking_company: 'Post',
        tracking_number: '1Z',
        status: 'success',
        created_at: '2026-11-21T00:00:00Z',
      },
    ],
  };
  const sale = {
    id: 389,
    kind: 'sale',
    status: 'success',
    amount: '409.94',
    currency: 'USD',
    authorization: 'ch_9',
    processed_at: '2026-11-20T10:00:01-05:00',
    payment_details: { credit_card_company: 'Visa', credit_card_number: '•••• •••• •••• 4242' },
  };

  it('an order with its payment, items and parcel; a failed payment is none', () => {
    const read = taken(orderFromShopify(order, [sale, { ...sale, id: 390, status: 'failure' }]));
    expect(read).toMatchObject({
      reference_id: 'shopify-450789469',
      order_datetime: '2026-11-20T15:00:00.000Z',
      order_subtotal_amount_in_cents: 39_800,
      order_total_amount_in_cents: 40_994,
      order_status: 'CLOSED_COMPLETE',
      items: [{ price_in_cents: 19_900, quantity: 2 }],
      deliveries: [{ type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' }],
    });
    expect(read.transactions).toMatchObject([
      { reference_id: 'ch_9', amount_in_cents: 40_994, payment_method_card_last_4: '4242' },
    ]);
    expect(read.transactions).toHaveLength(1);
  });

  it('names payments and refunds as Shopify’s own API does where Shopify refunds', () => {
    const refund = { ...sale, id: 391, kind: 'refund', parent_id: 389, authorization: 're_9' };
    const read = taken(orderFromShopify(order, [sale, refund], { references: 'shopify' }));
    const reference = 'gid://shopify/OrderTransaction/389';
    expect(read.transactions).toMatchObject([{ reference_id: reference }]);
    expect(read.refunds).toMatchObject([
      {
        reference_id: 'gid://shopify/OrderTransaction/391',
        original_transaction_reference_id: reference,
      },
    ]);
  });

  function deliveries(fulfilment: object) {
    const shown = { ...order.fulfillments[0], ...fulfilment };
    return taken(orderFromShopify({ ...order, fulfillments: [shown] }, [sale])).deliveries;
  }

  // https://shopify.dev/docs/api/admin-rest/latest/resources/fulfillment: status, shipment_status
  it.each([
    ['success', null, 'SHIPPED'],
    ['success', 'in_transit', 'SHIPPED'],
    ['success', 'out_for_delivery', 'SHIPPED'],
    ['success', 'attempted_delivery', 'SHIPPED'],
    ['success', 'delivered', 'DELIVERED'],
    ['success', 'label_printed', undefined],
    ['success', 'label_purchased', undefined],
    ['success', 'confirmed', undefined],
    ['success', 'ready_for_pickup', undefined],
    ['success', 'failure', undefined],
    ['pending', null, undefined],
    ['open', null, undefined],
    ['open', 'in_transit', undefined],
  ])('a fulfilment that is %s, its parcel %s, is %s', (status, shipment_status, expected) => {
    const [delivery, ...more] = deliveries({ status, shipment_status }) ?? [];
    expect(more).toEqual([]);
    expect(delivery).toMatchObject({ reference_id: 'shopify-450789469:f7', type: 'PHYSICAL' });
    expect(delivery?.physical_shipping_status).toBe(expected);
    expect(delivery?.physical_shipping_datetime_shipped).toBe(
      expected === undefined ? undefined : '2026-11-21T00:00:00.000Z',
    );
  });

  it.each(['failure', 'error', 'cancelled', undefined])(
    'a fulfilment that is %s is no delivery',
    (status) => {
      expect(deliveries({ status })).toEqual([]);
    },
  );

  it('a fulfilment of what needs no shipping is digital', () => {
    const [delivery] = deliveries({ line_items: [{ id: 1, requires_shipping: false }] }) ?? [];
    expect(delivery).toEqual({ reference_id: 'shopify-450789469:f7', type: 'DIGITAL' });
  });

  const authorisation = {
    ...sale,
    id: 388,
    kind: 'authorization',
    authorization: 'ch_auth',
    payment_details: {
      credit_card_company: 'Visa',
      credit_card_bin: '424242',
      credit_card_number: '•••• •••• •••• 4242',
      cvv_result_code: 'M',
    },
  };
  const capture = {
    id: 391,
    kind: 'capture',
    parent_id: 388,
    status: 'success',
    amount: '209.94',
    currency: 'EUR',
    authorization: 'ch_cap',
    processed_at: '2026-11-25T08:00:00Z',
  };

  it('captures carry the card and the date of their authorisation, and their own amounts', () => {
    const second = { ...capture, id: 392, amount: '200.00', authorization: 'ch_cap2' };
    const read = taken(orderFromShopify(order, [capture, authorisation, second]));
    const card = {
      payment_method_type: 'CARD',
      authorised_at: '2026-11-20T15:00:01.000Z',
      cvc_verified: true,
      payment_method_card_brand: 'Visa',
      payment_method_card_bin: '424242',
      payment_method_card_last_4: '4242',
    };
    expect(read.transactions).toMatchObject([
      { reference_id: 'ch_cap', amount_in_cents: 20_994, currency: 'EUR', ...card },
      { reference_id: 'ch_cap2', amount_in_cents: 20_000, currency: 'EUR', ...card },
    ]);
  });

  it('a payment without a card is not called one', () => {
    const cash = { ...sale, payment_details: null };
    const [payment] = taken(orderFromShopify(order, [cash])).transactions ?? [];
    expect(payment?.payment_method_type).toBeUndefined();
  });

  it('refunds that happened, each once, and what they are of', () => {
    const refund = {
      id: 400,
      kind: 'refund',
      parent_id: 391,
      status: 'success',
      amount: '9.94',
      currency: 'EUR',
      authorization: 're_1',
      processed_at: '2026-11-26T08:00:00Z',
    };
    const failed = { ...refund, id: 401, status: 'failure', authorization: 're_2' };
    const pending = { ...refund, id: 402, status: 'pending', authorization: 're_3' };
    const refunds = [{ id: 1, transactions: [refund, failed, pending] }];
    const read = taken(orderFromShopify({ ...order, refunds }, [authorisation, capture, refund]));
    expect(read.refunds).toEqual([
      {
        reference_id: 're_1',
        amount_in_cents: 994,
        currency: 'EUR',
        status: 'SUCCEEDED',
        original_transaction_reference_id: 'ch_cap',
        refund_datetime: '2026-11-26T08:00:00.000Z',
      },
    ]);
    const unreadable = [{ transactions: [{ ...refund, amount: 'all' }] }];
    expect(orderFromShopify({ ...order, refunds: unreadable }, [sale])).toBe(
      'one of its refunds cannot be read',
    );
  });

  it('telephone and billing address', () => {
    const billing_address = {
      address1: '1 Main St',
      city: 'Boise',
      province_code: 'ID',
      zip: '83702',
      country_code: 'US',
      phone: '+12085550100',
    };
    const read = taken(orderFromShopify({ ...order, billing_address }, [sale]));
    expect(read.order_phone).toBe('+12085550100');
    expect(read.transactions?.[0]?.billing_address).toEqual({
      line_1: '1 Main St',
      city: 'Boise',
      country_subdivision: 'ID',
      postal_code: '83702',
      country: 'US',
    });
    const own = taken(orderFromShopify({ ...order, phone: '+1', billing_address }, [sale]));
    expect(own.order_phone).toBe('+1');
  });

  it('refuses prices that cannot be read', () => {
    expect(orderFromShopify({ ...order, total_price: '1,5' }, [])).toBe(
      'its prices cannot be read',
    );
  });
});

describe('WooCommerce', () => {
  const order = {
    id: 727,
    number: '727',
    currency: 'USD',
    status: 'completed',
    date_created_gmt: '2026-11-20T10:00:00',
    date_paid_gmt: '2026-11-20T10:00:05',
    total: '29.35',
    total_tax: '1.35',
    transaction_id: 'ch_7',
    customer_id: 0,
    billing: { email: 'j@d.example' },
    line_items: [{ id: 315, name: 'Hat', price: 14, quantity: 2 }],
  };

  it('an order, its times in UTC, guests without an account', () => {
    const read = taken(orderFromWooCommerce(order));
    expect(read).toMatchObject({
      order_datetime: '2026-11-20T10:00:00.000Z',
      order_subtotal_amount_in_cents: 2_800,
      order_total_amount_in_cents: 2_935,
      transactions: [{ reference_id: 'ch_7', authorised_at: '2026-11-20T10:00:05.000Z' }],
      items: [{ price_in_cents: 1_400 }],
    });
    expect(read.customer_account_id).toBeUndefined();
  });

  it.each([
    // 43 for three; 9.995; a text of older versions; none.
    [{ price: 14.333333333333334 }, 1_433],
    [{ price: 9.995 }, 1_000],
    [{ price: '14.00' }, 1_400],
    [{ price: '' }, undefined],
    [{ price: undefined }, undefined],
  ])('the price of one, to the nearest cent: %o is %s', (shown, minor) => {
    const read = taken(
      orderFromWooCommerce({ ...order, line_items: [{ ...order.line_items[0], ...shown }] }),
    );
    expect(read.items?.[0]?.price_in_cents).toBe(minor);
  });

  it('the price of one in a currency without decimals', () => {
    const yen = { ...order, currency: 'JPY', total: '2935', total_tax: '135' };
    const read = taken(orderFromWooCommerce(yen));
    expect(read.items?.[0]?.price_in_cents).toBe(14);
  });

  it('refunds made through the gateway, with their dates; none that somebody only wrote down', () => {
    const refund = {
      id: 726,
      date_created_gmt: '2026-11-22T09:00:00',
      amount: '10.00',
      refunded_payment: true,
    };
    const noted = { ...refund, id: 725, refunded_payment: false };
    const read = taken(orderFromWooCommerce(order, { refunds: [refund, noted] }));
    expect(read.refunds).toEqual([
      {
        reference_id: 'woo-refund-726',
        amount_in_cents: 1_000,
        currency: 'USD',
        status: 'SUCCEEDED',
        original_transaction_reference_id: 'ch_7',
        refund_datetime: '2026-11-22T09:00:00.000Z',
      },
    ]);
    expect(orderFromWooCommerce(order, { refunds: [{ ...refund, amount: 'x' }] })).toBe(
      'one of its refunds cannot be read',
    );
  });

  it('the billing address, and what you know of the payment', () => {
    const billing = {
      address_1: '969 Market',
      city: 'SF',
      state: 'CA',
      postcode: '94103',
      country: 'US',
    };
    const known = { payment_method_type: 'CARD', payment_method_card_last_4: '4242' };
    const read = taken(orderFromWooCommerce({ ...order, billing }, { known }));
    expect(read.transactions).toMatchObject([
      {
        ...known,
        billing_address: {
          line_1: '969 Market',
          city: 'SF',
          country_subdivision: 'CA',
          postal_code: '94103',
          country: 'US',
        },
      },
    ]);
  });

  it.each([
    [{ date_paid_gmt: null }, 'it is not paid'],
    [{ transaction_id: '' }, 'its gateway left no transaction_id'],
    [{ total: 'free' }, 'its total cannot be read'],
  ])('refuses one with %o', (changes, why) => {
    expect(orderFromWooCommerce({ ...order, ...changes })).toBe(why);
  });
});

it('a row of your own database', () => {
  const at = new Date('2026-11-20T10:00:00Z');
  const row = {
    ...{ order_reference: 'A-1', paid_at: at, total_minor: 2_900, currency: 'USD', email: null },
    ...{ customer_id: 'c1', charge_reference: 'ch_1', arn: '74537604221222100000001' },
    ...{
      authorisation_code: null,
      card_brand: 'VISA',
      card_bin: null,
      card_last4: '1111',
      item_name: 'Hat',
      changed_at: at,
    },
  };
  // Without the brand no card payment is found by an alert.
  expect(assessOrder(taken(orderFromRow(row))).missing.alerts).toEqual([]);
  expect(taken(orderFromRow(row))).toMatchObject({
    reference_id: 'A-1',
    order_total_amount_in_cents: 2_900,
    transactions: [{ reference_id: 'ch_1', acquirer_reference_number: '74537604221222100000001' }],
  });
});
