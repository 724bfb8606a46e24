/** Guarantee: an order hears of our refund, whichever of the two came first, or a person does. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { ordersWithin } from '../../../src/orders/foreign-transaction.ts';
import { acceptOrders } from '../../../src/orders/intake.ts';
import { readOrder } from '../../../src/orders/order.store.ts';
import type { OrderBody } from '../../../src/orders/order-body.ts';
import { intakeDeps } from '../../../src/running/roles/intake.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';
import { makeOrder } from '../feed/support.ts';

const database = useTestDatabase();

/** The order of the charge that {@link SagaWorld} refunds 50.00 EUR of. */
const PAYMENT = { reference_id: 'ch_1', amount_in_cents: 5_000, currency: 'EUR' };

async function handIn(
  { db, organisationId, clock }: SagaWorld,
  fields: Record<string, unknown> = {},
  client?: pg.Client,
): Promise<void> {
  const deps = intakeDeps({ db, organisationId, integrationId: 'int_shop', clock });
  const order = makeOrder('A-1', { transactions: [PAYMENT], ...fields });
  const results =
    client === undefined
      ? await acceptOrders(deps, [order])
      : await ordersWithin(client, deps).accept([order]);
  expect(results).toMatchObject([{ kind: 'accepted' }]);
}

async function refundsOf({ db, organisationId }: SagaWorld): Promise<OrderBody['refunds']> {
  return (await readOrder(db, organisationId, { referenceId: 'A-1' }))?.body.refunds;
}

async function refund(world: SagaWorld): Promise<string> {
  await world.open({ alertId: 'netalrt_a' });
  await world.settle([world.worker('w1')]);
  const [movement] = await world.movements();
  expect(movement).toMatchObject({ state: 'CONFIRMED', amount_minor: 5_000 });
  return movement?.processor_reference ?? '';
}

it('a refund made before its order was handed in goes along with the order', async () => {
  const world = createSagaWorld(database.db);
  const reference = await refund(world);
  await handIn(world);
  expect(await refundsOf(world)).toMatchObject([
    {
      reference_id: reference,
      amount_in_cents: 5_000,
      currency: 'EUR',
      status: 'SUCCEEDED',
      original_transaction_reference_id: 'ch_1',
      refund_datetime: '2026-03-02T08:00:00.000Z',
    },
  ]);
  expect(await world.notifications('feed_report_failed')).toBe(0);
});

it('also where it is handed in inside a transaction of the merchant’s', async () => {
  const world = createSagaWorld(database.db);
  const reference = await refund(world);
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    await client.query('begin');
    await handIn(world, {}, client);
    await client.query('commit');
  } finally {
    await client.end();
  }
  expect(await refundsOf(world)).toMatchObject([
    {
      reference_id: reference,
      amount_in_cents: 5_000,
      refund_datetime: '2026-03-02T08:00:00.000Z',
    },
  ]);
});

it('and is one with what the order itself says of it', async () => {
  const world = createSagaWorld(database.db);
  await refund(world);
  const own = { ...PAYMENT, reference_id: 'own', original_transaction_reference_id: 'ch_1' };
  await handIn(world, { refunds: [own] });
  expect(await refundsOf(world)).toEqual([expect.objectContaining(own)]);
});

it('an order that has the refund with another amount is told to a person', async () => {
  const world = createSagaWorld(database.db);
  const reference = await refund(world);
  const wrong = { reference_id: reference, amount_in_cents: 50, currency: 'EUR' };
  await handIn(world, { refunds: [wrong] });
  expect(await refundsOf(world)).toEqual([wrong]);
  expect(await world.notifications('feed_report_failed')).toBe(1);
});
