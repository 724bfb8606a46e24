/**
 * Hands hostile orders in, in a process of its own, until it is told to stop: those that blocked a process once, and the largest that
 * are taken, all made before. Sends the parent how many of each were answered, and how.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the sender is told. */
export interface HostileOrder {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  /** Bodies begun in a second, one after the other. Absent: the next one follows as soon as one is answered. */
  readonly perSecond?: number;
}

/** Answers by kind: how often, and with which statuses. */
export type HostileReport = Readonly<Record<string, { count: number; statuses: number[] }>>;

const { port, path, token, perSecond } = JSON.parse(process.argv[2] ?? '{}') as HostileOrder;
const agent = new Agent({ keepAlive: true });
const report: Record<string, { count: number; statuses: number[] }> = {};
let isOver = false;
/** Stands in a body for what no other order is named. */
const DIGITS = 8;
const NAME = `hostile-${process.pid}-${'0'.repeat(DIGITS)}`;

const payment = {
  amount_in_cents: 4_900,
  currency: 'USD',
  payment_method_type: 'CARD',
  authorisation_status: 'SETTLED',
  authorised_at: '2026-11-20T10:00:01Z',
  payment_method_card_brand: 'SCHEME_A',
  payment_method_card_last_4: '4242',
};

/** A whole order, but for what makes it hostile. */
function order(fields: object): object {
  return {
    reference_id: NAME,
    integration_id: 'int_hostile',
    order_datetime: '2026-11-20T10:00:00Z',
    order_number: NAME,
    order_subtotal_amount_in_cents: 4_900,
    order_currency: 'USD',
    order_total_amount_in_cents: 4_900,
    order_status: 'OPEN_PENDING',
    customer_email: 'shopper@example.com',
    device_id: 'device-1',
    transactions: [{ ...payment, reference_id: `${NAME}-t` }],
    ...fields,
  };
}

const items = (count: number): object[] =>
  Array.from({ length: count }, (_, place) => ({
    reference_id: String(place),
    sku: String(place),
    name: `Line ${place}`,
  }));

const nested = (count: number): object[] => Array.from({ length: count }, () => ({}));

const KINDS: Readonly<Record<string, () => string>> = {
  'one order of 50,000 items': () => JSON.stringify(order({ items: items(50_000) })),
  'one order of 1,000 items': () => JSON.stringify(order({ items: items(1_000) })),
  '300,000 unknown fields': () =>
    JSON.stringify(order(Object.fromEntries(nested(300_000).map((_, place) => [`x${place}`, 1])))),
  'a 64-deep list of a million {}': () =>
    `${'['.repeat(64)}${'{},'.repeat(999_999)}{}${']'.repeat(64)}`,
  '85,000 {} in one order of 256 KB': () => `{"x":[${'{},'.repeat(85_000)}{}]}`,
  '30 orders of 30,000 values': () =>
    JSON.stringify(
      Array.from({ length: 30 }, () =>
        order({ metadata: Array.from({ length: 300 }, () => Array.from({ length: 99 }, () => 1)) }),
      ),
    ),
  'orders of 390,000 values': () =>
    JSON.stringify(Array.from({ length: 390 }, () => ({ reference_id: 'x', x: nested(999) }))),
  '1,000 orders of 1,000 {}': () =>
    JSON.stringify(Array.from({ length: 1_000 }, () => ({ reference_id: 'x', x: nested(1_000) }))),
  '8 MB of open brackets': () => '['.repeat(8 * 1024 * 1024 - 1),
  '8 MB of quotes': () => `[${'"",'.repeat(2_700_000)}""]`,
};

/** Where the digits of the name stand in a body. */
function namesIn(body: Buffer): readonly number[] {
  const places: number[] = [];
  for (let at = body.indexOf(NAME); at !== -1; at = body.indexOf(NAME, at + 1)) {
    places.push(at + NAME.length - DIGITS);
  }
  return places;
}

function send(kind: string, body: Buffer): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  return new Promise((resolve) => {
    const note = (status: number): void => {
      const known = report[kind] ?? { count: 0, statuses: [] };
      known.count += 1;
      if (!known.statuses.includes(status)) known.statuses.push(status);
      report[kind] = known;
      resolve();
    };
    request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      response.resume().once('end', () => note(response.statusCode ?? 0));
    })
      .once('error', () => note(0))
      .end(body);
  });
}

process.on('message', () => {
  isOver = true;
});
process.once('disconnect', () => process.exit());
// Made before the measurement begins: what it takes to write them is not the receiver's.
const bodies = Object.entries(KINDS).map(([kind, make]) => {
  const body = Buffer.from(make());
  return { kind, body, names: namesIn(body) };
});
process.send?.('ready');
const beganMs = performance.now();
for (let sent = 1; !isOver; sent += 1) {
  const next = bodies[sent % bodies.length];
  if (next === undefined) break;
  // What is taken has to be another order each time.
  for (const at of next.names) next.body.write(String(sent).padStart(DIGITS, '0'), at);
  await send(next.kind, next.body);
  const nextMs = perSecond === undefined ? 0 : beganMs + (sent * 1_000) / perSecond;
  await sleep(Math.max(0, nextMs - performance.now()));
}
process.send?.(report);
