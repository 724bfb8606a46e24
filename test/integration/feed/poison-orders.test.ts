/** Guarantee: an order that cannot be stored is refused and named, and its neighbours are stored. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ordersWithin } from '../../../src/orders/foreign-transaction.ts';
import { importOrders } from '../../../src/orders/import/import-orders.ts';
import { acceptChange } from '../../../src/orders/order-changes.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, makeOrder } from './support.ts';

let world: IntakeWorld;
beforeEach(async () => {
  world = await createIntakeWorld();
});
afterEach(() => world.database.drop());

async function storedReferences(): Promise<string[]> {
  const { db } = world.database;
  const rows = await db.selectFrom('order_record').select('reference_id').orderBy('seq').execute();
  return rows.map(({ reference_id }) => reference_id);
}

/** Text that does not compress, so that no index takes it. */
function noise(length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part += 1) {
    text += createHash('sha256').update(String(part)).digest('hex');
  }
  return text.slice(0, length);
}

const LONG = noise(6_000);

const [payment] = [makeOrder('poison')['transactions']].flat();
const withPayment = (fields: Record<string, unknown>) => ({
  transactions: [{ ...Object(payment), ...fields }],
});

const POISON: readonly (readonly [what: string, fields: Record<string, unknown>, field: string])[] =
  [
    ['a reference of 6,000 characters', { reference_id: LONG }, 'reference_id'],
    ['an integration of 6,000', { integration_id: LONG }, 'integration_id'],
    ['an item of 6,000', { items: [{ reference_id: LONG }] }, 'items[0].reference_id'],
    [
      'a delivery of 6,000',
      { deliveries: [{ reference_id: LONG, type: 'DIGITAL' }] },
      'deliveries[0].reference_id',
    ],
    [
      'a refund of 6,000',
      { refunds: [{ reference_id: LONG, amount_in_cents: 1, currency: 'JPY' }] },
      'refunds[0].reference_id',
    ],
    ['a payment of 6,000', withPayment({ reference_id: LONG }), 'transactions[0].reference_id'],
    [
      'an ARN of 6,000',
      withPayment({ acquirer_reference_number: LONG }),
      'transactions[0].acquirer_reference_number',
    ],
    [
      'an authorisation code of 6,000',
      withPayment({ authorisation_code: LONG }),
      'transactions[0].authorisation_code',
    ],
    [
      'the year 0000',
      withPayment({ authorised_at: '0000-01-01' }),
      'transactions[0].authorised_at',
    ],
    [
      'a moment that is in the year 0000 by UTC',
      withPayment({ settlement_datetime: '0001-01-01T00:00:00+14:00' }),
      'transactions[0].settlement_datetime',
    ],
    [
      'a moment that is in the year 10000 by UTC',
      withPayment({ authorised_at: '9999-12-31T23:59:59-14:00' }),
      'transactions[0].authorised_at',
    ],
    ['a NUL in the name of a field', { 'a\u0000b': 1 }, '(order)'],
    [
      'half a surrogate pair in the name of a field',
      { order_proof_of_consent: [{ '\ud800': 1 }] },
      'order_proof_of_consent[0]',
    ],
  ];

describe('an order with', () => {
  it.each(POISON)('%s is refused alone', async (_what, fields, field) => {
    const results = await world.accept(
      makeOrder('A-1'),
      makeOrder('poison', fields),
      makeOrder('A-2'),
    );
    expect(results).toMatchObject([
      { kind: 'accepted' },
      { kind: 'refused', problems: [{ field }] },
      { kind: 'accepted' },
    ]);
    expect(await storedReferences()).toEqual(['A-1', 'A-2']);
  });
});

describe('the bounds', () => {
  it('let the longest references pass, on every row they stand in', async () => {
    const own = noise(255);
    const nested = (mark: string) => `${mark}${noise(299)}`;
    const order = makeOrder(own, {
      integration_id: noise(255),
      ...withPayment({ reference_id: nested('t') }),
      items: [{ reference_id: nested('i'), sku: nested('i') }],
      deliveries: [{ reference_id: nested('d'), type: 'DIGITAL' }],
      subscriptions: [{ reference_id: nested('s') }],
    });
    expect(await world.accept(order)).toMatchObject([{ kind: 'accepted' }]);
    await world.database.db
      .updateTable('order_record')
      .set({ state: 'CREATED', order_id: 'ord_1', next_attempt_at: null })
      .execute();
    const change = {
      refunds: [{ reference_id: nested('r'), amount_in_cents: 1, currency: 'JPY' }],
      deliveries: [{ reference_id: nested('d'), physical_shipping_status: 'SHIPPED' }],
    };
    const request = { referenceId: own, integrationId: noise(255), change };
    expect(await acceptChange(world.context, request)).toMatchObject({ kind: 'changed' });
  });

  it('count bytes, as the index does', async () => {
    expect(await world.accept(makeOrder('😀'.repeat(63)))).toMatchObject([{ kind: 'accepted' }]);
    expect(await world.accept(makeOrder('😀'.repeat(64)))).toMatchObject([{ kind: 'refused' }]);
  });

  it('let the first and the last moment pass', async () => {
    const results = await world.accept(
      makeOrder('A-1', withPayment({ authorised_at: '0001-01-01' })),
      makeOrder('A-2', withPayment({ authorised_at: '9999-12-31T23:59:59Z' })),
    );
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  });

  it('hold for changes as well', async () => {
    await world.accept(makeOrder('A-1'));
    const change = { refunds: [{ reference_id: LONG, amount_in_cents: 1, currency: 'JPY' }] };
    const result = await acceptChange(world.context, { referenceId: 'A-1', change });
    expect(result).toMatchObject({
      kind: 'refused',
      problems: [{ field: 'refunds[0].reference_id' }],
    });
  });
});

/** Whatever the bounds did not think of. */
describe('an order that the database refuses', () => {
  beforeEach(async () => {
    await sql
      .raw(
        `create function refuse() returns trigger language plpgsql as $$
           begin
             if new.reference_id like 'poison%' then
               raise exception 'no % today', new.reference_id using errcode = 'data_exception';
             end if;
             return new;
           end $$;
         create trigger refuse before insert or update on order_record
           for each row execute function refuse()`,
      )
      .execute(world.database.db);
  });

  const orders = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      makeOrder(index % 50 === 17 ? `poison-${index}` : `A-${index}`),
    );

  it('is refused alone, and what the database said is not quoted', async () => {
    const results = await world.accept(...orders(120));
    const refused = results.flatMap((result, index) => (result.kind === 'refused' ? [index] : []));
    expect(refused).toEqual([17, 67, 117]);
    expect(results[17]).toMatchObject({
      referenceId: 'poison-17',
      problems: [{ field: '(order)', problem: expect.stringContaining('22000') }],
    });
    expect(JSON.stringify(results)).not.toContain('today');
    expect(await storedReferences()).toHaveLength(117);
  });

  it('leaves the transaction of the merchant usable', async () => {
    const { db } = world.database;
    const results = await db.transaction().execute(async (trx) => {
      const recorded = await ordersWithin(trx, world.context).accept(orders(20));
      await sql`create table shop_order as select 1 as id`.execute(trx);
      return recorded;
    });
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(19);
    expect(await storedReferences()).toHaveLength(19);
    expect((await sql`select id from shop_order`.execute(db)).rows).toEqual([{ id: 1 }]);
  });

  it('is a reject of an import, by line, and the import ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forestall-poison-'));
    try {
      const path = join(folder, 'orders.ndjson');
      await writeFile(
        path,
        orders(300)
          .map((order) => JSON.stringify(order))
          .join('\n'),
      );
      expect(await importOrders(world.context, { path })).toMatchObject({
        accepted: 294,
        rejected: 6,
        linesDone: 300,
        finished: true,
      });
      const rejects = (await readFile(`${path}.rejects.ndjson`, 'utf8')).trim().split('\n');
      expect(rejects.map((line) => JSON.parse(line))).toMatchObject(
        [18, 68, 118, 168, 218, 268].map((line) => ({ line, reference_id: `poison-${line - 1}` })),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is stored with its neighbours once the database takes it', async () => {
    await world.accept(...orders(20));
    await sql`drop trigger refuse on order_record`.execute(world.database.db);
    const results = await world.accept(...orders(20));
    expect(results.filter(({ kind }) => kind === 'unchanged')).toHaveLength(19);
    expect(results[17]).toMatchObject({ kind: 'accepted' });
  });

  it('keeps the order of its references: a repeat in the same batch meets the first', async () => {
    const repeat = { ...makeOrder('A-1'), order_number: 'other' };
    const results = await world.accept(makeOrder('A-1'), makeOrder('poison'), repeat);
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'refused', 'differs']);
  });
});

it('a database that refuses everything is no fault of an order', async () => {
  await sql`alter table order_record rename to elsewhere`.execute(world.database.db);
  await expect(world.accept(makeOrder('A-1'), makeOrder('A-2'))).rejects.toMatchObject({
    code: '42P01',
  });
});
