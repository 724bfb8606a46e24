/** Guarantee: after an erasure the service's copy of an order is neither overwritten nor called different, and money still arrives. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleOrders } from '../../src/alerts/reconcile/order-sample.store.ts';
import { replayOrders } from '../../src/orders/replay.ts';
import { recordRefundInFeed } from '../../src/orders/saga-report.ts';
import { eraseCustomer } from '../../src/running/privacy/erase.ts';
import type { FeedWorld } from './feed-support.ts';
import { createFeedWorld, makeOrder } from './feed-support.ts';

const ADA = 'ada@customers.example';

let world: FeedWorld;
beforeEach(async () => {
  world = await createFeedWorld();
});
afterEach(() => world.close());

const now = (): Date => new Date(world.clock.nowMs());

function orderOfAda(reference: string, fields: Record<string, unknown> = {}) {
  return makeOrder(reference, {
    customer_email: ADA,
    order_email: ADA,
    customer_first_name: 'Ada',
    order_communications: ['Dear Ada'],
    deliveries: [
      {
        reference_id: `parcel-${reference}`,
        type: 'PHYSICAL',
        physical_shipping_tracking_number: 'TRACK-OF-ADA',
        physical_shipping_address: { line_1: '12 Ada Lane' },
      },
    ],
    ...fields,
  });
}

function erase() {
  const { organisationId } = world.context;
  return eraseCustomer(world.database.db, {
    organisationId,
    customerEmail: ADA,
    actor: 'operator:test',
    now: now(),
    dryRun: false,
  });
}

function replay(selection: Parameters<typeof replayOrders>[1]['selection']) {
  const { organisationId } = world.context;
  const actor = 'operator:test';
  const request = { organisationId, selection, now: now(), actor, dryRun: false };
  return replayOrders(world.database.db, request);
}

/** Everything the sandbox was told. */
function said(): string {
  return JSON.stringify(world.calls.map(({ body }) => body ?? null));
}

async function messages(): Promise<string[]> {
  const rows = await world.database.db.selectFrom('notification').select('kind').execute();
  return rows.map(({ kind }) => kind);
}

/** The order as the service holds it, with everything that names the customer. */
async function createdThenErased(): Promise<Record<string, unknown> | undefined> {
  await world.accept([orderOfAda('A-1')]);
  await world.drain();
  const before = structuredClone(world.held().get('A-1'));
  await erase();
  world.calls.length = 0;
  return before;
}

describe('an erased order', () => {
  it('is not sampled for a comparison, its neighbour is', async () => {
    await world.accept([makeOrder('B-1')]);
    await createdThenErased();
    const { organisationId } = world.context;
    const sample = { organisationId, count: 5, now: now(), random: 0 };
    expect(await sampleOrders(world.database.db, sample)).toBe(1);
    expect((await world.row('A-1')).next_attempt_at).toBeNull();
  });

  it('erased by the version before is not sampled either', async () => {
    await createdThenErased();
    await world.database.db.updateTable('order_record').set({ erased_at: null }).execute();
    const { organisationId } = world.context;
    const sample = { organisationId, count: 5, now: now(), random: 0 };
    expect(await sampleOrders(world.database.db, sample)).toBe(0);
    expect(await replay({ kind: 'one', referenceId: 'A-1' })).toMatchObject({
      readBack: 0,
      erased: 1,
    });
  });

  it('that was to be read back when it was erased is left alone, without an alarm', async () => {
    await world.accept([orderOfAda('A-1')]);
    await world.drain();
    const before = structuredClone(world.held().get('A-1'));
    await world.database.db.updateTable('order_record').set({ next_attempt_at: now() }).execute();
    await erase();
    await world.drain();
    expect(world.held().get('A-1')).toEqual(before);
    expect(await world.row('A-1')).toMatchObject({ state: 'CREATED', difference: null });
    expect(await world.pushes()).toEqual([]);
    expect(await messages()).not.toContain('order_differs');
    expect(said()).not.toContain('[erased]');
  });

  it('is not read back by a replay, which says so', async () => {
    const before = await createdThenErased();
    const range = { kind: 'range', from: new Date(0), to: new Date('2100-01-01') } as const;
    expect(await replay(range)).toEqual({
      sentAgain: 0,
      readBack: 0,
      updates: 0,
      held: 0,
      erased: 1,
    });
    await world.drain();
    expect(world.calls).toEqual([]);
    expect(world.held().get('A-1')).toEqual(before);
  });

  it('that was refused is not sent again, unless it is handed in again', async () => {
    await world.accept([orderOfAda('A-1', { integration_id: 'int_x' })]);
    await world.drain();
    await erase();
    world.calls.length = 0;
    expect(await replay({ kind: 'failed' })).toMatchObject({ sentAgain: 0, erased: 1 });
    await world.drain();
    expect(world.calls).toEqual([]);
    const { integrationId } = world.context;
    await world.database.db
      .updateTable('order_record')
      .set({ integration_id: integrationId! })
      .execute();
    expect(await world.accept([orderOfAda('A-1', { order_number: 'again' })])).toMatchObject([
      { kind: 'corrected' },
    ]);
    expect((await world.row('A-1')).erased_at).toBeNull();
    await world.drain();
    expect(world.held().get('A-1')).toMatchObject({ customer_email: ADA });
  });

  it('whose update was refused does not get another try', async () => {
    await world.accept([orderOfAda('A-1')]);
    await world.drain();
    await world.change('A-1', { order_communications: ['Dear Ada, again'] });
    await sql`update order_push set state = 'PARKED', reason = 'said ${sql.raw(ADA)}'`.execute(
      world.database.db,
    );
    await erase();
    expect(await world.pushes()).toEqual([]);
    world.calls.length = 0;
    expect(await replay({ kind: 'failed' })).toMatchObject({ updates: 0 });
    await world.drain();
    expect(world.calls).toEqual([]);
  });

  it('still tells of a refund, and of a delivery without what was erased', async () => {
    await createdThenErased();
    const { organisationId } = world.context;
    const refund = {
      reference: 're-1',
      amountMinor: 12_990,
      currency: 'USD',
      refundedAt: '2026-11-21T08:00:00Z',
    };
    await world.database.db.transaction().execute((trx) =>
      recordRefundInFeed(trx, {
        organisationId,
        chargeReference: 'ch-A-1',
        now: now(),
        refund,
      }),
    );
    await world.change('A-1', {
      deliveries: [{ reference_id: 'parcel-A-1', physical_shipping_status: 'DELIVERED' }],
    });
    await world.drain();
    expect(said()).not.toContain('[erased]');
    expect(world.held().get('A-1')).toMatchObject({
      refunds: [{ reference_id: 're-1', amount_in_cents: 12_990 }],
      deliveries: [
        {
          physical_shipping_status: 'DELIVERED',
          physical_shipping_tracking_number: 'TRACK-OF-ADA',
          physical_shipping_address: { line_1: '12 Ada Lane' },
        },
      ],
    });
    expect(await messages()).not.toContain('order_differs');
  });

  it('that the service has erased as well is not created again', async () => {
    await createdThenErased();
    world.sandbox.state.orders.clear();
    world.sandbox.state.orderByReference.clear();
    await world.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    await world.drain();
    expect(world.calls.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(world.held().size).toBe(0);
    expect(await world.row('A-1')).toMatchObject({ state: 'CREATED', next_attempt_at: null });
    expect(await world.pushes()).toEqual([]);
  });
});

/** Every column but the two that hold the order itself. */
async function namesAda(): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from order_record o where (to_jsonb(o) - 'body' - 'submitted')::text ilike '%ada%')
      or exists (select from order_push p where p::text ilike '%ada%')
      or exists (select from notification n where n::text ilike '%ada%')
      or exists (select from audit a where a::text ilike '%ada%') as found`.execute(
    world.database.db,
  );
  return rows[0]?.found ?? true;
}

describe('the service’s words about a refused order', () => {
  const message = `customer Ada <${ADA}> is blocked`;

  it('do not name the customer in any row beside the order', async () => {
    const orders = {
      ...world.deps.orders,
      create: async () => ({
        created: 0,
        failed: 1,
        results: [],
        errors: [{ index: 0, reference_id: 'A-1', code: 'BLOCKED', message, field: 'order' }],
      }),
    };
    await world.accept([orderOfAda('A-1')]);
    await world.drain([{ ...world.deps, orders }]);
    expect(await world.row('A-1')).toMatchObject({ state: 'REFUSED', error_code: 'BLOCKED' });
    expect(await namesAda()).toBe(false);
  });

  it('stored by the version before are blanked: on the order, on another’s, and on an update', async () => {
    await world.accept([orderOfAda('A-1'), makeOrder('B-1'), makeOrder('C-1')]);
    await world.drain();
    await world.change('C-1', { order_status: 'OTHER' });
    const { db } = world.database;
    const words = `customer <${ADA}> is blocked`;
    await db
      .updateTable('order_record')
      .set({ state: 'REFUSED', reason: words, next_attempt_at: null })
      .where('reference_id', 'in', ['A-1', 'B-1'])
      .execute();
    await db.updateTable('order_push').set({ state: 'PARKED', reason: words }).execute();
    const report = await erase();
    expect(report.rows).toMatchObject({ 'order_record.reason': 2, 'order_push.reason': 1 });
    expect(await namesAda()).toBe(false);
    expect((await world.row('A-1')).reason).toBe('[erased]');
    expect((await world.row('B-1')).reason).toBe('customer <[erased]> is blocked');
  });
});
