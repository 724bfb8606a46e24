/** Guarantee: why an order was refused is told with the next step, and without naming the customer. */
import { describe, expect, it } from 'vitest';
import type { OrderBody } from '../../../src/orders/order-body.ts';
import { explainRefusal } from '../../../src/orders/order-refusal.ts';

const body: OrderBody = {
  type: 'COMPLETE',
  organisation_id: 'org_shop',
  integration_id: 'int_shop',
  reference_id: 'A-1',
  order_datetime: '2026-11-20T10:00:00Z',
  order_number: 'No. A-1',
  order_subtotal_amount_in_cents: 100,
  order_currency: 'EUR',
  order_total_amount_in_cents: 100,
  order_status: 'OPEN_PENDING',
  customer_email: 'ada@customers.example',
  customer_first_name: 'Ada',
  customer_last_name: 'Love (Lace)',
  device_ip_address: '203.0.113.7',
  items: [{ reference_id: 'A-1:1', name: 'value' }],
  deliveries: [
    {
      reference_id: 'A-1:d1',
      type: 'PHYSICAL',
      physical_shipping_address: { line_1: '12 Lace Lane', city: 'London' },
    },
  ],
};
const order = { type: 'COMPLETE', integrationId: 'int_shop', body } as const;

function said(message: string): string {
  return explainRefusal(order, { code: 'VALIDATION_ERROR', field: 'customer_email', message });
}

describe('the service’s words', () => {
  it.each([
    ['"ADA@customers.example" is no address', 'ada@customers.example'],
    ['somebody-else@shop.example has this account', 'somebody-else'],
    ['Ada Love (Lace) is blocked', 'Ada'],
    ['no such address: 12 lace lane, London', '12 lace lane'],
    ['device 203.0.113.7 is on a list', '203.0.113.7'],
    ['mail to <jörg.ß@müller.example>', 'jörg'],
  ])('%s name nobody', (message, name) => {
    expect(said(message).toLowerCase()).not.toContain(name.toLowerCase());
    expect(said(message)).toContain('VALIDATION_ERROR at customer_email');
  });

  it('keep what names nobody: fields, references, words that only contain a name', () => {
    const message = 'value of customer_first_name of order A-1 is no canadair';
    expect(said(message)).toContain(`"${message}"`);
  });

  it('about no order in particular lose addresses too', () => {
    const about = { type: 'COMPLETE', integrationId: 'int_shop' } as const;
    expect(
      explainRefusal(about, { code: 'AUTH', message: 'key of ops@shop.example ended' }),
    ).not.toContain('ops@');
  });
});
