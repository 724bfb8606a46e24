/** Guarantee: each order mapper makes orders that the intake takes, with exact amounts and references. */
import { describe, expect, it } from 'vitest';
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
    currency: 'usd',
    created: 1_763_600_000,
    status: 'succeeded',
    customer: 'cus_1',
    calculated_statement_descriptor: 'SHOP',
    metadata: { order_id: 'A-1' },
    billing_details: { email: 'a@b.example', address: { country: 'DE' } },
    payment_method_details: { type: 'card', card: { brand: 'visa', last4: '4242', iin: '424242' } },
  };

  it('a charge', () => {
    expect(taken(orderFromStripe(charge))).toMatchObject({
      reference_id: 'A-1',
      order_datetime: '2025-11-20T00:53:20.000Z',
      order_total_amount_in_cents: 2900,
      order_currency: 'USD',
      transactions: [
        {
          reference_id: 'ch_1',
          authorisation_status: 'SETTLED',
          payment_method_card_last_4: '4242',
          payment_method_card_bin: '424242',
        },
      ],
    });
  });

  it.each([
    ['jpy', 5000, 5000],
    ['isk', 500_000, 5_000],
    ['kwd', 5000, 5000],
  ])('an amount in %s', (currency, amount, minor) => {
    const order = taken(orderFromStripe({ ...charge, currency, amount }));
    expect(order).toMatchObject({ order_total_amount_in_cents: minor });
  });

  it('refuses what is none, and what is no whole number of minor units', () => {
    expect(orderFromStripe({})).toBe('it is no charge');
    expect(orderFromStripe({ ...charge, currency: 'isk', amount: 150 })).toBe(
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
      card_bin: null,
      card_last4: '1111',
      item_name: 'Hat',
      changed_at: at,
    },
  };
  expect(taken(orderFromRow(row))).toMatchObject({
    reference_id: 'A-1',
    order_total_amount_in_cents: 2_900,
    transactions: [{ reference_id: 'ch_1', acquirer_reference_number: '74537604221222100000001' }],
  });
});
