/**
 * Measures the drain of a backlog of orders: requests used against the least possible, share of the
 * service's limit, and what it costs in CPU and memory.
 *
 * Goal: 95 % or more of the 10,000 orders a minute that the limit allows, with no 429, in the fewest
 * requests. Method: 50,000 orders are taken in, then sent to the sandbox with its limit in force, on
 * one clock that stands still and is moved whenever the request budget makes the sender wait. What
 * the sandbox and the client cost by themselves is measured first, with the same orders sent
 * directly, and taken off.
 */
import type { Kysely } from 'kysely';
import { rematchWaiting } from '../../src/alerts/match/waiting.store.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { REQUESTS_PER_MINUTE_MAX } from '../../src/base/kernel/limits.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { FeedOrders } from '../../src/orders/feed-orders.ts';
import { createFeedOrders } from '../../src/orders/feed-orders.ts';
import { createFeedSender } from '../../src/orders/feed-sender.ts';
import { acceptOrders } from '../../src/orders/intake.ts';
import { wishedReferences, withReferences } from '../../src/orders/nested-reference.ts';
import { readSubmission } from '../../src/orders/submission.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { createStoreBudget } from '../../src/service/budget/budget.store.ts';
import { createMemoryBudget } from '../../src/service/client/budget.ts';
import type { RequestBudget } from '../../src/service/client/budget-queue.ts';
import { ORDERS_PER_CREATE_MAX } from '../../src/service/wire/limits.ts';

/** Target of `limitShare` (design, Performance, row 9), together with no 429. */
export const LIMIT_SHARE_MIN = 0.95;

/** What the drain of a backlog took. */
export interface FeedBenchReport {
  readonly orders: number;
  /** Orders the sandbox holds afterwards. */
  readonly ordersHeld: number;
  readonly requests: number;
  readonly requestsLeast: number;
  readonly rateLimited: number;
  /** Share of the limit while there was a backlog, from 0 to 1; null when the backlog never met it. */
  readonly limitShare: number | null;
  /** Minutes on the moved clock. */
  readonly minutes: number;
  /** Orders taken in per second, real time. */
  readonly intakePerSecond: number;
  /** Real seconds of the drain. */
  readonly drainSeconds: number;
  /** CPU seconds of this process in the drain, without what sandbox and client cost. */
  readonly cpuSeconds: number;
  /** The same of sandbox and client. */
  readonly cpuSecondsBaseline: number;
  /** Highest resident memory during the drain above that before it, in megabytes. */
  readonly memoryMegabytes: number;
}

const ORDERS = 50_000;
const INTAKE_CHUNK = 1_000;

/** Runs the bench on a PostgreSQL of its own. */
export async function benchFeed(
  options: { readonly orders?: number; readonly onStep?: (text: string) => void } = {},
): Promise<FeedBenchReport> {
  const orders = options.orders ?? ORDERS;
  const onStep = options.onStep ?? ((): void => undefined);
  const server = await startEmbeddedPostgres({ temporary: true });
  const log = createLog({ level: 'silent' });
  const database = openDatabase({ connectionString: server.connectionString, log });
  try {
    await migrateToLatest(database.db);
    onStep('sending directly');
    const baseline = await measureBaseline(orders);
    onStep('taking in');
    const bench = await openBench(database);
    try {
      const intakePerSecond = await takeIn(bench, orders);
      onStep('draining');
      return { ...(await drain(bench, orders, baseline)), intakePerSecond };
    } finally {
      await bench.sandbox.close();
    }
  } finally {
    await database.close();
    await server.stop();
  }
}

interface Bench {
  readonly db: Kysely<Database>;
  readonly clock: FixedClock;
  readonly sandbox: Sandbox;
  readonly orders: FeedOrders;
  /** When each create request left, on the moved clock. */
  readonly sentMs: number[];
  readonly memory: { peakBytes: number };
}

async function openBench(database: OpenDatabase): Promise<Bench> {
  const clock = createFixedClock('2026-11-21T08:00:00.000Z');
  const sandbox = await createSandbox({ clock });
  const memory = { peakBytes: 0 };
  const wait = async (durationMs: number): Promise<void> => {
    memory.peakBytes = Math.max(memory.peakBytes, process.memoryUsage.rss());
    await sandbox.advance(durationMs);
  };
  const budget = createStoreBudget({
    db: database.db,
    organisationId: sandbox.accounts.organisationId,
    clock,
    wait,
  });
  const sentMs: number[] = [];
  const orders = connect(sandbox, { clock, budget, onSend: () => sentMs.push(clock.nowMs()) });
  return { db: database.db, clock, sandbox, orders, sentMs, memory };
}

function connect(
  sandbox: Sandbox,
  way: { readonly clock: FixedClock; readonly budget: RequestBudget; readonly onSend: () => void },
): FeedOrders {
  return createFeedOrders({
    baseUrl: sandbox.url,
    apiKey: sandbox.accounts.organisationKey,
    clock: way.clock,
    budget: way.budget,
    timeoutMs: 60_000,
    hooks: { onRequest: way.onSend },
  });
}

/** Sends the same orders without the feed, and returns the CPU seconds it took. */
async function measureBaseline(orders: number): Promise<number> {
  const clock = createFixedClock('2026-11-21T08:00:00.000Z');
  const sandbox = await createSandbox({ clock });
  try {
    const wait = (durationMs: number): Promise<void> => sandbox.advance(durationMs);
    const budget = createMemoryBudget({ clock, wait });
    const client = connect(sandbox, { clock, budget, onSend: () => undefined });
    const { organisationId, integrationId } = sandbox.accounts;
    const batches: Parameters<FeedOrders['create']>[0][] = [];
    for (let start = 0; start < orders; start += ORDERS_PER_CREATE_MAX) {
      const size = Math.min(ORDERS_PER_CREATE_MAX, orders - start);
      batches.push(
        Array.from({ length: size }, (_, index) => {
          const read = readSubmission(makeOrder(start + index), { organisationId, integrationId });
          if (!read.ok) throw new Error("The bench's own order was refused.");
          return withReferences(read.value, wishedReferences(read.value));
        }),
      );
    }
    const before = process.cpuUsage();
    for (const batch of batches) {
      const { failed } = await client.create(batch);
      if (failed > 0) throw new Error('The sandbox refused orders of the baseline.');
    }
    return secondsSince(before);
  } finally {
    await sandbox.close();
  }
}

async function takeIn(bench: Bench, orders: number): Promise<number> {
  const { organisationId, integrationId } = bench.sandbox.accounts;
  const context = {
    db: bench.db,
    clock: bench.clock,
    organisationId,
    integrationId,
    onCharges: rematchWaiting,
  };
  const startedMs = performance.now();
  for (let start = 0; start < orders; start += INTAKE_CHUNK) {
    const size = Math.min(INTAKE_CHUNK, orders - start);
    const results = await acceptOrders(
      context,
      Array.from({ length: size }, (_, index) => makeOrder(start + index)),
    );
    const refused = results.find(({ kind }) => kind !== 'accepted');
    if (refused !== undefined) throw new Error(`The bench's own order was ${refused.kind}.`);
  }
  return Math.round(orders / ((performance.now() - startedMs) / 1_000));
}

async function drain(
  bench: Bench,
  orders: number,
  baseline: number,
): Promise<Omit<FeedBenchReport, 'intakePerSecond'>> {
  const sender = createFeedSender({
    db: bench.db,
    clock: bench.clock,
    log: createLog({ level: 'silent' }),
    organisationId: bench.sandbox.accounts.organisationId,
    workerId: 'bench',
    orders: bench.orders,
  });
  const memoryBefore = process.memoryUsage.rss();
  bench.memory.peakBytes = memoryBefore;
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  while ((await sender.runOnce()) > 0);
  const drainSeconds = (performance.now() - startedMs) / 1_000;
  const cpu = secondsSince(cpuBefore);
  const firstMs = bench.sentMs[0] ?? 0;
  const lastMs = bench.sentMs.at(-1) ?? firstMs;
  const minutes = (lastMs - firstMs) / 60_000;
  // Requests of the last moment belong to the minute that begins with them.
  const before = bench.sentMs.filter((atMs) => atMs < lastMs).length;
  return {
    orders,
    ordersHeld: bench.sandbox.state.orders.size,
    requests: bench.sentMs.length,
    requestsLeast: Math.ceil(orders / ORDERS_PER_CREATE_MAX),
    rateLimited: bench.sandbox.requests().filter(({ status }) => status === 429).length,
    limitShare: minutes === 0 ? null : round(before / (minutes * REQUESTS_PER_MINUTE_MAX), 3),
    minutes: round(minutes, 2),
    drainSeconds: round(drainSeconds, 2),
    cpuSeconds: round(Math.max(0, cpu - baseline), 2),
    cpuSecondsBaseline: round(baseline, 2),
    memoryMegabytes: Math.round((bench.memory.peakBytes - memoryBefore) / 1_048_576),
  };
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** An order of about 1.2 KB with a card payment, two lines and a parcel. */
function makeOrder(index: number): Record<string, unknown> {
  const reference = `bench-${String(index).padStart(6, '0')}`;
  return {
    reference_id: reference,
    order_datetime: '2026-11-20T10:00:00Z',
    order_number: String(index),
    order_subtotal_amount_in_cents: 10_000,
    order_currency: 'USD',
    order_total_amount_in_cents: 12_990,
    order_status: 'CLOSED_COMPLETE',
    customer_email: `shopper-${index}@example.com`,
    order_email: `shopper-${index}@example.com`,
    customer_account_id: `customer-${index}`,
    device_ip_address: '203.0.113.7',
    device_id: `device-${index}`,
    transactions: [
      {
        reference_id: `ch-${reference}`,
        amount_in_cents: 12_990,
        currency: 'USD',
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: '2026-11-20T10:00:01Z',
        authorisation_code: 'A1B2C3',
        payment_method_card_brand: 'SCHEME_A',
        payment_method_card_last_4: String(index % 10_000).padStart(4, '0'),
        payment_method_card_bin: '424242',
        descriptor: 'DEMO STORE',
      },
    ],
    items: [
      { reference_id: 'LAMP', sku: 'LAMP', name: 'Lamp', price_in_cents: 6_000, quantity: 1 },
      { reference_id: 'DESK', sku: 'DESK', name: 'Desk', price_in_cents: 4_000, quantity: 1 },
    ],
    deliveries: [{ type: 'PHYSICAL', physical_shipping_carrier: 'Post' }],
  };
}
