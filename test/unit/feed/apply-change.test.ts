/** Guarantee: a change the service could only refuse is refused at intake, with the field and the reason. */
import { describe, expect, it } from 'vitest';
import { applyChange } from '../../../src/orders/apply-change.ts';
import { orderBodySchema, orderChangeSchema } from '../../../src/orders/order-body.ts';
import { updateFor } from '../../../src/orders/order-part.ts';
import { readChange } from '../../../src/orders/submission.ts';

const BODY = orderBodySchema.parse({
  type: 'COMPLETE',
  organisation_id: 'o',
  integration_id: 'i',
  reference_id: 'A-1',
  order_datetime: '2026-11-20',
  order_number: '1',
  order_subtotal_amount_in_cents: 100,
  order_currency: 'USD',
  order_total_amount_in_cents: 100,
  order_status: 'OPEN_PENDING',
  deliveries: [{ reference_id: 'd', type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' }],
  subscriptions: [{ reference_id: 's', status: 'ACTIVE' }],
  refunds: [{ reference_id: 'r', amount_in_cents: 100, currency: 'USD' }],
  disputes: [{ reference_id: 'x', amount_in_cents: 100, currency: 'USD', type: 'CHARGEBACK' }],
});

function apply(change: unknown) {
  return applyChange(BODY, orderChangeSchema.parse(change));
}

describe('refused', () => {
  it.each([
    [{ refunds: [{ reference_id: 'r', amount_in_cents: 101 }] }, 'refunds[0].amount_in_cents'],
    [{ refunds: [{ reference_id: 'r', currency: 'EUR' }] }, 'refunds[0].currency'],
    [{ disputes: [{ reference_id: 'x', amount_in_cents: 99 }] }, 'disputes[0].amount_in_cents'],
    [{ disputes: [{ reference_id: 'x', currency: 'EUR' }] }, 'disputes[0].currency'],
    [{ disputes: [{ reference_id: 'x', type: 'INQUIRY' }] }, 'disputes[0].type'],
    [{ deliveries: [{ reference_id: 'd', type: 'DIGITAL' }] }, 'deliveries[0].type'],
    [{ deliveries: [{ reference_id: 'new', type: 'PHYSICAL' }] }, 'deliveries[0].reference_id'],
    [{ subscriptions: [{ reference_id: 'new' }] }, 'subscriptions[0].reference_id'],
    [{ refunds: [{ reference_id: 'new', currency: 'USD' }] }, 'refunds[0].amount_in_cents'],
    [{ disputes: [{ reference_id: 'new', amount_in_cents: 1 }] }, 'disputes[0].currency'],
  ])('%j', (change, field) => {
    expect(apply(change)).toMatchObject({ ok: false, problems: [{ field }] });
  });

  it.each(['customer_email', 'device_id', 'items', 'transactions', 'order_total_amount_in_cents'])(
    '%s, which is fixed at creation',
    (field) => {
      const read = readChange({ [field]: [] });
      expect(read).toMatchObject({
        ok: false,
        problems: [{ field, problem: expect.stringContaining('cannot be changed after creation') }],
      });
    },
  );

  it('nothing, and null', () => {
    expect(readChange({}).ok).toBe(false);
    expect(readChange({ order_status: null }).ok).toBe(false);
    expect(readChange([]).ok).toBe(false);
  });
});

describe('merged', () => {
  it('keeps what the change does not name', () => {
    const applied = apply({
      deliveries: [{ reference_id: 'd', physical_shipping_carrier: 'Post' }],
    });
    expect(applied).toMatchObject({
      ok: true,
      parts: ['deliveries/d'],
      body: {
        deliveries: [
          {
            reference_id: 'd',
            type: 'PHYSICAL',
            physical_shipping_status: 'SHIPPED',
            physical_shipping_carrier: 'Post',
          },
        ],
      },
    });
  });

  it('says when nothing is new', () => {
    expect(
      apply({ order_status: 'OPEN_PENDING', refunds: [{ reference_id: 'r', currency: 'USD' }] }),
    ).toMatchObject({ ok: true, parts: [] });
  });

  it('names every part that is new', () => {
    const applied = apply({
      order_status: 'CLOSED_COMPLETE',
      order_communications: [{ at: '2026-11-20', text: 'shipped' }],
      refunds: [{ reference_id: 'r2', amount_in_cents: 1, currency: 'USD' }],
      subscriptions: [{ reference_id: 's', status: 'CANCELLED' }],
    });
    expect(applied).toMatchObject({
      parts: ['order_status', 'order_communications', 'subscriptions/s', 'refunds/r2'],
    });
  });

  it('sends a status together with its description', () => {
    const applied = apply({ order_status: 'OTHER', order_status_other_description: 'lost' });
    expect(applied.ok && updateFor(applied.body, ['order_status'])).toEqual({
      order_status: 'OTHER',
      order_status_other_description: 'lost',
    });
  });
});
