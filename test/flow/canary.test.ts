/**
 * Guarantee: what names a person or opens a door is never said where many can read: twelve marked values
 * go through every flow, and none is found in logs, metrics, traces, error answers or messages. What
 * operators are shown behind the console's sign-in is not searched.
 */
import type { AddressInfo } from 'node:net';
import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReceiveCounters } from '../../src/alerts/receive/counters.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { NO_PROGRAMMES } from '../../src/orders/programme.ts';
import { createConsoleRole } from '../../src/people/console/console-role.ts';
import { signedDelivery } from '../../src/running/testing/signed-delivery.ts';
import type { OpenTestWorld } from '../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { uncheckedOrder } from '../../src/service/wire/order-input.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';

const CANARIES: Record<string, string> = {
  secret: 'whsec_canary0123456789abcdef',
  console: 'console-canary-0123456789abcdef',
  card: '4929000000006',
  email: 'canary.person@canary-mail.example',
  name: 'Canarina',
  address: 'Canary Wharf 12',
  phone: '+442079460999',
  ip: '198.51.100.77',
  device: 'device-canary-00000001',
  note: 'note-canary-said-the-bank',
  descriptor: 'CANARY*DESCRIPTOR',
};

let database: TestDatabase;
let world: OpenTestWorld;
let site: ReturnType<typeof createConsoleRole>;
const said: { readonly where: string; readonly text: string }[] = [];

beforeAll(async () => {
  const span = new Proxy(
    {},
    {
      get:
        (_target, name) =>
        (...told: unknown[]) => {
          said.push({ where: `trace ${String(name)}`, text: JSON.stringify(told) });
          return span;
        },
    },
  );
  const tracer = {
    startSpan: (...told: unknown[]) => {
      said.push({ where: 'trace', text: JSON.stringify(told.slice(0, 2)) });
      return span;
    },
    startActiveSpan: (...told: unknown[]) => {
      said.push({ where: 'trace', text: JSON.stringify(told.slice(0, 2)) });
      return (told.at(-1) as (open: unknown) => unknown)(span);
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer as never });
  database = await createTestDatabase();
  const log = createLog({
    level: 'trace',
    destination: { write: (text) => void said.push({ where: 'log', text }) },
  });
  world = await createTestWorld({
    database: database.connectionString,
    log,
    furtherSecrets: [CANARIES['secret'] ?? ''],
  });
  CANARIES['key'] = world.parts.endpoints.apiKey;
  site = createConsoleRole(world.parts, {
    token: CANARIES['console'] ?? '',
    programmes: NO_PROGRAMMES,
    counters: createReceiveCounters(),
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', () => done()));
});
afterAll(async () => {
  trace.disable();
  site.close();
  await world.close();
  await database.drop();
});

function orderAbout(sale: ReturnType<typeof makeSale>, more: Record<string, unknown> = {}) {
  const { email, name, address, phone, ip, device } = CANARIES;
  return {
    ...sale.order,
    customer_email: email,
    order_email: email,
    customer_first_name: name,
    shipping_address_line_1: address,
    order_phone: phone,
    device_ip_address: ip,
    device_id: device,
    ...more,
  };
}

/** Sends to the webhook listener or the console, and keeps an answer that is an error. */
async function send(url: string, init: RequestInit): Promise<number> {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  const text = `${[...answer.headers].join('\n')}\n${await answer.text()}`;
  if (answer.status >= 400) said.push({ where: `answer ${answer.status}`, text });
  return answer.status;
}

async function deliver(event: unknown, change: (body: string) => string = (body) => body) {
  const secret = CANARIES['secret'] ?? '';
  const delivery = signedDelivery({ event, secret, clock: world.clock });
  CANARIES['signature'] = delivery.headers['x-signature']?.split('v1=')[1] ?? '';
  const { headers } = delivery;
  return await send(world.webhookUrl, { method: 'POST', headers, body: change(delivery.body) });
}

it('twelve marked values go everywhere, and none is told', async () => {
  const { sandbox } = world;
  const { note = '', descriptor = '', card = '', email = '' } = CANARIES;
  const alertFields = { note, statement_descriptor: descriptor };

  // Orders: taken, refused for a card number and for its shape, and one the service refuses.
  const sales = [1, 2, 3].map(() => makeSale({ product: PRODUCTS.font }, world.clock.nowMs()));
  const lamp = makeSale({ product: PRODUCTS.lamp }, world.clock.nowMs());
  const faulty = makeSale({ product: PRODUCTS.font }, world.clock.nowMs());
  sandbox.addFault({ on: 'POST /v1/orders', kind: 'malformed' });
  for (const sale of [...sales, lamp]) {
    sandbox.createCharge(sale.charge);
    await world.recordOrder(orderAbout(sale));
  }
  const refused = await world.orders.accept([
    uncheckedOrder(orderAbout(faulty, { customer_first_name: `card ${card}` })),
    uncheckedOrder(orderAbout(faulty, { order_datetime: email })),
  ]);
  said.push({ where: 'refused orders', text: JSON.stringify(refused) });

  // Webhooks: genuine, then malformed, of an unknown type, tampered with, unsigned; a lookup.
  await world.drain();
  sandbox.addFault({ on: 'POST /processor/refunds', kind: 'malformed' });
  sandbox.addFault({ on: 'PATCH /v1/alerts/{alert_id}', kind: 'malformed' });
  const alerts = [...sales, lamp].map((sale) =>
    sandbox.createAlertFor(sale.charge.reference, alertFields),
  );
  const paidWith = sandbox.createAlert({ note: `paid with ${card}` });
  sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' });
  const first = { ...alerts[0], note: `${note} ${email}` };
  expect(await deliver(`{"id": "${email}", "note": "${note}"`)).toBe(200);
  expect(await deliver({ id: 'evt_c1', type: email, data: { object: first } })).toBe(200);
  expect(
    await deliver({
      id: 'evt_c2',
      type: 'alert.updated',
      created_at: email,
      api_version: 'v1',
      data: { object: { ...first, transaction_amount_in_cents: email }, previous_attributes: {} },
    }),
  ).toBe(200);
  expect(await deliver({ id: 'evt_c3', note }, (body) => `${body} `)).toBe(401);
  expect(await send(world.webhookUrl, { method: 'POST', body: note })).toBe(401);
  await world.advance(60 * 60_000, 20 * 60_000);

  // The console and its API: nobody, somebody with nonsense, somebody with a path.
  const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const headers = {
    authorization: `Bearer ${CANARIES['console']}`,
    'content-type': 'application/json',
  };
  const body = `{"note": "${note} ${email}", `;
  const held = alerts[3]?.id ?? '';
  expect(await send(`${base}/api/alerts`, { headers: { authorization: `Bearer ${note}` } })).toBe(
    401,
  );
  expect(await send(`${base}/api/alerts/${held}/decision`, { method: 'POST', headers, body })).toBe(
    400,
  );
  expect(
    await send(`${base}/api/orders`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ orders: [orderAbout(faulty, { customer_first_name: card })] }),
    }),
  ).toBeGreaterThanOrEqual(200);
  expect(await send(`${base}/api/alerts/${encodeURIComponent(email)}`, { headers })).toBe(404);

  const metrics = await fetch(`${base}/metrics`, { headers });
  said.push({ where: 'metrics', text: await metrics.text() });
  const messages = await database.db
    .selectFrom('notification')
    .select(['text', 'dedupe_key'])
    .execute();
  for (const message of messages) said.push({ where: 'message', text: JSON.stringify(message) });

  // A card number that the service sends is stored masked, in the row and in its history.
  const { rows } = await database.pool.query<{ text: string }>(
    `select snapshot::text || note as text from alert where id = $1
     union all select after::text from entity_change where entity_id = $1`,
    [paidWith.id],
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter(({ text }) => text.includes(card))).toEqual([]);
  expect(rows[0]?.text).toContain('paid with 4929*****0006');
  expect(messages.map(({ dedupe_key: key }) => key)).toContain(`card_number:alert:${paidWith.id}`);

  // Controls: everything was there to be told, and everybody spoke.
  const stored = await database.pool.query('select body::text from order_record');
  expect(JSON.stringify(stored.rows)).toContain(email);
  expect(Object.keys(CANARIES)).toHaveLength(13);
  const speakers = new Set(said.map(({ where }) => where.split(' ')[0]));
  expect([...speakers].sort()).toEqual(['answer', 'log', 'message', 'metrics', 'refused', 'trace']);
  expect(said.filter(({ where }) => where === 'log').length).toBeGreaterThan(10);

  const told = said.flatMap(({ where, text }) =>
    Object.entries(CANARIES)
      .filter(([, value]) => text.includes(value))
      .map(([what]) => `${what} in ${where}: ${text.slice(0, 300)}`),
  );
  expect(told).toEqual([]);
});
