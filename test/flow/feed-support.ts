/**
 * A merchant, a sandbox and a feed on one clock that stands still: waiting for the request budget
 * moves the clock, so a minute of limit passes in milliseconds.
 */

import { rematchWaiting } from '../../src/alerts/match/waiting.store.ts';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { FeedDeps } from '../../src/orders/feed-deps.ts';
import { createFeedOrders } from '../../src/orders/feed-orders.ts';
import { createFeedSender } from '../../src/orders/feed-sender.ts';
import { createFeedUpdater } from '../../src/orders/feed-updater.ts';
import { acceptOrders } from '../../src/orders/intake.ts';
import type { IntakeContext } from '../../src/orders/intake-context.ts';
import type { OrderRow } from '../../src/orders/order.store.ts';
import { acceptChange } from '../../src/orders/order-changes.ts';
import type { PushRow } from '../../src/orders/order-push.store.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { createMemoryBudget } from '../../src/service/client/budget.ts';
import type { OrderInput } from '../../src/service/wire/order-input.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';

export const START = '2026-11-21T08:00:00.000Z';

/** One request as it left us, and its status; null when no answer came. */
export interface SentCall {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly atMs: number;
  status: number | null;
}

export interface FeedWorld {
  readonly calls: SentCall[];
  readonly database: TestDatabase;
  readonly sandbox: Sandbox;
  readonly clock: FixedClock;
  readonly deps: FeedDeps;
  readonly context: IntakeContext & { db: TestDatabase['db'] };
  worker(name: string): FeedDeps;
  accept(orders: readonly unknown[]): ReturnType<typeof acceptOrders>;
  change(referenceId: string, change: unknown): ReturnType<typeof acceptChange>;
  /** Runs sender and updater, moving the clock, until nothing is due any more. */
  drain(deps?: readonly FeedDeps[]): Promise<void>;
  /** The orders the sandbox holds, by reference. */
  held(): Map<string, Record<string, unknown>>;
  row(referenceId: string): Promise<OrderRow>;
  pushes(): Promise<PushRow[]>;
  close(): Promise<void>;
}

export async function createFeedWorld(
  options: { readonly timeoutMs?: number } = {},
): Promise<FeedWorld> {
  const database = await createTestDatabase();
  const clock = createFixedClock(START);
  const sandbox = await createSandbox({ clock });
  const log = createLog({ level: 'silent' });
  const { organisationId, integrationId, organisationKey } = sandbox.accounts;
  const wait = async (durationMs: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    await sandbox.advance(durationMs);
  };
  const budget = createMemoryBudget({ clock, wait, random: () => 0 });
  const calls: SentCall[] = [];
  const watchedFetch: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    const text = input instanceof Request ? await input.clone().text() : init?.body;
    const call: SentCall = {
      method: (input instanceof Request ? input.method : init?.method) ?? 'GET',
      path: url.pathname + url.search,
      body: typeof text === 'string' && text !== '' ? JSON.parse(text) : undefined,
      atMs: clock.nowMs(),
      status: null,
    };
    calls.push(call);
    const response = await fetch(input, init);
    call.status = response.status;
    return response;
  };
  const orders = createFeedOrders({
    fetch: watchedFetch,
    baseUrl: sandbox.url,
    apiKey: organisationKey,
    clock,
    budget,
    wait,
    random: () => 0,
    timeoutMs: options.timeoutMs ?? 2_000,
  });
  const worker = (name: string): FeedDeps => ({
    db: database.db,
    clock,
    log,
    organisationId,
    workerId: name,
    orders,
    random: () => 0,
  });
  const deps = worker('worker-1');
  const context = {
    db: database.db,
    organisationId,
    integrationId,
    clock,
    onCharges: rematchWaiting,
  };
  return {
    calls,
    database,
    sandbox,
    clock,
    deps,
    context,
    worker,
    accept: (inputs) => acceptOrders(context, inputs),
    change: (referenceId, change) => acceptChange(context, { referenceId, change }),
    drain: (workers = [deps]) => drainAll(sandbox, workers),
    held: () =>
      new Map(
        [...sandbox.state.orders.values()].map((order) => [
          order.reference_id,
          { id: order.id, ...order.fields },
        ]),
      ),
    row: async (referenceId) =>
      await database.db
        .selectFrom('order_record')
        .selectAll()
        .where('reference_id', '=', referenceId)
        .executeTakeFirstOrThrow(),
    pushes: async () =>
      await database.db.selectFrom('order_push').selectAll().orderBy('part').execute(),
    close: async () => {
      await sandbox.close();
      await database.drop();
    },
  };
}

/** Waits longer than any backoff, so that whatever is postponed comes up again. */
const PATIENCE_MS = 6 * 60_000;
const IDLE_ROUNDS = 3;

async function drainAll(sandbox: Sandbox, workers: readonly FeedDeps[]): Promise<void> {
  const loops = workers.map((deps) => ({
    sender: createFeedSender(deps),
    updater: createFeedUpdater(deps),
  }));
  for (let idle = 0, rounds = 0; idle < IDLE_ROUNDS; rounds += 1) {
    if (rounds > 500) throw new Error('The feed does not come to rest.');
    const done = await Promise.all(
      loops.flatMap(({ sender, updater }) => [sender.runOnce(), updater.runOnce()]),
    );
    if (done.some((count) => count > 0)) idle = 0;
    else idle += 1;
    if (idle > 0) await sandbox.advance(PATIENCE_MS);
  }
}

/** A complete order with one card transaction, a line and a delivery. */
export function makeOrder(
  reference: string,
  fields: Record<string, unknown> = {},
): OrderInput & Record<string, unknown> {
  const order: unknown = {
    reference_id: reference,
    order_datetime: '2026-11-20T10:00:00Z',
    order_number: `No. ${reference}`,
    order_subtotal_amount_in_cents: 10_000,
    order_currency: 'USD',
    order_total_amount_in_cents: 12_990,
    order_status: 'OPEN_PENDING',
    customer_email: 'shopper@example.com',
    order_email: 'shopper@example.com',
    device_ip_address: '203.0.113.7',
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
        payment_method_card_last_4: '4242',
        payment_method_card_bin: '424242',
        descriptor: 'DEMO STORE',
      },
    ],
    items: [
      { reference_id: 'SKU-1', sku: 'SKU-1', name: 'Lamp', price_in_cents: 10_000, quantity: 1 },
    ],
    deliveries: [{ reference_id: `parcel-${reference}`, type: 'PHYSICAL' }],
    ...fields,
  };
  return order as OrderInput & Record<string, unknown>;
}
