/** Rows that packs are made from. */
import type { Db } from '../../../src/base/db/database.ts';
import { ORG } from '../../integration/reconcile/rows.ts';

export const SAME_CUSTOMER = {
  customer_email: 'Ada@customer.example',
  customer_account_id: 'acct-77881',
};

/** It lacks nothing that any reason code asks for of an order. */
export const FULL = {
  ...SAME_CUSTOMER,
  device_ip_address: '203.0.113.9',
  device_id: 'device-0123456789abcde',
  order_proof_of_consent: 'ticked the terms of 2026-01-01',
  order_communications: [{ at: '2026-02-25T10:30:00Z', text: 'The lamp <works> & shines' }],
  items: [{ reference_id: 'i1', name: 'Desk lamp “Łódź”', price_in_cents: 2_900, quantity: 1 }],
  deliveries: [
    {
      reference_id: 'd1',
      type: 'PHYSICAL',
      physical_shipping_carrier: 'DHL',
      physical_shipping_tracking_number: 'JD0001',
      physical_shipping_datetime_delivered: '2026-02-23T14:05:00Z',
      physical_shipping_address: { line_1: '1 Main Street', city: 'Boston', country: 'US' },
    },
  ],
  subscriptions: [
    {
      reference_id: 'sub_1',
      interval: 'MONTH',
      interval_price_in_cents: 2_900,
      interval_currency: 'USD',
    },
  ],
};

/** An order with one payment, and that payment. */
export async function insertOrder(
  db: Db,
  reference: string,
  given: { at: string; charge: string; body: object },
): Promise<void> {
  const transaction = {
    reference_id: given.charge,
    amount_in_cents: 2_900,
    currency: 'USD',
    ...(given.body === FULL
      ? { three_d_secure_verified: true, billing_address: { city: 'Boston' } }
      : {}),
  };
  const body = {
    type: 'COMPLETE',
    reference_id: reference,
    order_number: reference.toUpperCase(),
    order_datetime: given.at,
    order_total_amount_in_cents: 2_900,
    order_currency: 'USD',
    transactions: [transaction],
    ...given.body,
  };
  await db
    .insertInto('order_record')
    .values({
      organisation_id: ORG,
      integration_id: 'int_1',
      reference_id: reference,
      type: 'COMPLETE',
      state: 'CREATED',
      order_id: `ord_${reference}`,
      submitted: JSON.stringify(body),
      submitted_hash: Buffer.from('00', 'hex'),
      body: JSON.stringify(body),
      ready: [],
      missing: [],
      warnings: '[]',
      accepted_at: given.at,
      changed_at: given.at,
    } as never)
    .execute();
  await db
    .insertInto('charge')
    .values({
      organisation_id: ORG,
      reference: given.charge,
      order_reference: reference,
      integration_id: 'int_1',
      source: 'order',
      amount_minor: 2_900,
      currency: 'USD',
      authorised_at: given.at,
      authorisation_code: 'A1B2C3',
      acquirer_reference_number: given.charge === 'ch_full' ? '7'.repeat(23) : null,
      known_at: given.at,
    })
    .execute();
}
