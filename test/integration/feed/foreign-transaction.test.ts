/** Guarantee: an order recorded in the merchant's own transaction is in the feed exactly when that commits. */
import type { Generated } from 'kysely';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ordersWithin } from '../../../src/orders/foreign-transaction.ts';
import { uncheckedOrder } from '../../../src/service/wire/order-input.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, makeOrder } from './support.ts';

interface ShopDatabase {
  shopOrder: { id: Generated<number>; orderName: string };
}

let world: IntakeWorld;
let shop: Kysely<ShopDatabase>;
let pool: pg.Pool;

beforeAll(async () => {
  world = await createIntakeWorld();
  pool = new pg.Pool({ connectionString: world.database.connectionString });
  // A merchant's own way of naming columns must not reach ours.
  shop = new Kysely<ShopDatabase>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin()],
  });
  await sql`create table shop_order (id serial primary key, order_name text not null)`.execute(
    shop,
  );
});
beforeEach(() =>
  sql`truncate shop_order, order_record, order_push, order_nested_reference, charge`.execute(
    world.database.db,
  ),
);
afterAll(async () => {
  await shop.destroy();
  await world.database.drop();
});

async function counts(): Promise<{ shop: number; feed: number; charges: number }> {
  const { rows } = await sql<{ shop: number; feed: number; charges: number }>`
    select (select count(*)::int from shop_order) as shop,
      (select count(*)::int from order_record) as feed, (select count(*)::int from charge) as charges
  `.execute(world.database.db);
  return rows[0]!;
}

it('with Kysely: commit stores both', async () => {
  const results = await shop.transaction().execute(async (trx) => {
    await trx.insertInto('shopOrder').values({ orderName: 'A-1' }).execute();
    const orders = ordersWithin(trx, world.context);
    const stored = await orders.accept([makeOrder('A-1')]);
    await orders.change('A-1', { order_status: 'CLOSED_COMPLETE' });
    return stored;
  });
  expect(results).toMatchObject([{ kind: 'accepted', state: 'WAITING' }]);
  expect(await counts()).toEqual({ shop: 1, feed: 1, charges: 1 });
  const row = await world.database.db
    .selectFrom('order_record')
    .selectAll()
    .executeTakeFirstOrThrow();
  expect(row.body.order_status).toBe('CLOSED_COMPLETE');
});

it('with Kysely: rollback stores neither', async () => {
  await expect(
    shop.transaction().execute(async (trx) => {
      await trx.insertInto('shopOrder').values({ orderName: 'A-1' }).execute();
      await ordersWithin(trx, world.context).accept([makeOrder('A-1')]);
      throw new Error('out of lamps');
    }),
  ).rejects.toThrow('out of lamps');
  expect(await counts()).toEqual({ shop: 0, feed: 0, charges: 0 });
});

it('with Kysely: refuses to work outside a transaction', async () => {
  expect(() => ordersWithin(shop, world.context)).toThrow('inside a transaction');
});

it.each([
  ['commit', { shop: 1, feed: 1, charges: 1 }],
  ['rollback', { shop: 0, feed: 0, charges: 0 }],
])('with pg: %s', async (end, expected) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query("insert into shop_order (order_name) values ('A-1')");
    const orders = ordersWithin(client, world.context);
    const [result] = await orders.accept([makeOrder('A-1')]);
    expect(result).toMatchObject({ kind: 'accepted' });
    const change = { refunds: [{ reference_id: 'r', amount_in_cents: 5_000, currency: 'JPY' }] };
    const changed = await orders.change('A-1', change);
    expect(changed).toMatchObject({ kind: 'changed', parts: ['refunds/r'] });
    await client.query(end);
  } finally {
    client.release();
  }
  expect(await counts()).toEqual(expected);
});

it("a refusal leaves the merchant's transaction whole", async () => {
  await shop.transaction().execute(async (trx) => {
    const [result] = await ordersWithin(trx, world.context).accept([
      uncheckedOrder({ nonsense: true }),
    ]);
    expect(result).toMatchObject({ kind: 'refused' });
    await trx.insertInto('shopOrder').values({ orderName: 'A-1' }).execute();
  });
  expect(await counts()).toMatchObject({ shop: 1, feed: 0 });
});
