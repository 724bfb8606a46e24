/** F78–F82: orders handed in over the API, one wrong, an answer lost, changed too early, or with a card number. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { ask } from './console.ts';

function orderOf(scene: Scene, reference: string): Record<string, unknown> {
  const at = new Date(Date.now() + scene.rig.aheadMs() - 86_400_000).toISOString();
  return {
    type: 'COMPLETE',
    reference_id: reference,
    order_datetime: at,
    order_number: reference,
    order_subtotal_amount_in_cents: 1_500,
    order_total_amount_in_cents: 1_500,
    order_currency: 'USD',
    order_status: 'CLOSED_COMPLETE',
    customer_email: 'someone@customer.example',
    merchant_name: 'Store',
    merchant_store_name: 'Store, online',
    merchant_contact_phone: '+1 202 555 0100',
    merchant_url: 'https://store.example',
    device_ip_address: '203.0.113.9',
    device_id: 'device-0123456789abcdef',
    customer_account_id: `acct-${reference}`,
    transactions: [
      {
        reference_id: `tx-${reference}`,
        amount_in_cents: 1_500,
        currency: 'USD',
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: at,
        descriptor: 'DEMO STORE',
        payment_method_card_brand: 'SCHEME_A',
        payment_method_card_bin: '411111',
        payment_method_card_last_4: digits(4),
      },
    ],
    items: [{ reference_id: 'sku-1', name: 'Thing', price_in_cents: 1_500, quantity: 1 }],
  };
}

async function hundredOrders(scene: Scene): Promise<void> {
  const from = Number(digits(6));
  const list = Array.from({ length: 100 }, (_, index) => orderOf(scene, `order-${from}-${index}`));
  list[57] = { ...list[57], order_total_amount_in_cents: 'a lot' };
  await expectAllButOne(scene, `order-${from}-`, list);
}

/** More rows than a statement has parameters, and a reference that does not fit into an index. */
async function largeOrders(scene: Scene): Promise<void> {
  const from = `large-${digits(6)}-`;
  const list: Record<string, unknown>[] = Array.from({ length: 100 }, (_, index) => {
    const items = Array.from({ length: 94 }, (_item, line) => ({
      sku: `sku-${line}`,
      name: 'Thing',
    }));
    return { ...orderOf(scene, `${from}${index}`), items };
  });
  list[57] = { ...list[57], reference_id: `${from}${digits(6_000)}` };
  await expectAllButOne(scene, from, list);
}

/** Hands a hundred orders in, one of them bad, and waits for the others to reach the service. */
async function expectAllButOne(
  scene: Scene,
  prefix: string,
  list: readonly Record<string, unknown>[],
): Promise<void> {
  const answer = await ask(scene, '/api/orders', { method: 'POST', body: list });
  ok([200, 422].includes(answer.status), answer.body);
  const { results } = JSON.parse(answer.body) as { results: { index: number; state?: string }[] };
  equal(results.length, 100, 'each order is answered for by its index');
  await until('the others are with the service', async () => {
    const rows = await scene.rig.sql(
      `select count(*)::int as count from order_record where reference_id like $1 and order_id is not null`,
      [`${prefix}%`],
    );
    return Number(rows[0]?.['count']) === 99;
  });
}

/** The service took the order and its answer got lost; meanwhile the merchant changes it. */
async function answerLost(scene: Scene): Promise<void> {
  const { rig } = scene;
  const reference = `order-lost-${digits(8)}`;
  await rig.sandbox.fault({ on: 'POST /v1/orders/', kind: 'drop_after', contains: reference });
  const body = orderOf(scene, reference);
  equal((await ask(scene, '/api/orders', { method: 'POST', body })).status, 201);
  const change = { order_status: 'CLOSED_CANCELLED' };
  const path = `/api/orders/${reference}`;
  const changed = await ask(scene, path, { method: 'PATCH', body: change });
  ok(changed.status < 300, changed.body);
  await until('the service holds the order once, as it was last', async () => {
    const held = await heldThere(scene, reference);
    return held.length === 1 && held[0]?.order_status === 'CLOSED_CANCELLED';
  });
  const row = await until('we hold its id', async () => {
    const rows = await rig.sql(
      'select order_id from order_record where reference_id = $1 and order_id is not null',
      [reference],
    );
    return rows[0];
  });
  ok(String(row['order_id']).length > 0);
}

/** Orders of the service that carry the reference, as it shows them. */
async function heldThere({ rig }: Scene, reference: string): Promise<{ order_status?: string }[]> {
  const url = `${rig.sandbox.url}/v1/orders/?reference_id=${reference}`;
  const headers = { authorization: `Bearer ${rig.secrets.apiKey}` };
  const found: unknown = await (await fetch(url, { headers })).json();
  return (Array.isArray(found) ? found : Reflect.get(Object(found), 'items')) as [];
}

/** Changes that come before their order is there, and for an order whose id the service denies once. */
async function changeBeforeOrder(scene: Scene): Promise<string> {
  const { rig } = scene;
  const reference = `order-early-${digits(8)}`;
  const change = async (order_status: string, of = reference): Promise<number> =>
    (await ask(scene, `/api/orders/${of}`, { method: 'PATCH', body: { order_status } })).status;
  equal(await change('CLOSED_CANCELLED', `${reference}-unknown`), 404, 'of an order nobody knows');

  const fault = { on: 'POST /v1/orders/', contains: reference, times: 1_000 } as const;
  const clear = await rig.sandbox.fault({ ...fault, kind: 'status', status: 503 });
  try {
    const body = orderOf(scene, reference);
    equal((await ask(scene, '/api/orders', { method: 'POST', body })).status, 201);
    equal(await change('CLOSED_CANCELLED'), 200);
    const tries = async (): Promise<number> =>
      (await rig.sandbox.requests('/v1/orders/')).filter(({ status }) => status === 503).length;
    await until('the order was tried twice in vain', async () => (await tries()) >= 2);
    equal((await heldThere(scene, reference)).length, 0, 'the order is not there yet');
  } finally {
    await clear();
  }
  await until('the service holds the order once, as it was last', async () => {
    const held = await heldThere(scene, reference);
    return held.length === 1 && held[0]?.order_status === 'CLOSED_CANCELLED';
  });
  const orderId = await until('we hold its id', async () => {
    const rows = await rig.sql('select order_id from order_record where reference_id = $1', [
      reference,
    ]);
    return String(rows[0]?.['order_id'] ?? '') || undefined;
  });
  const patched = async (): Promise<(number | null)[]> =>
    (await rig.sandbox.requests(orderId))
      .filter(({ method }) => method === 'PATCH')
      .map(({ status }) => status);
  deepEqual(
    (await patched()).filter((status) => status !== 200),
    [],
    'no change was sent before its order',
  );

  const before = (await patched()).length;
  const denied = { on: 'PATCH /v1/orders/{order_id}', contains: orderId, status: 404 } as const;
  await rig.sandbox.fault({ ...denied, kind: 'status', code: 'NOT_FOUND' });
  equal(await change('CLOSED_COMPLETE'), 200);
  await until('the later change is there', async () => {
    const held = await heldThere(scene, reference);
    return held.length === 1 && held[0]?.order_status === 'CLOSED_COMPLETE';
  });
  deepEqual((await patched()).slice(before), [404, 200]);
  const looked = await rig.sandbox.requests(reference);
  ok(
    looked.some(({ method }) => method === 'GET'),
    'the order was looked up by its reference',
  );
  return 'sent with its order, not before; after a 404 the order was looked up by its reference and changed once';
}

async function cardNumbers(scene: Scene): Promise<void> {
  const pan = '4111111111111111';
  for (const change of [
    { customer_first_name: pan },
    {
      items: [
        { reference_id: 'sku-1', name: `card 4111 1111 1111 1111`, price_in_cents: 1, quantity: 1 },
      ],
    },
  ]) {
    const order = { ...orderOf(scene, `pan-${digits(8)}`), ...change };
    const answer = await ask(scene, '/api/orders', { method: 'POST', body: order });
    equal(answer.status, 422, answer.body);
    ok(!answer.body.includes(pan), 'the number is not repeated');
  }
  const rows = await scene.rig.sql(
    `select 1 from order_record where body::text like '%' || $1 || '%'`,
    [pan],
  );
  equal(rows.length, 0, 'nothing is stored');
  const seen = await scene.rig.sql(`select 1 from notification where text like '%' || $1 || '%'`, [
    pan,
  ]);
  equal(seen.length, 0, 'the message does not repeat it');
}

export const ORDER_CASES: readonly FaultCase[] = [
  { id: 'F78', place: 'shared', run: hundredOrders },
  // Alone, because orders of several cases may travel in one request. Whose answer is lost, each of its orders is
  // looked up by itself, and a hundred of them are what the service allows in a minute.
  { id: 'F79', place: 'alone', run: answerLost },
  { id: 'F80', place: 'alone', run: changeBeforeOrder },
  { id: 'F82', place: 'shared', quick: true, run: cardNumbers },
  { id: 'F130', place: 'shared', run: largeOrders },
];
