/** Guarantee: whatever goes wrong on the way, the service ends up with each order once, equal to ours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setCrashHook } from '../../src/base/kernel/crash-point.ts';
import { createFeedSender } from '../../src/orders/feed-sender.ts';
import { acceptOrders } from '../../src/orders/intake.ts';
import { parseProgrammes } from '../../src/orders/programme.ts';
import { recordRefundInFeed } from '../../src/orders/saga-report.ts';
import type { FeedWorld } from './feed-support.ts';
import { createFeedWorld, makeOrder, START } from './feed-support.ts';

let world: FeedWorld;
beforeEach(async () => {
  world = await createFeedWorld();
});
afterEach(async () => {
  setCrashHook(undefined);
  await world.close();
});

function numbered(count: number): ReturnType<typeof makeOrder>[] {
  return Array.from({ length: count }, (_, index) => makeOrder(`A-${index + 1}`));
}

function creates(): { readonly status: number | null; readonly references: string[] }[] {
  return world.calls
    .filter(({ method }) => method === 'POST')
    .map(({ status, body }) => ({
      status,
      references: (body as { reference_id: string }[]).map((order) => order.reference_id),
    }));
}

/** Every order of ours is at the service once, under the id we hold, and equal in all we sent. */
async function expectInLine(count: number): Promise<void> {
  const rows = await world.database.db.selectFrom('order_record').selectAll().execute();
  expect(rows).toHaveLength(count);
  expect(world.sandbox.state.orders.size).toBe(count);
  const held = world.held();
  for (const row of rows) {
    expect(row.state).toBe('CREATED');
    expect(row.difference).toBeNull();
    expect(held.get(row.reference_id)).toEqual({ id: row.order_id, ...row.body });
  }
  expect(await world.pushes()).toEqual([]);
}

describe('sending', () => {
  it('sends 250 orders in three full batches, oldest first', async () => {
    await world.accept(numbered(250));
    await world.drain();
    await expectInLine(250);
    expect(creates().map(({ references }) => references.length)).toEqual([100, 100, 50]);
    expect(creates()[0]?.references.slice(0, 2)).toEqual(['A-1', 'A-2']);
    expect(creates()[2]?.references.at(-1)).toBe('A-250');
  });

  it('keeps a product number apart that two orders use as an item reference', async () => {
    await world.accept([makeOrder('A-1'), makeOrder('B-1')]);
    await world.drain();
    await expectInLine(2);
    const items = [...world.held().values()].map(
      (order) => (order['items'] as { reference_id: string }[])[0]?.reference_id,
    );
    expect(items).toEqual(['A-1:SKU-1', 'B-1:SKU-1']);
  });

  it.each(['drop_after', 'drop_before', 'truncated', 'malformed', 'duplicate'] as const)(
    'survives an answer that is lost (%s)',
    async (kind) => {
      world.sandbox.addFault({ on: 'POST /v1/orders', kind });
      await world.accept(numbered(30));
      await world.drain();
      await expectInLine(30);
    },
  );

  it('takes the id of an order that arrived although its answer was lost', async () => {
    world.sandbox.addFault({ on: 'POST /v1/orders', kind: 'drop_after' });
    await world.accept([makeOrder('A-1')]);
    await world.drain();
    expect(creates().map(({ status }) => status)).toEqual([null, 400]);
    await expectInLine(1);
  });

  it('continues after an hour without the service', async () => {
    world.sandbox.addFault({ on: '* /v1/orders*', kind: 'status', status: 503, times: 60 });
    await world.accept(numbered(220));
    await world.drain();
    await expectInLine(220);
  });

  it('survives a storm of 429 without losing its place', async () => {
    world.sandbox.addFault({
      on: 'POST /v1/orders',
      kind: 'status',
      status: 429,
      code: 'RATE_LIMITED',
      times: 5,
    });
    await world.accept(numbered(210));
    await createFeedSender(world.deps).runOnce();
    const rows = await world.database.db.selectFrom('order_record').selectAll().execute();
    expect(rows.every((row) => row.attempts === 0 && row.reason === null)).toBe(true);
    await world.drain();
    await expectInLine(210);
  });

  it('stays within the limit by itself: 150 batches, no 429', async () => {
    await world.accept(Array.from({ length: 150 }, (_, index) => makeOrder(`A-${index}`)));
    const slow = createFeedSender({
      ...world.deps,
      orders: {
        ...world.deps.orders,
        // One order per request uses the budget up.
        create: async (orders, options) => {
          const results: Awaited<ReturnType<typeof world.deps.orders.create>>[] = [];
          for (const order of orders)
            results.push(await world.deps.orders.create([order], options));
          return {
            created: orders.length,
            failed: 0,
            results: results.flatMap(({ results: created }) => created),
            errors: [],
          };
        },
      },
    });
    await slow.runOnce();
    await world.drain();
    await expectInLine(150);
    expect(creates().filter(({ status }) => status === 429)).toEqual([]);
    expect(creates()).toHaveLength(150);
  });
});

describe('refusals', () => {
  it('lets the neighbours of a refused order continue, and says what to do', async () => {
    const foreign = makeOrder('BAD', { integration_id: 'int_of_somebody_else' });
    await world.accept([makeOrder('A-1'), foreign, makeOrder('A-2')]);
    await world.drain();
    expect([...world.held().keys()]).toEqual(['A-1', 'A-2']);
    const row = await world.row('BAD');
    expect(row).toMatchObject({ state: 'REFUSED', error_code: 'INVALID_INTEGRATION' });
    expect(row['reason']).toContain('FORESTALL_INTEGRATION_ID');
    expect(creates()).toHaveLength(1);
  });

  it('takes a batch in which every order is refused (400) as a result', async () => {
    await world.accept(
      ['X', 'Y'].map((name) => makeOrder(name, { integration_id: 'int_of_somebody_else' })),
    );
    await world.drain();
    expect(creates()).toEqual([{ status: 400, references: ['X', 'Y'] }]);
    expect(await world.row('X')).toMatchObject({ state: 'REFUSED' });
    expect(await world.row('Y')).toMatchObject({ state: 'REFUSED' });
  });

  it('halves a batch that is refused whole until the culprit stands alone', async () => {
    world.sandbox.addFault({
      on: 'POST /v1/orders',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_TYPE',
      contains: '"A-42"',
      times: 100,
    });
    await world.accept(numbered(100));
    await world.drain();
    expect(world.sandbox.state.orders.size).toBe(99);
    expect(await world.row('A-42')).toMatchObject({
      state: 'REFUSED',
      error_code: 'VALIDATION_TYPE',
    });
    expect(
      creates()
        .filter(({ status }) => status === 422)
        .at(-1)?.references,
    ).toEqual(['A-42']);
    expect(creates().length).toBeLessThanOrEqual(15);
  });

  it('isolates an order that breaks the service, and its neighbours get through', async () => {
    world.sandbox.addFault({
      on: 'POST /v1/orders',
      kind: 'status',
      status: 500,
      contains: '"A-7"',
      times: 60,
    });
    await world.accept(numbered(40));
    await world.drain();
    await expectInLine(40);
    const firstWithout = creates().findIndex(({ status }) => status === 200);
    expect(firstWithout).toBeLessThan(12);
  });

  it('does not let an order that breaks the service for ever hold up its neighbours', async () => {
    world.sandbox.addFault({
      on: 'POST /v1/orders',
      kind: 'status',
      status: 500,
      contains: '"A-7"',
      times: 10_000,
    });
    await world.accept(numbered(20));
    const sender = createFeedSender(world.deps);
    for (let round = 0; round < 15; round += 1) {
      // New orders keep coming and keep getting through: the service itself is well.
      await world.accept([makeOrder(`fresh-${round}`)]);
      await sender.runOnce();
      await world.sandbox.advance(6 * 60_000);
    }
    const waiting = await world.database.db
      .selectFrom('order_record')
      .select('reference_id')
      .where('state', '=', 'WAITING')
      .execute();
    expect(waiting).toEqual([{ reference_id: 'A-7' }]);
  });

  it('takes a refused order again once it is corrected', async () => {
    const { integrations } = world.sandbox.seed({
      integrations: [{ programmes: ['COMPELLING_EVIDENCE_3'] }],
    });
    const fields = { integration_id: integrations[0]!.id };
    const { customer_email: _email, ...rest } = makeOrder('A-1', fields);
    await world.accept([rest]);
    await world.drain();
    expect(await world.row('A-1')).toMatchObject({ state: 'REFUSED', error_code: 'MISSING_FIELD' });
    expect((await world.row('A-1'))['reason']).toContain('customer_email');
    const [result] = await world.accept([makeOrder('A-1', fields)]);
    expect(result).toMatchObject({ kind: 'corrected', state: 'WAITING' });
    await world.drain();
    await expectInLine(1);
  });

  it.each([
    ['as we reported it', undefined],
    ['as both sides did', 'own-refund'],
  ])('which keeps the refund of ours that it was told of meanwhile, %s', async (_as, own) => {
    const programmes = parseProgrammes(['compelling-evidence']);
    const accept = (order: unknown): Promise<unknown> =>
      acceptOrders({ ...world.context, programmes }, [order]);
    const money = {
      amount_in_cents: 12_990,
      currency: 'USD',
      original_transaction_reference_id: 'ch-A-1',
    };
    const refunds = own === undefined ? {} : { refunds: [{ ...money, reference_id: own }] };
    await accept(makeOrder('A-1', { customer_email: null, ...refunds }));
    await world.database.db.transaction().execute((trx) =>
      recordRefundInFeed(trx, {
        organisationId: world.context.organisationId,
        chargeReference: 'ch-A-1',
        now: new Date(world.clock.nowMs()),
        refund: { reference: 're_1', amountMinor: 12_990, currency: 'USD', refundedAt: START },
      }),
    );
    expect(await accept(makeOrder('A-1'))).toMatchObject([{ kind: 'corrected' }]);
    await world.drain();
    expect(world.held().get('A-1')?.['refunds']).toMatchObject([
      { ...money, reference_id: 're_1' },
    ]);
    await expectInLine(1);
  });
});

describe('a refused key', () => {
  it.each([
    [401, 'UNAUTHORISED'],
    [403, 'FORBIDDEN'],
  ])('(%i) costs no order its place, and a person is notified', async (status, code) => {
    world.sandbox.addFault({ on: 'POST /v1/orders', kind: 'status', status, code, times: 3 });
    await world.accept(numbered(5));
    await createFeedSender(world.deps).runOnce();
    expect(await world.row('A-1')).toMatchObject({
      state: 'WAITING',
      attempts: 0,
      error_code: code,
    });
    await world.drain();
    await expectInLine(5);
    const alarms = await world.database.db
      .selectFrom('notification')
      .selectAll()
      .where('kind', '=', 'feed_stopped')
      .execute();
    expect(alarms).toHaveLength(1);
  });

  it('on an update or a read keeps what is due', async () => {
    await world.accept(numbered(1));
    await world.drain();
    world.sandbox.addFault({ on: 'PATCH *', kind: 'status', status: 403, code: 'FORBIDDEN' });
    world.sandbox.addFault({
      on: 'GET /v1/orders',
      kind: 'status',
      status: 403,
      code: 'FORBIDDEN',
    });
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.database.db
      .updateTable('order_record')
      .set({ next_attempt_at: new Date(world.clock.nowMs()) })
      .execute();
    await world.drain();
    await expectInLine(1);
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_COMPLETE' });
  });
});

describe('crashes', () => {
  it.each(['orders.answered', 'orders.created_stored'] as const)(
    'sends nothing twice when killed at %s',
    async (point) => {
      const orders = numbered(20);
      orders.push(makeOrder('BAD', { integration_id: 'int_of_somebody_else' }));
      await world.accept(orders);
      setCrashHook((name) => {
        if (name === point) throw new Error(`killed at ${point}`);
      });
      await expect(createFeedSender(world.deps).runOnce()).rejects.toThrow(`killed at ${point}`);
      setCrashHook(undefined);
      expect(world.sandbox.state.orders.size).toBe(20);
      await world.drain([world.worker('worker-2')]);
      expect(world.sandbox.state.orders.size).toBe(20);
      for (const order of orders.slice(0, 20)) {
        const row = await world.row(order.reference_id);
        expect(row['state']).toBe('CREATED');
        expect(world.held().get(order.reference_id)).toEqual({
          id: row['order_id'],
          ...row['body'],
        });
      }
      expect(await world.row('BAD')).toMatchObject({ state: 'REFUSED' });
    },
  );
});

describe('two workers', () => {
  it('send each order once and share one drain', async () => {
    await world.accept(numbered(400));
    await world.drain([world.worker('worker-1'), world.worker('worker-2')]);
    await expectInLine(400);
    expect(creates()).toHaveLength(4);
  });

  it('end in line when a slow one has lost its lease', async () => {
    await world.accept(numbered(50));
    let takenOver = 0;
    const slow = createFeedSender({
      ...world.worker('slow'),
      orders: {
        ...world.deps.orders,
        create: async (orders, options) => {
          // Other lanes of the slow one may still renew the lease for a moment.
          for (let tries = 0; tries < 10 && takenOver === 0; tries += 1) {
            await world.sandbox.advance(31_000);
            takenOver += await createFeedSender(world.worker('quick')).runOnce();
          }
          return await world.deps.orders.create(orders, options);
        },
      },
    });
    await slow.runOnce();
    expect(takenOver).toBe(50);
    await world.drain();
    await expectInLine(50);
  });
});

describe('duplicates', () => {
  it('reports an order that somebody else sent with another content', async () => {
    const order = makeOrder('A-1');
    world.sandbox.createOrder({ ...order, customer_email: 'other@example.com' } as never);
    await world.accept([order]);
    await world.drain();
    const row = await world.row('A-1');
    expect(row).toMatchObject({ state: 'CREATED' });
    expect(row['difference']).toContain('customer_email');
    const alarms = await world.database.db
      .selectFrom('notification')
      .selectAll()
      .where('kind', '=', 'order_differs')
      .execute();
    expect(alarms).toHaveLength(1);
    expect(alarms[0]?.text).not.toContain('@example.com');
  });

  it('repairs what an update can', async () => {
    const order = makeOrder('A-1');
    await world.accept([order]);
    const { body } = await world.row('A-1');
    world.sandbox.createOrder({ ...body, order_status: 'OTHER' } as never);
    await world.drain();
    await expectInLine(1);
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'OPEN_PENDING' });
  });

  it('sends an order again that the service lost', async () => {
    await world.accept([makeOrder('A-1')]);
    await world.drain();
    world.sandbox.reset();
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    await expectInLine(1);
    // The update that found nothing; the new order carries the change itself.
    expect(world.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_COMPLETE' });
  });
});

describe('PARTIAL orders', () => {
  it('enrich a payment, and say in plain words what is wrong', async () => {
    const { integrations } = world.sandbox.seed({
      integrations: [
        { type: 'STRIPE', enrichment_enabled: true },
        { type: 'STRIPE', enrichment_enabled: false },
      ],
    });
    const partial = (reference: string, integration: string) => ({
      type: 'PARTIAL',
      reference_id: reference,
      integration_id: integration,
      device_id: 'device-1',
      order_number: '17',
    });
    await world.accept([
      partial('ch_1', integrations[0]!.id),
      partial('ch_2', integrations[1]!.id),
      partial('ch_3', world.sandbox.accounts.integrationId),
      makeOrder('whole', { integration_id: integrations[0]!.id }),
    ]);
    await world.drain();
    expect(await world.row('ch_1')).toMatchObject({ state: 'CREATED' });
    expect(await world.row('ch_2')).toMatchObject({ error_code: 'ENRICHMENT_NOT_ENABLED' });
    expect((await world.row('ch_2'))['reason']).toContain('enable order enrichment');
    expect((await world.row('ch_3'))['reason']).toContain('Send it as COMPLETE');
    expect((await world.row('whole'))['reason']).toContain('as PARTIAL');
  });
});

it('passes fields on that the interface description does not list', async () => {
  await world.accept([
    makeOrder('A-1', {
      loyalty_tier: 'gold',
      items: [{ reference_id: 'A-1/line-1', name: 'Lamp', warranty: { months: 24 } }],
    }),
  ]);
  await world.drain();
  await expectInLine(1);
  expect(world.held().get('A-1')).toMatchObject({
    loyalty_tier: 'gold',
    items: [{ warranty: { months: 24 } }],
  });
});
