/** Guarantee: an order update changes what may change, all or nothing. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule, unique } from './support/contract.ts';
import { completeOrder } from './support/examples.ts';

const t = contract();

/** A stored order with one of everything, and the references of its parts. */
async function stored() {
  const reference = unique('upd');
  const reply = await t.org('POST', '/v1/orders/', [
    completeOrder(t, {
      reference_id: reference,
      deliveries: [{ reference_id: `${reference}-d`, type: 'PHYSICAL' }],
      subscriptions: [{ reference_id: `${reference}-s`, status: 'ACTIVE' }],
      refunds: [{ reference_id: `${reference}-r`, amount_in_cents: 500, currency: 'USD' }],
      disputes: [
        {
          reference_id: `${reference}-p`,
          amount_in_cents: 600,
          currency: 'USD',
          type: 'CHARGEBACK',
        },
      ],
    }),
  ]);
  const [order] = reply.json.results;
  return { order, reference, path: `/v1/orders/${order.id}` };
}

describe('what may change', () => {
  rule('order status and its description are updated', async () => {
    const { path } = await stored();
    const body = { order_status: 'OTHER', order_status_other_description: 'on hold' };
    const reply = await t.org('PATCH', path, body);
    expect(reply.status).toBe(200);
    expect((await t.org('GET', path)).json).toMatchObject(body);
  });

  rule('order communications are updated', async () => {
    const { path } = await stored();
    const reply = await t.org('PATCH', path, { order_communications: [{ text: 'sent' }] });
    expect(reply.json.order_communications).toEqual([{ text: 'sent' }]);
  });

  rule('a delivery created with the order is updated by reference_id', async () => {
    const { path, reference } = await stored();
    const change = { reference_id: `${reference}-d`, physical_shipping_status: 'DELIVERED' };
    const reply = await t.org('PATCH', path, { deliveries: [change] });
    expect(reply.json.deliveries).toEqual([{ ...change, type: 'PHYSICAL' }]);
  });

  rule('a subscription created with the order is updated by reference_id', async () => {
    const { path, reference } = await stored();
    const change = { reference_id: `${reference}-s`, status: 'CANCELLED' };
    const reply = await t.org('PATCH', path, { subscriptions: [change] });
    expect(reply.json.subscriptions).toEqual([change]);
  });

  for (const part of ['refunds', 'disputes'] as const) {
    rule(`${part} are upserts by reference_id`, async () => {
      const { path, reference } = await stored();
      const old = `${reference}-${part === 'refunds' ? 'r' : 'p'}`;
      const added = { reference_id: unique('new'), amount_in_cents: 1, currency: 'USD' };
      const reply = await t.org('PATCH', path, {
        [part]: [{ reference_id: old, status: 'SUCCEEDED' }, added],
      });
      expect(reply.status).toBe(200);
      const after = (await t.org('GET', path)).json[part];
      expect(after).toHaveLength(2);
      expect(after[0]).toMatchObject({ reference_id: old, status: 'SUCCEEDED' });
      expect(after[0].amount_in_cents).toBe(part === 'refunds' ? 500 : 600);
      expect(after[1]).toEqual(added);
    });
  }
});

describe('what may not', () => {
  for (const [field, value] of [
    ['customer_email', 'new@example.com'],
    ['customer_account_id', 'acc-2'],
    ['device_id', 'd-2'],
    ['device_ip_address', '192.0.2.9'],
    ['device_fingerprint', 'f-2'],
    ['items', []],
    ['transactions', []],
  ] as const) {
    rule(`${field} cannot be updated`, async () => {
      const { path, order } = await stored();
      const reply = await t.org('PATCH', path, { order_status: 'OTHER', [field]: value });
      expect(reply.status).toBe(422);
      expect(errorOf(reply).field).toBe(field);
      expect((await t.org('GET', path)).json).toEqual(order);
    });
  }

  for (const [part, suffix, field, value] of [
    ['refunds', 'r', 'amount_in_cents', 501],
    ['refunds', 'r', 'currency', 'EUR'],
    ['disputes', 'p', 'amount_in_cents', 601],
    ['disputes', 'p', 'currency', 'EUR'],
    ['disputes', 'p', 'type', 'RETRIEVAL'],
    ['deliveries', 'd', 'type', 'DIGITAL'],
  ] as const) {
    rule(`${field} of existing ${part} is immutable`, async () => {
      const { path, reference, order } = await stored();
      const entry = { reference_id: `${reference}-${suffix}`, [field]: value };
      const reply = await t.org('PATCH', path, { order_status: 'OTHER', [part]: [entry] });
      expect(reply.status).toBe(422);
      expect(errorOf(reply).field).toBe(`${part}.0.${field}`);
      expect((await t.org('GET', path)).json).toEqual(order);
    });
  }

  rule('the same amount again on an existing refund is no change', async () => {
    const { path, reference } = await stored();
    const same = { reference_id: `${reference}-r`, amount_in_cents: 500, currency: 'USD' };
    expect((await t.org('PATCH', path, { refunds: [same] })).status).toBe(200);
  });

  for (const part of ['deliveries', 'subscriptions'] as const) {
    rule(`${part} that were not created with the order are refused`, async () => {
      const { path, order } = await stored();
      const entry = { reference_id: unique('unknown'), type: 'PHYSICAL' };
      const reply = await t.org('PATCH', path, { order_status: 'OTHER', [part]: [entry] });
      expect(reply.status).toBe(422);
      expect((await t.org('GET', path)).json).toEqual(order);
    });
  }

  rule('an update is all or nothing', async () => {
    const { path, reference, order } = await stored();
    const reply = await t.org('PATCH', path, {
      order_status: 'CLOSED_CANCELLED',
      refunds: [{ reference_id: unique('fine'), amount_in_cents: 1, currency: 'USD' }],
      disputes: [{ reference_id: `${reference}-p`, amount_in_cents: 999 }],
    });
    expect(reply.status).toBe(422);
    expect((await t.org('GET', path)).json).toEqual(order);
  });

  rule('an update with an invalid type is 422', async () => {
    const { path } = await stored();
    expect((await t.org('PATCH', path, { order_status: 'LOST' })).status).toBe(422);
    expect((await t.org('PATCH', path, { refunds: {} })).status).toBe(422);
    expect((await t.org('PATCH', path, {})).status).toBe(422);
  });

  rule('a new refund needs amount and currency', async () => {
    const { path } = await stored();
    const reply = await t.org('PATCH', path, { refunds: [{ reference_id: unique('r') }] });
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'MISSING_FIELD']);
  });

  rule('a refund reference of another order is refused', async () => {
    const other = await stored();
    const { path } = await stored();
    const taken = { reference_id: `${other.reference}-r`, amount_in_cents: 500, currency: 'USD' };
    const reply = await t.org('PATCH', path, { refunds: [taken] });
    expect([reply.status, errorOf(reply).code]).toEqual([422, 'DUPLICATE_ITEM']);
  });
});

describe('missing orders', () => {
  rule('an update of a missing order is 404 with detail', async () => {
    const reply = await t.org('PATCH', '/v1/orders/ord_none', { order_status: 'OTHER' });
    expect(reply.status).toBe(404);
    expect(reply.json).toEqual({ detail: expect.any(String) });
  });

  sandboxRule('an update of an order out of scope is the same 404 with detail', async () => {
    const { path } = await stored();
    const other = (await t.control('POST', '/organisations', { name: 'Other' })).json.id;
    const key = (await t.control('POST', '/keys', { organisation_id: other })).json.token;
    const reply = await t.send({ key, method: 'PATCH', path, body: { order_status: 'OTHER' } });
    expect([reply.status, Object.keys(reply.json)]).toEqual([404, ['detail']]);
  });

  rule('reading a missing order is 404 in the standard envelope', async () => {
    const reply = await t.org('GET', '/v1/orders/ord_none');
    expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
  });
});
