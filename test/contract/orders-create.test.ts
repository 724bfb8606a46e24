/** Guarantee: orders are created as section Orders, rules for create, and the field tables say. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule, unique } from './support/contract.ts';
import { ARN, cardTransaction, completeOrder } from './support/examples.ts';

const t = contract();

async function post(...orders: object[]) {
  return t.org('POST', '/v1/orders/', orders);
}

/** The code and field of the one refused order. */
async function faultOf(order: object): Promise<[number, string, string]> {
  const reply = await post(order);
  const [{ code, field }] = reply.json.errors;
  return [reply.status, code, field];
}

describe('partial success', () => {
  rule('an order comes back with its id and the submitted fields', async () => {
    const order = completeOrder(t, { customer_email: 'a@example.com', device_id: 'd-1' });
    const reply = await post(order);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ created: 1, failed: 0, errors: [] });
    expect(reply.json.results[0]).toMatchObject({ id: expect.stringMatching(/^ord_/), ...order });
  });

  sandboxRule('a field id of the merchant does not take the place of the order’s id', async () => {
    const sent = await post(completeOrder(t, { id: 'shop-17', note: 'kept' }));
    const [{ id, note }] = sent.json.results;
    expect({ id, note }).toEqual({ id: expect.stringMatching(/^ord_/), note: 'kept' });
    expect((await t.org('GET', `/v1/orders/${id}`)).json.id).toBe(id);
  });

  rule('each order is processed on its own and 200 means at least one was created', async () => {
    const good = completeOrder(t);
    const bad = completeOrder(t, { order_number: undefined });
    const reply = await post(bad, good);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ created: 1, failed: 1 });
    expect(reply.json.results[0].reference_id).toBe(good['reference_id']);
    expect(reply.json.errors).toEqual([
      {
        index: 0,
        reference_id: bad['reference_id'],
        code: 'MISSING_FIELD',
        message: expect.stringContaining('order_number'),
        field: 'order_number',
      },
    ]);
  });

  rule('400 in the same shape means every order failed', async () => {
    const bad = completeOrder(t, { order_number: undefined });
    const reply = await post(bad);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({ created: 0, failed: 1, results: [] });
    const found = await t.org('GET', `/v1/orders/?reference_id=${bad['reference_id']}`);
    expect(found.json.items).toEqual([]);
  });

  rule('up to 100 orders fit in one request', async () => {
    const hundred = Array.from({ length: 100 }, () => completeOrder(t));
    const reply = await t.org('POST', '/v1/orders/', hundred);
    expect([reply.status, reply.json.created]).toEqual([200, 100]);
    const more = await t.org('POST', '/v1/orders/', [...hundred, completeOrder(t)]);
    expect(more.status).toBe(422);
  });
});

describe('malformed requests', () => {
  for (const [title, body] of [
    ['an object instead of an array', {}],
    ['a string instead of an array', 'orders'],
    ['an array of strings', ['order']],
  ] as const) {
    rule(`${title} is 422 with a VALIDATION_ code`, async () => {
      const reply = await t.org('POST', '/v1/orders/', body);
      expect(reply.status).toBe(422);
      expect(errorOf(reply).code).toMatch(/^VALIDATION_/);
    });
  }

  rule('bytes that are no JSON are 422', async () => {
    const reply = await t.send({
      key: t.organisationKey,
      method: 'POST',
      path: '/v1/orders/',
      raw: '[{',
    });
    expect(reply.status).toBe(422);
    expect(errorOf(reply).code).toMatch(/^VALIDATION_/);
  });

  for (const [field, value] of [
    ['order_total_amount_in_cents', '12990'],
    ['order_total_amount_in_cents', 129.9],
    ['order_datetime', 'yesterday'],
    ['order_status', 'SHIPPED'],
    ['type', 'WHOLE'],
    ['transactions', {}],
    ['customer_email', 7],
    ['order_currency', 'euro'],
    ['order_currency', 'usd'],
  ] as const) {
    rule(`${field} ${JSON.stringify(value)} makes the whole request 422`, async () => {
      const good = completeOrder(t);
      const reply = await post(good, completeOrder(t, { [field]: value }));
      expect(reply.status).toBe(422);
      expect(errorOf(reply)).toMatchObject({ code: expect.stringMatching(/^VALIDATION_/) });
      expect(errorOf(reply).field).toBe(`1.${field}`);
      const found = await t.org('GET', `/v1/orders/?reference_id=${good['reference_id']}`);
      expect(found.json.items).toEqual([]);
    });
  }

  for (const length of [22, 24]) {
    rule(`an acquirer reference number of ${length} characters is 422`, async () => {
      const transaction = {
        ...cardTransaction(unique('t')),
        acquirer_reference_number: '7'.repeat(length),
      };
      expect((await post(completeOrder(t, { transactions: [transaction] }))).status).toBe(422);
    });
  }

  rule('an acquirer reference number of 23 characters is taken', async () => {
    const transaction = {
      ...cardTransaction(unique('t')),
      acquirer_reference_number: '7'.repeat(23),
    };
    expect((await post(completeOrder(t, { transactions: [transaction] }))).status).toBe(200);
  });

  for (const [length, status] of [
    [5, 422],
    [6, 200],
    [7, 422],
  ] as const) {
    rule(`an authorisation code of ${length} characters is ${status}`, async () => {
      const transaction = {
        ...cardTransaction(unique('t')),
        authorisation_code: 'A'.repeat(length),
      };
      expect((await post(completeOrder(t, { transactions: [transaction] }))).status).toBe(status);
    });
  }

  rule('an order without a type leaves its neighbours alone', async () => {
    const good = completeOrder(t);
    const reply = await post(good, completeOrder(t, { type: undefined }));
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ created: 1, failed: 1, errors: [{ index: 1 }] });
  });

  rule('order_number longer than 25 characters is taken', async () => {
    const reply = await post(completeOrder(t, { order_number: 'N'.repeat(26) }));
    expect(reply.status).toBe(200);
  });
});

describe('required fields', () => {
  for (const field of [
    'type',
    'organisation_id',
    'integration_id',
    'reference_id',
    'order_datetime',
    'order_number',
    'order_subtotal_amount_in_cents',
    'order_currency',
    'order_total_amount_in_cents',
    'order_status',
  ]) {
    rule(`a COMPLETE order without ${field} is MISSING_FIELD`, async () => {
      const reply = await post(completeOrder(t, { [field]: undefined }));
      const [error] = reply.json.errors;
      expect([reply.status, error.code, error.field]).toEqual([400, 'MISSING_FIELD', field]);
      expect(error.message).toContain(field);
    });
  }

  for (const status of [
    'OPEN_PENDING',
    'OPEN_PENDING_RETURN',
    'CLOSED_COMPLETE',
    'CLOSED_CANCELLED',
    'OTHER',
  ]) {
    rule(`order status ${status} is accepted`, async () => {
      expect((await post(completeOrder(t, { order_status: status }))).status).toBe(200);
    });
  }

  rule('the nested arrays and optional fields come back as sent', async () => {
    const reference = unique('all');
    const order = completeOrder(t, {
      order_tax_amount_in_cents: 1000,
      order_view_url: 'https://shop.example/orders/1',
      merchant_name: 'Acme',
      deliveries: [
        {
          reference_id: `${reference}-d`,
          type: 'PHYSICAL',
          physical_shipping_status: 'SHIPPED',
          physical_shipping_address: { line_1: 'High Street 1', country: 'GB' },
        },
      ],
      items: [
        { reference_id: `${reference}-i`, name: 'Kettle', price_in_cents: 11_990, quantity: 1 },
      ],
      subscriptions: [{ reference_id: `${reference}-s`, status: 'ACTIVE', interval: 'MONTH' }],
      refunds: [{ reference_id: `${reference}-r`, amount_in_cents: 1, currency: 'USD' }],
      disputes: [{ reference_id: `${reference}-p`, amount_in_cents: 1, currency: 'USD' }],
    });
    const reply = await post(order);
    expect(reply.json.results[0]).toMatchObject(order);
  });
});

describe('duplicates', () => {
  rule('a repeated reference_id is DUPLICATE_ORDER', async () => {
    const order = completeOrder(t);
    await post(order);
    expect(await faultOf(order)).toEqual([400, 'DUPLICATE_ORDER', 'reference_id']);
  });

  sandboxRule('a repeat at the same time is DUPLICATE_REFERENCE_ID', async () => {
    t.sandbox.addFault({ on: 'POST /v1/orders/', kind: 'duplicate' });
    expect(await faultOf(completeOrder(t))).toEqual([
      400,
      'DUPLICATE_REFERENCE_ID',
      'reference_id',
    ]);
  });

  rule('the same reference_id twice in one request is stored once', async () => {
    const order = completeOrder(t);
    const reply = await post(order, order);
    expect(reply.json).toMatchObject({ created: 1, failed: 1, errors: [{ index: 1 }] });
    expect(reply.json.errors[0].code).toMatch(/^DUPLICATE_(ORDER|REFERENCE_ID)$/);
  });

  rule('an item reference_id that exists for the integration is DUPLICATE_ITEM', async () => {
    const items = [{ reference_id: unique('sku'), name: 'Kettle' }];
    await post(completeOrder(t, { items }));
    const [status, code] = await faultOf(completeOrder(t, { items }));
    expect([status, code]).toEqual([400, 'DUPLICATE_ITEM']);
  });

  for (const part of ['transactions', 'deliveries', 'refunds'] as const) {
    rule(`a ${part} reference_id is unique per integration as well`, async () => {
      const reference = unique('nested');
      const entries = {
        transactions: [cardTransaction(reference)],
        deliveries: [{ reference_id: reference, type: 'DIGITAL' }],
        refunds: [{ reference_id: reference, amount_in_cents: 1, currency: 'USD' }],
      };
      await post(completeOrder(t, { [part]: entries[part] }));
      const [status, code] = await faultOf(completeOrder(t, { [part]: entries[part] }));
      expect([status, code]).toEqual([400, 'DUPLICATE_ITEM']);
    });
  }

  sandboxRule('reference_id is unique per integration, not per organisation', async () => {
    const second = (await t.control('POST', '/integrations', {})).json.id;
    const order = completeOrder(t);
    await post(order);
    const { transactions: _transactions, ...rest } = order;
    const again = { ...rest, integration_id: second, transactions: [cardTransaction(unique('t'))] };
    expect((await post(again)).status).toBe(200);
  });
});

describe('integrations', () => {
  rule('an integration that does not exist is INVALID_INTEGRATION', async () => {
    const [, code] = await faultOf(completeOrder(t, { integration_id: 'int_none' }));
    expect(code).toBe('INVALID_INTEGRATION');
  });

  sandboxRule('an integration of another organisation is INVALID_INTEGRATION', async () => {
    const other = (await t.control('POST', '/organisations', { name: 'Other' })).json.id;
    const merchant = { name: 'Theirs', organisation_id: other };
    const merchantId = (await t.control('POST', '/merchants', merchant)).json.id;
    const theirs = (await t.control('POST', '/integrations', { merchant_ids: [merchantId] })).json
      .id;
    const own = completeOrder(t, { integration_id: theirs });
    expect((await faultOf(own))[1]).toBe('INVALID_INTEGRATION');
    const out = completeOrder(t, { integration_id: theirs, organisation_id: other });
    expect((await faultOf(out))[1]).toBe('INVALID_INTEGRATION');
    // A partner key reaches both, and yet they do not belong together.
    const reply = await t.partner('POST', '/v1/orders/', [own]);
    expect(reply.json.errors[0].code).toBe('INVALID_INTEGRATION');
  });

  sandboxRule('a COMPLETE order for a processor integration is INVALID_ORDER_TYPE', async () => {
    const { id } = (await t.control('POST', '/integrations', { type: 'ACME_PAY' })).json;
    expect((await faultOf(completeOrder(t, { integration_id: id })))[1]).toBe('INVALID_ORDER_TYPE');
  });

  rule('a PARTIAL order for a CUSTOM_ORDERS integration is INVALID_ORDER_TYPE', async () => {
    const order = completeOrder(t, { type: 'PARTIAL', device_id: 'd-1' });
    expect((await faultOf(order))[1]).toBe('INVALID_ORDER_TYPE');
  });

  sandboxRule('a PARTIAL order without enrichment enabled is ENRICHMENT_NOT_ENABLED', async () => {
    const { id } = (await t.control('POST', '/integrations', { type: 'ACME_PAY' })).json;
    const order = partial(id, { device_id: 'd-1' });
    expect((await faultOf(order))[1]).toBe('ENRICHMENT_NOT_ENABLED');
  });

  sandboxRule('a PARTIAL order enriches with device identity data, which it needs', async () => {
    const integration = { type: 'ACME_PAY', enrichment_enabled: true };
    const { id } = (await t.control('POST', '/integrations', integration)).json;
    expect((await post(partial(id, { device_ip_address: '192.0.2.1' }))).status).toBe(200);
    expect((await faultOf(partial(id, {})))[1]).toBe('MISSING_FIELD');
  });

  function partial(integrationId: string, fields: object): object {
    return {
      type: 'PARTIAL',
      organisation_id: t.organisationId,
      integration_id: integrationId,
      reference_id: unique('txn'),
      order_number: '100018',
      ...fields,
    };
  }
});

describe('programmes', () => {
  async function withProgrammes(...programmes: string[]): Promise<void> {
    await t.control('PATCH', `/integrations/${t.integrationId}`, { programmes });
  }

  const without = (field: string): object => {
    const { [field]: _left, ...rest } = cardTransaction(unique('t'));
    return { transactions: [rest] };
  };

  for (const field of ['authorised_at', 'payment_method_type', 'authorisation_status']) {
    sandboxRule(`alert matching needs ${field} on a transaction`, async () => {
      await withProgrammes('ALERT_MATCHING');
      const [, code, path] = await faultOf(completeOrder(t, without(field)));
      expect([code, path]).toEqual(['MISSING_FIELD', `transactions.0.${field}`]);
    });
  }

  for (const field of ['amount_in_cents', 'currency', 'reference_id']) {
    rule(`every transaction needs ${field}`, async () => {
      const [, code, path] = await faultOf(completeOrder(t, without(field)));
      expect([code, path]).toEqual(['MISSING_FIELD', `transactions.0.${field}`]);
    });
  }

  for (const field of ['payment_method_card_brand', 'payment_method_card_last_4']) {
    sandboxRule(`alert matching needs ${field} on a card transaction`, async () => {
      await withProgrammes('ALERT_MATCHING');
      expect((await faultOf(completeOrder(t, without(field))))[2]).toBe(`transactions.0.${field}`);
    });
  }

  sandboxRule('alert matching needs at least one transaction', async () => {
    await withProgrammes('ALERT_MATCHING');
    const reply = await post(completeOrder(t, { transactions: [] }));
    expect(reply.json.errors[0]).toMatchObject({ code: 'MISSING_FIELD', field: 'transactions' });
    expect(reply.json.errors[0].message).toContain('ALERT_MATCHING');
  });

  sandboxRule(
    'alert matching needs one of the three identifier combinations on a card',
    async () => {
      await withProgrammes('ALERT_MATCHING');
      const {
        acquirer_reference_number: arn,
        authorisation_code: code,
        payment_method_card_bin: bin,
        ...rest
      } = cardTransaction('x');
      const send = (identifier: object) =>
        post(
          completeOrder(t, {
            transactions: [{ ...rest, reference_id: unique('t'), ...identifier }],
          }),
        );
      const statuses: number[] = [];
      for (const identifier of [
        { acquirer_reference_number: arn },
        { authorisation_code: code },
        { payment_method_card_bin: bin },
        {},
      ]) {
        statuses.push((await send(identifier)).status);
      }
      expect(statuses).toEqual([200, 200, 200, 400]);
    },
  );

  sandboxRule('a transaction without a card needs no card fields', async () => {
    await withProgrammes('ALERT_MATCHING');
    const transaction = {
      reference_id: unique('t'),
      amount_in_cents: 100,
      currency: 'EUR',
      authorised_at: '2026-11-18T10:00:00Z',
      payment_method_type: 'BANK_TRANSFER',
      authorisation_status: 'SETTLED',
    };
    expect((await post(completeOrder(t, { transactions: [transaction] }))).status).toBe(200);
  });

  sandboxRule(
    'digital receipts of the first network need refund_datetime on every refund',
    async () => {
      await withProgrammes('NETA_DIGITAL_RECEIPT');
      const refund = { reference_id: unique('r'), amount_in_cents: 1, currency: 'USD' };
      const dated = { ...refund, refund_datetime: '2026-11-19T00:00:00Z' };
      expect((await faultOf(completeOrder(t, { refunds: [refund] })))[2]).toBe(
        'refunds.0.refund_datetime',
      );
      expect((await post(completeOrder(t, { refunds: [dated] }))).status).toBe(200);
    },
  );

  sandboxRule('digital receipts of the second network need an item with a name', async () => {
    await withProgrammes('NETB_ORDER_INSIGHT');
    expect((await faultOf(completeOrder(t)))[1]).toBe('MISSING_FIELD');
    const nameless = [{ reference_id: unique('i') }];
    expect((await faultOf(completeOrder(t, { items: nameless })))[2]).toBe('items.0.name');
    const named = [{ reference_id: unique('i'), name: 'Kettle' }];
    expect((await post(completeOrder(t, { items: named }))).status).toBe(200);
  });

  sandboxRule('first-party trust needs both e-mails and a device identifier', async () => {
    await withProgrammes('FIRST_PARTY_TRUST');
    const whole = { customer_email: 'a@example.com', order_email: 'b@example.com', device_id: 'd' };
    expect((await post(completeOrder(t, whole))).status).toBe(200);
    for (const field of ['customer_email', 'order_email']) {
      expect((await faultOf(completeOrder(t, { ...whole, [field]: undefined })))[2]).toBe(field);
    }
    expect((await faultOf(completeOrder(t, { ...whole, device_id: undefined })))[1]).toBe(
      'MISSING_FIELD',
    );
    const otherwise = { ...whole, device_id: undefined, device_fingerprint: 'f' };
    expect((await post(completeOrder(t, otherwise))).status).toBe(200);
  });

  sandboxRule('compelling evidence needs customer_email and a device identifier', async () => {
    await withProgrammes('COMPELLING_EVIDENCE_3');
    const whole = { customer_email: 'a@example.com', device_ip_address: '192.0.2.1' };
    expect((await post(completeOrder(t, whole))).status).toBe(200);
    expect((await faultOf(completeOrder(t, { device_id: 'd' })))[2]).toBe('customer_email');
    const noDevice = completeOrder(t, { customer_email: 'a@example.com' });
    expect((await faultOf(noDevice))[1]).toBe('MISSING_FIELD');
  });

  sandboxRule('merchant information needs its four fields', async () => {
    await withProgrammes('MERCHANT_INFORMATION');
    const whole: Record<string, string> = {
      merchant_name: 'Acme',
      merchant_store_name: 'Acme Online',
      merchant_contact_phone: '+44 20 7946 0000',
      merchant_url: 'https://acme.example',
    };
    expect((await post(completeOrder(t, whole))).status).toBe(200);
    for (const field of Object.keys(whole)) {
      expect((await faultOf(completeOrder(t, { ...whole, [field]: undefined })))[2]).toBe(field);
    }
  });

  sandboxRule('the message of MISSING_FIELD names the field and the rule', async () => {
    await withProgrammes('COMPELLING_EVIDENCE_3');
    const { errors } = (await post(completeOrder(t, { device_id: 'd' }))).json;
    expect(errors[0].message).toContain('customer_email');
    expect(errors[0].message).toContain('COMPELLING_EVIDENCE_3');
  });
});

describe('read', () => {
  rule('reference_id finds exactly its order', async () => {
    const order = completeOrder(t);
    await post(order, completeOrder(t));
    const reply = await t.org('GET', `/v1/orders/?reference_id=${order['reference_id']}`);
    expect(reply.json).toMatchObject({
      items: [{ reference_id: order['reference_id'] }],
      count: 1,
    });
  });

  rule('an order is read by id', async () => {
    const [stored] = (await post(completeOrder(t))).json.results;
    expect((await t.org('GET', `/v1/orders/${stored.id}`)).json).toEqual(stored);
  });

  rule('a partner key reaches orders as well', async () => {
    const [stored] = (await post(completeOrder(t))).json.results;
    expect((await t.partner('GET', `/v1/orders/${stored.id}`)).json).toEqual(stored);
  });

  rule('the matching ARN comes back as it was sent', async () => {
    const [stored] = (await post(completeOrder(t))).json.results;
    expect(stored.transactions[0].acquirer_reference_number).toBe(ARN);
  });
});
