/**
 * Guarantee: orders are recorded inside a transaction of Kysely, of `pg`, or behind a function, whatever
 * search path it has; the shop's own statements before and after find the shop's tables, also where the call failed.
 */
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Kysely as Kysely27, PostgresDialect as PostgresDialect27 } from 'kysely-27';
import { Kysely as Kysely28, PostgresDialect as PostgresDialect28 } from 'kysely-28';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ForeignTransaction } from '../../../src/orders/foreign-query.ts';
import { ordersWithin } from '../../../src/orders/foreign-transaction.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, makeOrder } from './support.ts';

interface Shop {
  readonly charge: { readonly id: number; readonly owner: string };
}

let world: IntakeWorld;
let pool: pg.Pool;

beforeAll(async () => {
  world = await createIntakeWorld();
  await world.database.pool.query(`create schema shop;
    create table shop.charge (id int, owner text); insert into shop.charge values (1, 'shop')`);
  pool = new pg.Pool({
    connectionString: world.database.connectionString,
    options: '-c search_path=shop',
  });
});
beforeEach(() =>
  sql`truncate order_record, order_push, order_nested_reference, charge`.execute(world.database.db),
);
afterAll(async () => {
  await pool.end();
  await world.database.drop();
});

const OWNERS = 'select owner from charge';
const SHOPS = [{ owner: 'shop' }];

type Ask = (text: string) => Promise<readonly unknown[]>;
type Use = (transaction: ForeignTransaction, ask: Ask) => Promise<void>;

async function withPg(
  use: Use,
  wrap: (client: pg.PoolClient) => ForeignTransaction,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await use(wrap(client), async (text) => (await client.query(text)).rows);
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** Every way, as its own types have it: none of them needs a cast. */
const WAYS: Readonly<Record<string, (use: Use) => Promise<void>>> = {
  'Kysely 0.27': (use) =>
    new Kysely27<Shop>({ dialect: new PostgresDialect27({ pool }) })
      .transaction()
      .execute((trx) => use(trx, (text) => asked(trx, text))),
  'Kysely 0.28': (use) =>
    new Kysely28<Shop>({ dialect: new PostgresDialect28({ pool }) })
      .transaction()
      .execute((trx) => use(trx, (text) => asked(trx, text))),
  'Kysely of today': (use) =>
    new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) })
      .transaction()
      .execute((trx) => use(trx, async (text) => (await sql.raw(text).execute(trx)).rows)),
  pg: (use) => withPg(use, (client) => client),
  'a function that answers with rows': (use) =>
    withPg(use, (client) => async (text, values) => (await client.query(text, values)).rows),
  'a function that answers with more': (use) =>
    withPg(use, (client) => (text, values) => client.query(text, values)),
};

async function asked(
  trx: { withoutPlugins(): { executeQuery(query: never): Promise<{ readonly rows: unknown[] }> } },
  text: string,
): Promise<readonly unknown[]> {
  const plain = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) });
  return (await trx.withoutPlugins().executeQuery(sql.raw(text).compile(plain) as never)).rows;
}

async function stored(): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from order_record`.execute(world.database.db);
  return rows[0]?.count ?? -1;
}

it.each(Object.entries(WAYS))('through %s, between statements of the shop', async (_name, way) => {
  await way(async (transaction, ask) => {
    expect(await ask(OWNERS)).toEqual(SHOPS);
    const orders = ordersWithin(transaction, world.context);
    expect(await orders.accept([makeOrder('A-1')])).toMatchObject([{ kind: 'accepted' }]);
    expect(await ask(OWNERS)).toEqual(SHOPS);
    const change = { order_status: 'CLOSED_COMPLETE' } as const;
    expect(await orders.change('A-1', change)).toMatchObject({ kind: 'changed' });
    expect(await ask('show search_path')).toEqual([{ search_path: 'shop' }]);
  });
  expect(await stored()).toBe(1);
});

it('a call that fails is undone by a savepoint from before it, and with it what it set', async () => {
  const broken = {
    ...world.context,
    onCharges: async (db: Parameters<typeof world.context.onCharges>[0]): Promise<void> => {
      await sql`select nothing from nowhere`.execute(db);
    },
  };
  await withPg(
    async (transaction, ask) => {
      await ask('savepoint theirs');
      await expect(ordersWithin(transaction, broken).accept([makeOrder('A-1')])).rejects.toThrow();
      await ask('rollback to savepoint theirs');
      expect(await ask(OWNERS)).toEqual(SHOPS);
      await ordersWithin(transaction, world.context).accept([makeOrder('A-2')]);
      expect(await ask(OWNERS)).toEqual(SHOPS);
    },
    (client) => client,
  );
  expect(await stored()).toBe(1);
});

it('a call that fails outside the database leaves the path of the shop without a savepoint', async () => {
  await withPg(
    async (transaction, ask) => {
      const wrong = ordersWithin(transaction, world.context).accept(null as never);
      await expect(wrong).rejects.toThrow(TypeError);
      expect(await ask(OWNERS)).toEqual(SHOPS);
    },
    (client) => client,
  );
});

it('says what is no transaction, and what gives no rows', async () => {
  const handle = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) });
  expect(() => ordersWithin(handle, world.context)).toThrow('inside a transaction');
  const silent = ordersWithin(async () => undefined, world.context);
  await expect(silent.accept([makeOrder('A-1')])).rejects.toThrow('gave no rows');
});
