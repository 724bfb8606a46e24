/** Guarantee: the service's copy of an order ends as the merchant, and our own refunds, last said. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeOrder } from '../../src/orders/change-order.ts';
import { checkOrder } from '../../src/orders/check-order.ts';
import { createFeedSender } from '../../src/orders/feed-sender.ts';
import { createFeedUpdater } from '../../src/orders/feed-updater.ts';
import { pushParts } from '../../src/orders/push-parts.ts';
import { recordDisputeInFeed, recordRefundInFeed } from '../../src/orders/saga-report.ts';
import type { FeedWorld } from './feed-support.ts';
import { createFeedWorld, makeOrder, START } from './feed-support.ts';

let world: FeedWorld;
beforeEach(async () => {
  world = await createFeedWorld();
  await world.accept([makeOrder('A-1'), makeOrder('A-2')]);
  await world.drain();
});
afterEach(() => world.close());

function patches(): { readonly status: number | null; readonly body: unknown }[] {
  return world.calls
    .filter(({ method }) => method === 'PATCH')
    .map(({ status, body }) => ({ status, body }));
}

async function expectEqual(reference: string): Promise<void> {
  const row = await world.row(reference);
  expect(row.state).toBe('CREATED');
  expect(world.held().get(reference)).toEqual({ id: row.order_id, ...row.body });
}

const REFUND = {
  reference_id: 're_1',
  amount_in_cents: 5_000,
  currency: 'USD',
  status: 'SUCCEEDED',
  original_transaction_reference_id: 'ch-A-1',
  refund_datetime: '2026-11-21T08:00:00.000Z',
};

function sagaRefund(chargeReference: string, reference: string, amountMinor = 5_000) {
  return world.database.db.transaction().execute((trx) =>
    recordRefundInFeed(trx, {
      organisationId: world.context.organisationId,
      chargeReference,
      now: new Date(world.clock.nowMs()),
      refund: { reference, amountMinor, currency: 'USD', refundedAt: START },
    }),
  );
}

function keyOfA1() {
  return {
    organisationId: world.context.organisationId,
    integrationId: world.context.integrationId ?? '',
    referenceId: 'A-1',
  };
}

/** Resolves once a statement in this database waits for a lock. */
async function somebodyWaits(): Promise<void> {
  for (let waits = false; !waits; ) {
    const { rows } = await sql<{ waits: boolean }>`
      select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(
      world.database.db,
    );
    waits = rows[0]?.waits === true;
  }
}

describe('updates', () => {
  it('merges several pending changes of one order into one request, the later value winning', async () => {
    await world.change('A-1', { order_status: 'OPEN_PENDING_RETURN' });
    await world.change('A-1', {
      deliveries: [{ reference_id: 'parcel-A-1', physical_shipping_status: 'SHIPPED' }],
    });
    await world.change('A-1', { refunds: [REFUND] });
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    expect(patches()).toEqual([
      {
        status: 200,
        body: {
          order_status: 'CLOSED_COMPLETE',
          deliveries: [
            {
              reference_id: 'parcel-A-1',
              type: 'PHYSICAL',
              physical_shipping_status: 'SHIPPED',
            },
          ],
          refunds: [REFUND],
        },
      },
    ]);
    await expectEqual('A-1');
  });

  it('carries changes of an order that is not there yet in its creation', async () => {
    await world.accept([makeOrder('NEW')]);
    await world.change('NEW', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    expect(patches()).toEqual([]);
    await expectEqual('NEW');
    expect(world.held().get('NEW')).toMatchObject({ order_status: 'CLOSED_COMPLETE' });
  });

  it('sends a change that comes while the order is under way', async () => {
    await world.accept([makeOrder('NEW')]);
    const { create } = world.deps.orders;
    const orders = {
      ...world.deps.orders,
      create: async (...args: Parameters<typeof create>) => {
        const answer = await create(...args);
        await world.change('NEW', { refunds: [{ ...REFUND, reference_id: 're_new' }] });
        return answer;
      },
    };
    await world.drain([{ ...world.deps, orders }]);
    await expectEqual('NEW');
    expect(patches()).toHaveLength(1);
  });

  it('sends a change again that was changed while it was under way', async () => {
    const { update } = world.deps.orders;
    let again = true;
    const orders = {
      ...world.deps.orders,
      update: async (...args: Parameters<typeof update>) => {
        const answer = await update(...args);
        if (again) {
          again = false;
          await world.change('A-1', { order_status: 'CLOSED_CANCELLED' });
        }
        return answer;
      },
    };
    await world.change('A-1', { order_status: 'OPEN_PENDING_RETURN' });
    await createFeedUpdater({ ...world.deps, orders }).runOnce();
    expect(await world.pushes()).toMatchObject([{ part: 'order_status', state: 'DUE' }]);
    await createFeedUpdater(world.deps).runOnce();
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_CANCELLED' });
  });

  it('isolates the part that spoils an update; the others go through', async () => {
    world.sandbox.addFault({
      on: 'PATCH /v1/orders/{order_id}',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_VALUE',
      contains: 're_bad',
      times: 50,
    });
    await world.change('A-1', {
      order_status: 'CLOSED_COMPLETE',
      refunds: [REFUND, { ...REFUND, reference_id: 're_bad', amount_in_cents: 7 }],
      disputes: [{ reference_id: 'dp_1', amount_in_cents: 5_000, currency: 'USD' }],
    });
    await world.drain();
    expect(world.held().get('A-1')).toMatchObject({
      order_status: 'CLOSED_COMPLETE',
      refunds: [REFUND],
      disputes: [{ reference_id: 'dp_1' }],
    });
    expect(await world.pushes()).toMatchObject([
      { part: 'refunds/re_bad', state: 'PARKED', error_code: 'VALIDATION_VALUE' },
    ]);
  });

  it('leaves a refused part to a person when the order is read back', async () => {
    world.sandbox.addFault({
      on: 'PATCH /v1/orders/{order_id}',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_VALUE',
    });
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    const refused = patches().length;
    await world.database.db
      .updateTable('order_record')
      .set({ next_attempt_at: new Date(world.clock.nowMs()) })
      .execute();
    await world.drain();
    expect(patches()).toHaveLength(refused);
    expect(await world.pushes()).toMatchObject([{ part: 'order_status', state: 'PARKED' }]);
    expect((await world.row('A-1')).next_attempt_at).toBeNull();
  });

  it('forgets a refused part that the service turns out to hold', async () => {
    world.sandbox.addFault({
      on: 'PATCH /v1/orders/{order_id}',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_VALUE',
    });
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    const { order_id } = await world.row('A-1');
    const stored = world.sandbox.state.orders.get(order_id ?? '');
    Object.assign(stored!.fields, { order_status: 'CLOSED_COMPLETE' });
    await world.database.db
      .updateTable('order_record')
      .set({ next_attempt_at: new Date(world.clock.nowMs()) })
      .execute();
    await world.drain();
    expect(await world.pushes()).toEqual([]);
  });

  it('does not refuse an order by the answer to an older version of it', async () => {
    await world.accept([makeOrder('NEW', { integration_id: 'int_of_somebody_else' })]);
    const { create } = world.deps.orders;
    const orders = {
      ...world.deps.orders,
      create: async (...args: Parameters<typeof create>) => {
        const answer = await create(...args);
        await world.change('NEW', { order_status: 'CLOSED_COMPLETE' });
        return answer;
      },
    };
    await createFeedSender({ ...world.deps, orders }).runOnce();
    expect(await world.row('NEW')).toMatchObject({ state: 'WAITING', version: 2 });
    await world.drain();
    expect(await world.row('NEW')).toMatchObject({ state: 'REFUSED', version: 2 });
  });

  it.each(['drop_after', 'drop_before', 'truncated', 'late'] as const)(
    'ends right although the answer to an update is lost (%s)',
    async (kind) => {
      world.sandbox.addFault({ on: 'PATCH /v1/orders/{order_id}', kind, late_ms: 60_000 });
      await world.change('A-1', { order_status: 'OPEN_PENDING_RETURN' });
      await createFeedUpdater(world.deps).runOnce();
      await world.change('A-1', { order_status: 'CLOSED_CANCELLED' });
      // The newer update arrives before the older one takes effect.
      await world.sandbox.advance(2_000);
      await createFeedUpdater(world.deps).runOnce();
      expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_CANCELLED' });
      await world.drain();
      await expectEqual('A-1');
      expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_CANCELLED' });
    },
  );

  it('looks an order up by its reference when its id is gone, and patches it under the new one', async () => {
    const { order_id } = await world.row('A-1');
    const stored = world.sandbox.state.orders.get(order_id ?? '');
    expect(stored).toBeDefined();
    world.sandbox.state.orders.delete(order_id ?? '');
    const moved = { ...stored!, id: 'ord_moved' };
    world.sandbox.state.orders.set('ord_moved', moved);
    world.sandbox.state.orderByReference.set(
      `${moved.integration_id} ${moved.reference_id}`,
      'ord_moved',
    );
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    expect((await world.row('A-1')).order_id).toBe('ord_moved');
    expect(patches().map(({ status }) => status)).toEqual([404, 200]);
    await expectEqual('A-1');
    expect(world.sandbox.state.orders.size).toBe(2);
  });

  it.each([
    ['an order', false],
    ['an erased order', true],
  ])(
    'is tried ever more rarely where the service shows %s and does not find it, and a person is told',
    async (_which, isErased) => {
      if (isErased) {
        await sql`update order_record set erased_at = ${START}`.execute(world.database.db);
      }
      world.sandbox.addFault({
        on: 'PATCH /v1/orders/{order_id}',
        kind: 'status',
        status: 404,
        times: 9,
      });
      await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
      const updater = createFeedUpdater({ ...world.deps, random: () => 0.999 });
      for (let second = 0; second < 600; second += 1) {
        await updater.runOnce();
        await world.sandbox.advance(1_000);
      }
      // After 2, 4, 8 … 256 seconds, each a second or two late.
      expect(patches().map(({ status }) => status)).toEqual(Array(9).fill(404));
      const told = await world.database.db.selectFrom('notification').select('text').execute();
      expect(told).toMatchObject([{ text: expect.stringContaining('order A-1') }]);
      await world.drain();
      await expectEqual('A-1');
    },
  );
});

/** The service's answers are as old as their reading: what changed meanwhile is newer. */
describe('a change while an answer is under way', () => {
  const statusIs = (status: string) => world.change('A-1', { order_status: status });
  const push = (): Promise<unknown> => pushParts(world.deps, keyOfA1());
  const check = (during: () => Promise<unknown>): Promise<unknown> => {
    const { orders } = world.deps;
    const findByReferenceId: typeof orders.findByReferenceId = async (...args) => {
      const read = await orders.findByReferenceId(...args);
      await during();
      return read;
    };
    return checkOrder({ ...world.deps, orders: { ...orders, findByReferenceId } }, keyOfA1());
  };

  it('there and back again is not taken for no change', async () => {
    await check(async () => {
      await statusIs('CLOSED_CANCELLED');
      await push();
      await statusIs('OPEN_PENDING');
    });
    await world.drain();
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'OPEN_PENDING' });
    await expectEqual('A-1');
  });

  it('there and back again, marked before the reading began', async () => {
    await statusIs('CLOSED_COMPLETE');
    await statusIs('OPEN_PENDING');
    await check(async () => {
      await statusIs('CLOSED_CANCELLED');
      await push();
      await statusIs('OPEN_PENDING');
    });
    await world.drain();
    await expectEqual('A-1');
  });

  it('whose update got no answer is read back later all the same', async () => {
    world.sandbox.addFault({ on: 'PATCH /v1/orders/{order_id}', kind: 'drop_after' });
    await check(async () => {
      await statusIs('CLOSED_CANCELLED');
      await push();
    });
    const { next_attempt_at } = await world.row('A-1');
    expect(next_attempt_at?.getTime()).toBeGreaterThan(world.clock.nowMs());
  });

  it('is not cleared by the end of an update that was sent before it', async () => {
    await statusIs('CLOSED_COMPLETE');
    const { orders } = world.deps;
    const update: typeof orders.update = async (...args) => {
      const answer = await orders.update(...args);
      // Read back before the update's answer is written down: its mark is gone, the next is another.
      await check(async () => undefined);
      await statusIs('CLOSED_CANCELLED');
      return answer;
    };
    await pushParts({ ...world.deps, orders: { ...orders, update } }, keyOfA1());
    await world.drain();
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_CANCELLED' });
    await expectEqual('A-1');
  });

  it('is not parked by the refusal of an update that was sent before it', async () => {
    world.sandbox.addFault({
      on: 'PATCH /v1/orders/{order_id}',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_VALUE',
    });
    await statusIs('CLOSED_COMPLETE');
    const { orders } = world.deps;
    const update: typeof orders.update = async (...args) => {
      await statusIs('OPEN_PENDING');
      await check(async () => undefined);
      await statusIs('CLOSED_CANCELLED');
      return await orders.update(...args);
    };
    await pushParts({ ...world.deps, orders: { ...orders, update } }, keyOfA1());
    await world.drain();
    expect(world.held().get('A-1')).toMatchObject({ order_status: 'CLOSED_CANCELLED' });
    await expectEqual('A-1');
  });
});

describe('what the saga knows', () => {
  it('reaches the feed within a minute, with its moment, ahead of 300 updates', async () => {
    const many = Array.from({ length: 300 }, (_, index) => makeOrder(`M-${index}`));
    await world.accept(many);
    await world.drain();
    for (const { reference_id } of many) {
      await world.change(reference_id, { order_status: 'CLOSED_COMPLETE' });
    }
    const updater = createFeedUpdater(world.deps);
    await updater.runOnce();
    const startMs = world.clock.nowMs();
    expect(await sagaRefund('ch-A-2', 're_saga')).toMatchObject({ kind: 'changed' });
    const before = world.calls.length;
    await updater.runOnce();
    const sent = world.calls
      .slice(before)
      .find(({ body }) => JSON.stringify(body ?? '').includes('re_saga'));
    expect(sent?.body).toEqual({
      refunds: [
        {
          reference_id: 're_saga',
          amount_in_cents: 5_000,
          currency: 'USD',
          status: 'SUCCEEDED',
          original_transaction_reference_id: 'ch-A-2',
          refund_datetime: START,
        },
      ],
    });
    expect((sent?.atMs ?? Number.POSITIVE_INFINITY) - startMs).toBeLessThan(60_000);
  });

  it('is not repeated when the merchant reports the same refund under another name', async () => {
    await sagaRefund('ch-A-1', 're_saga', 12_990);
    await world.drain();
    const reported = await world.change('A-1', {
      refunds: [{ ...REFUND, reference_id: 'credit-note-9', amount_in_cents: 12_990 }],
    });
    expect(reported).toMatchObject({ kind: 'unchanged' });
    await world.drain();
    expect(world.held().get('A-1')?.['refunds']).toMatchObject([{ reference_id: 're_saga' }]);
  });

  it('recognises a refund that the merchant reported first', async () => {
    await world.change('A-1', {
      refunds: [{ ...REFUND, reference_id: 'credit-note-9', amount_in_cents: 12_990 }],
    });
    expect(await sagaRefund('ch-A-1', 're_saga', 12_990)).toMatchObject({ kind: 'unchanged' });
    await world.drain();
    expect(world.held().get('A-1')?.['refunds']).toMatchObject([{ reference_id: 'credit-note-9' }]);
  });

  it('recognises a refund that the merchant is reporting at the same moment', async () => {
    const { db } = world.database;
    const reporting = await db.transaction().execute(async (trx) => {
      const refund = { ...REFUND, reference_id: 'credit-note-9', amount_in_cents: 12_990 };
      await changeOrder(trx, {
        order: keyOfA1(),
        change: { refunds: [refund] },
        source: 'merchant',
        now: new Date(world.clock.nowMs()),
      });
      const saga = sagaRefund('ch-A-1', 're_saga', 12_990);
      await somebodyWaits();
      return { saga };
    });
    expect(await reporting.saga).toMatchObject({ kind: 'unchanged' });
    await world.drain();
    expect(world.held().get('A-1')?.['refunds']).toMatchObject([{ reference_id: 'credit-note-9' }]);
  });

  it('keeps two equal partial refunds of different hours apart', async () => {
    await sagaRefund('ch-A-1', 're_saga', 2_000);
    await world.change('A-1', {
      refunds: [
        {
          ...REFUND,
          reference_id: 'goodwill',
          amount_in_cents: 2_000,
          refund_datetime: '2026-11-21T09:00:01Z',
        },
      ],
    });
    await world.drain();
    expect(world.held().get('A-1')?.['refunds']).toHaveLength(2);
  });

  it('says so when a charge belongs to no order', async () => {
    expect(await sagaRefund('ch-nobody', 're_saga')).toEqual({ kind: 'no_order' });
  });

  it('reports a dispute once', async () => {
    const report = () =>
      world.database.db.transaction().execute((trx) =>
        recordDisputeInFeed(trx, {
          organisationId: world.context.organisationId,
          chargeReference: 'ch-A-1',
          now: new Date(world.clock.nowMs()),
          dispute: { reference: 'dp_1', amountMinor: 12_990, currency: 'USD' },
        }),
      );
    expect(await report()).toMatchObject({ kind: 'changed' });
    expect(await report()).toMatchObject({ kind: 'unchanged' });
    await world.drain();
    expect(world.held().get('A-1')?.['disputes']).toEqual([
      {
        reference_id: 'dp_1',
        amount_in_cents: 12_990,
        currency: 'USD',
        stage: '1ST_CHARGEBACK',
        status: 'OPEN',
        type: 'CHARGEBACK',
      },
    ]);
  });
});
