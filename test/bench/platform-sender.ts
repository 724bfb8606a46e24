/**
 * The deliveries and the orders of the platform bench, in a process of its own. Each comes at its own moment, whatever became
 * of the ones before; one that is told to come again does. Sends the parent what became of them.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';
import { BENCH_ORGANISATION, benchEvent } from './events.ts';
import { alertOf, organisationOf, secretOf } from './flood-alert.ts';

/** What it is told. */
export interface PlatformOrder {
  readonly port: number;
  readonly consolePort: number;
  readonly token: string;
  readonly organisations: number;
  readonly seconds: number;
  readonly alertsEach: number;
  readonly webhooksPerSecond: number;
  /** Of the flood, into organisation 0, as fast as they are answered. */
  readonly flood: number;
  /** Organisations with an order feed, from 0 on, and orders of each a second. */
  readonly feeds: number;
  readonly ordersPerSecond: number;
  /** The first number of an alert's own. */
  readonly from: number;
}

/** One delivery, by the machine's clock. */
export interface PlatformDelivery {
  readonly id: string;
  readonly organisation: number;
  readonly isAlert: boolean;
  readonly sentMs: number;
  readonly answeredMs: number;
}

/** What it did. */
export interface PlatformReport {
  readonly sent: readonly PlatformDelivery[];
  readonly flooded: number;
  /** Times that a delivery was told to come again. */
  readonly refused: number;
  readonly ordersTaken: number;
  readonly ordersRefused: number;
}

const AGAIN_MS = 200;
const FLOOD_CONNECTIONS = 8;
const CHECK_EVERY_MS = 1_000;

process.once('disconnect', () => process.exit());
const order = JSON.parse(process.argv[2] ?? '{}') as PlatformOrder;
const agent = new Agent({ keepAlive: true });
let refused = 0;

function post(port: number, path: string, headers: object, body: Buffer): Promise<number> {
  const all = { 'content-type': 'application/json', 'content-length': body.length, ...headers };
  return new Promise((resolve) => {
    request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers: all }, (response) => {
      response
        .resume()
        .once('end', () => resolve(response.statusCode ?? 0))
        .once('error', () => resolve(0));
    })
      .once('error', () => resolve(0))
      .end(body);
  });
}

async function deliver(organisation: number, body: Buffer): Promise<void> {
  const path = `/webhooks/brand-${organisation}`;
  for (;;) {
    const signature = signDelivery(secretOf(organisation), body, Math.floor(Date.now() / 1_000));
    if ((await post(order.port, path, { 'x-signature': signature }, body)) === 200) return;
    refused += 1;
    await sleep(AGAIN_MS);
  }
}

async function sendAlert(organisation: number, own: number): Promise<PlatformDelivery> {
  const sentMs = Date.now();
  const alert = alertOf({ organisation, own, createdMs: sentMs });
  const event = { id: `evt_${alert.id}`, type: 'alert.created', data: { object: alert } };
  const body = JSON.stringify({ ...event, created_at: alert['created_at'], api_version: 'v1' });
  await deliver(organisation, Buffer.from(body));
  return { id: alert.id, organisation, isAlert: true, sentMs, answeredMs: Date.now() };
}

/** An event of the most frequent type, about something of its own. */
async function sendOther(organisation: number, own: number): Promise<PlatformDelivery> {
  const place = own * EVENT_TYPES.length + EVENT_TYPES.indexOf('lookup.created');
  const text = benchEvent(`platform${order.from}x`, place).toString('utf8');
  const body = Buffer.from(text.replaceAll(BENCH_ORGANISATION, organisationOf(organisation)));
  const sentMs = Date.now();
  await deliver(organisation, body);
  return { id: String(own), organisation, isAlert: false, sentMs, answeredMs: Date.now() };
}

/** So many a second, each at its moment. */
async function steadily(
  count: number,
  perSecond: number,
  send: (place: number) => Promise<PlatformDelivery>,
): Promise<readonly PlatformDelivery[]> {
  const sent: Promise<PlatformDelivery>[] = [];
  const beganMs = performance.now();
  for (let place = 0; place < count; place++) {
    await sleep(Math.max(0, beganMs + (place * 1_000) / perSecond - performance.now()));
    sent.push(send(place));
  }
  return await Promise.all(sent);
}

async function flood(): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < order.flood) {
      // Numbers that no other alert has.
      await sendAlert(0, order.from + 100_000 + next++);
    }
  };
  await Promise.all(Array.from({ length: FLOOD_CONNECTIONS }, one));
}

function orderOf(organisation: number, number: number): Record<string, unknown> {
  const reference = `order-${order.from}-${organisation}-${number}`;
  return {
    reference_id: reference,
    order_datetime: new Date().toISOString(),
    order_number: String(number),
    order_subtotal_amount_in_cents: 4_900,
    order_currency: 'USD',
    order_total_amount_in_cents: 4_900,
    order_status: 'CLOSED_COMPLETE',
    customer_email: `shopper-${number}@example.com`,
    order_email: `shopper-${number}@example.com`,
    customer_account_id: `customer-${number}`,
    device_ip_address: '203.0.113.7',
    device_id: `device-${number}`,
    transactions: [
      {
        reference_id: `ch-${reference}`,
        amount_in_cents: 4_900,
        currency: 'USD',
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: new Date().toISOString(),
        payment_method_card_last_4: String(number % 10_000).padStart(4, '0'),
        payment_method_card_bin: '424242',
      },
    ],
    items: [
      { reference_id: 'LAMP', sku: 'LAMP', name: 'Lamp', price_in_cents: 4_900, quantity: 1 },
    ],
    deliveries: [{ type: 'PHYSICAL', physical_shipping_carrier: 'Post' }],
  };
}

/** Each feed hands in its orders of a second at once. */
async function feedOrders(): Promise<{ taken: number; refused: number }> {
  let taken = 0;
  let refusedOrders = 0;
  const headers = { authorization: `Bearer ${order.token}` };
  for (let second = 0; second < order.seconds; second++) {
    const beganMs = performance.now();
    await Promise.all(
      Array.from({ length: order.feeds }, async (_, organisation) => {
        const orders = Array.from({ length: order.ordersPerSecond }, (_each, place) =>
          orderOf(organisation, second * order.ordersPerSecond + place),
        );
        const path = `/organisations/brand-${organisation}/api/orders`;
        const status = await post(
          order.consolePort,
          path,
          headers,
          Buffer.from(JSON.stringify(orders)),
        );
        if (status >= 200 && status < 300) taken += orders.length;
        else refusedOrders += orders.length;
      }),
    );
    await sleep(Math.max(0, CHECK_EVERY_MS - (performance.now() - beganMs)));
  }
  return { taken, refused: refusedOrders };
}

const alerts = order.organisations * order.alertsEach;
const others = Math.max(0, order.seconds * order.webhooksPerSecond - alerts);
const [sentAlerts, sentOthers, , fed] = await Promise.all([
  steadily(alerts, alerts / order.seconds, (place) =>
    sendAlert(place % order.organisations, order.from + place),
  ),
  steadily(others, others / order.seconds, (place) =>
    sendOther(place % order.organisations, place),
  ),
  flood(),
  feedOrders(),
]);
const report: PlatformReport = {
  sent: [...sentAlerts, ...sentOthers],
  flooded: order.flood,
  refused,
  ordersTaken: fed.taken,
  ordersRefused: fed.refused,
};
// Not before it is written: the end of the process would cut it off.
process.send?.(report, undefined, undefined, () => process.exit());
