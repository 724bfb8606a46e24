/** Guarantee: a feed that is refused for one reason stops and asks a person, and continues by itself once the cause is gone. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runChecks } from '../../src/alerts/reconcile/checks.ts';
import { createFeedSender } from '../../src/orders/feed-sender.ts';
import { readFeedStatus } from '../../src/orders/feed-status.store.ts';
import { NO_PROGRAMMES } from '../../src/orders/programme.ts';
import { registerOrdersCommands } from '../../src/people/cli/orders.ts';
import { runCommand } from '../support/run-command.ts';
import type { FeedWorld } from './feed-support.ts';
import { createFeedWorld, makeOrder } from './feed-support.ts';

let world: FeedWorld;
let closed: string;
beforeEach(async () => {
  world = await createFeedWorld();
  const { integrations } = world.sandbox.seed({
    integrations: [{ type: 'STRIPE', enrichment_enabled: false }],
  });
  closed = integrations[0]?.id ?? '';
});
afterEach(async () => {
  process.exitCode = undefined;
  await world.close();
});

/** Additions to payments, on an integration that does not take any yet. */
function additions(count: number, from = 0): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'PARTIAL',
    reference_id: `ch_${from + index}`,
    integration_id: closed,
    device_id: 'device-1',
  }));
}

function open(): void {
  const integration = world.sandbox.state.integrations.get(closed);
  if (integration === undefined) throw new Error('No such integration.');
  world.sandbox.state.integrations.set(closed, { ...integration, enrichment_enabled: true });
}

const posts = (): number => world.calls.filter(({ method }) => method === 'POST').length;

async function states(): Promise<Record<string, number>> {
  const { rows } = await sql<{ state: string; orders: number }>`
    select state, count(*)::int as orders from order_record group by state order by state`.execute(
    world.database.db,
  );
  return Object.fromEntries(rows.map(({ state, orders }) => [state, orders]));
}

function messages(kind: string) {
  return world.database.db
    .selectFrom('notification')
    .selectAll()
    .where('kind', '=', kind)
    .execute();
}

const HOUR_MS = 60 * 60_000;

/** Lets the sender run for a while, a minute at a time. */
async function run(minutes: number, sender = createFeedSender(world.deps)): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await sender.runOnce();
    await world.sandbox.advance(60_000);
  }
}

function status() {
  const { organisationId } = world.context;
  return readFeedStatus(world.database.db, organisationId, new Date(world.clock.nowMs()));
}

async function orders(...args: string[]): Promise<string> {
  const context = {
    ...world.context,
    integrationId: world.context.integrationId,
    db: world.database.db,
    programmes: NO_PROGRAMMES,
    close: async () => undefined,
  };
  const { printed } = await runCommand(
    (program) => registerOrdersCommands(program, async () => context),
    ['orders', ...args],
  );
  return printed;
}

describe('a backlog that is all refused for one reason', () => {
  it('stops after the batches under way, and a person is notified once', async () => {
    await world.accept(additions(2_000));
    await run(10);
    // Four lanes, and one try each after 1, 2 and 4 minutes more.
    expect(posts()).toBeLessThanOrEqual(4 + 4);
    expect((await states())['WAITING']).toBeGreaterThanOrEqual(1_600);
    const [message, ...more] = await messages('feed_stopped');
    expect(more).toEqual([]);
    expect(message?.text).toContain(closed);
    expect(message?.text).toContain('ENRICHMENT_NOT_ENABLED');
    expect(message?.text).toMatch(/for example ch_\d+/);
    expect((await status()).stopped).toMatchObject([
      { integrationId: closed, code: 'ENRICHMENT_NOT_ENABLED' },
    ]);
  });

  it('is tried at growing intervals, an hour at most, another order each time', async () => {
    await world.accept(additions(2_000));
    const sender = createFeedSender(world.deps);
    await sender.runOnce();
    const before = posts();
    const tried: number[] = [];
    const startMs = world.clock.nowMs();
    for (let minute = 0; minute < 5 * 60; minute += 1) {
      const count = posts();
      await sender.runOnce();
      if (posts() > count) tried.push(Math.round((world.clock.nowMs() - startMs) / 60_000));
      await world.sandbox.advance(60_000);
    }
    expect(tried).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);
    const probes = world.calls.filter(({ method }) => method === 'POST').slice(before);
    expect(new Set(probes.map(({ body }) => JSON.stringify(body))).size).toBe(tried.length);
  });

  it('continues by itself once the cause is gone: every order arrives, those refused first too', async () => {
    await world.accept(additions(500));
    await run(3);
    open();
    await run(30);
    expect(await states()).toEqual({ CREATED: 500 });
    expect(await messages('feed_resumed')).toHaveLength(1);
    expect((await status()).stopped).toEqual([]);
  });

  it('blocks no other integration', async () => {
    await world.accept([
      ...additions(300),
      ...Array.from({ length: 300 }, (_, index) => makeOrder(`A-${index}`)),
    ]);
    await run(3);
    expect((await states())['CREATED']).toBe(300);
  });

  it('is stopped as well when each request is refused as a whole', async () => {
    world.sandbox.addFault({
      on: 'POST /v1/orders',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_VALUE',
      times: 10_000,
    });
    await world.accept(Array.from({ length: 500 }, (_, index) => makeOrder(`A-${index}`)));
    await run(2);
    expect(posts()).toBeLessThan(60);
    expect((await states())['WAITING']).toBeGreaterThan(450);
    expect(await messages('feed_stopped')).toHaveLength(1);
  });

  it('is a finding until it continues', async () => {
    await world.accept(additions(100));
    await run(1);
    const { organisationId } = world.context;
    const check = () =>
      runChecks(world.database.db, { organisationId, now: new Date(world.clock.nowMs()) });
    await check();
    const finding = () =>
      world.database.db
        .selectFrom('finding')
        .selectAll()
        .where('kind', '=', 'feed_stopped')
        .executeTakeFirstOrThrow();
    expect(await finding()).toMatchObject({ subject_id: closed, closed_at: null });
    open();
    await run(5);
    await check();
    expect((await finding()).closed_at).not.toBeNull();
  });
});

describe('a person', () => {
  it('sees it and has an order tried at once', async () => {
    await world.accept(additions(100));
    await run(20);
    expect(await orders('status')).toContain(`forestall orders resume ${closed}`);
    open();
    expect(await orders('resume', closed)).toContain('One order is tried now');
    await run(2);
    expect(await states()).toEqual({ CREATED: 100 });
  });

  it('has everything sent all the same: what is refused is refused, without a stop', async () => {
    await world.accept(additions(500));
    await run(1);
    await orders('resume', closed, '--anyway');
    await run(3);
    expect(await states()).toEqual({ REFUSED: 500 });
    expect(await messages('feed_stopped')).toHaveLength(1);
    // A day later the refusals count again.
    await world.sandbox.advance(25 * HOUR_MS);
    await world.accept(additions(500, 500));
    await run(1);
    expect((await states())['WAITING']).toBeGreaterThan(0);
    expect(await messages('feed_stopped')).toHaveLength(2);
  });

  it('is told when nothing is stopped', async () => {
    expect(await orders('resume', closed)).toContain('are not stopped');
    expect([0, undefined]).not.toContain(process.exitCode);
  });

  it('hands corrected orders in, also those that wait', async () => {
    const { integrationId } = world.context;
    const bad = additions(300).map((order) => ({ ...order, integration_id: integrationId }));
    await world.accept(bad);
    await run(10);
    const corrected = bad.map((_, index) => makeOrder(`ch_${index}`));
    const results = await world.accept(corrected);
    // All but the order that was tried a moment ago, whose answer may be under way.
    expect(results.filter(({ kind }) => kind === 'corrected').length).toBeGreaterThanOrEqual(299);
    await orders('resume', String(integrationId));
    await run(5);
    expect((await states())['CREATED']).toBeGreaterThanOrEqual(299);
  });

  it('cannot correct the order that is being tried', async () => {
    const { integrationId } = world.context;
    const bad = additions(50).map((order) => ({ ...order, integration_id: integrationId }));
    await world.accept(bad);
    await run(2);
    await world.sandbox.advance(5 * 60_000);
    const kinds: string[] = [];
    const { create } = world.deps.orders;
    const watched: typeof create = async (sent, options) => {
      const answer = await create(sent, options);
      const tried = sent.map(({ reference_id }) => reference_id);
      const others = ['ch_30', 'ch_31'].filter((reference) => !tried.includes(reference));
      const results = await world.accept([...tried, ...others].map((each) => makeOrder(each)));
      kinds.push(...results.map(({ kind }) => kind));
      return answer;
    };
    await createFeedSender({
      ...world.deps,
      orders: { ...world.deps.orders, create: watched },
    }).runOnce();
    expect(kinds).toEqual(['differs', 'corrected', 'corrected']);
  });

  it('cannot correct what may be under way', async () => {
    const { integrationId } = world.context;
    const bad = additions(600).map((order) => ({ ...order, integration_id: integrationId }));
    await world.accept(bad);
    await createFeedSender(world.deps).runOnce();
    const [waiting] = await world.database.db
      .selectFrom('order_record')
      .select('reference_id')
      .where('state', '=', 'WAITING')
      .execute();
    const corrected = makeOrder(waiting?.reference_id ?? '');
    expect(await world.accept([corrected])).toMatchObject([{ kind: 'differs' }]);
    await world.sandbox.advance(2 * 60_000);
    expect(await world.accept([corrected])).toMatchObject([{ kind: 'corrected' }]);
  });
});

it('few orders, all refused at once, are tried one at a time as well', async () => {
  await world.accept(additions(50));
  await run(10);
  expect(posts()).toBeLessThanOrEqual(1 + 4);
  open();
  await run(10);
  expect(await states()).toEqual({ CREATED: 50 });
});

it('ends when every order of the integration was dealt with otherwise', async () => {
  await world.accept(additions(100));
  await run(1);
  await sql`delete from order_record`.execute(world.database.db);
  await run(5);
  expect((await status()).stopped).toEqual([]);
});
