/** Guarantee: no number of orders, items or payments is too many for one statement. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ordersWithin } from '../../../src/orders/foreign-transaction.ts';
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

/** As many entries as asked for. */
function many<Entry>(count: number, make: (index: number) => Entry): Entry[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

async function storedItems(): Promise<Set<string>> {
  const rows = await world.database.db
    .selectFrom('order_nested_reference')
    .select('reference')
    .where('kind', '=', 'item')
    .execute();
  return new Set(rows.map(({ reference }) => reference));
}

function withItems(reference: string, count: number): ReturnType<typeof makeOrder> {
  return makeOrder(reference, {
    items: many(count, (index) => ({ reference_id: `${reference}-${index}`, name: 'Lamp' })),
  });
}

/** PostgreSQL takes 65,535 parameters per statement. */
describe('more rows than a statement has parameters', () => {
  it('100 orders of 94 items each', async () => {
    const results = await world.accept(...many(100, (index) => withItems(`A-${index}`, 94)));
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
    const { db } = world.database;
    const items = await db
      .selectFrom('order_nested_reference')
      .select('order_reference')
      .where('kind', '=', 'item')
      .execute();
    expect(items).toHaveLength(9_400);
  });

  it('one order of 1,000 items, and none of more', async () => {
    expect(await world.accept(withItems('A-1', 1_000))).toMatchObject([{ kind: 'accepted' }]);
    expect(await world.accept(withItems('A-2', 1_001))).toEqual([
      {
        kind: 'refused',
        referenceId: 'A-2',
        problems: [{ field: 'items', problem: 'has 1001 entries; 1000 are taken' }],
      },
    ]);
  });

  it('a thousand lines with one reference are named one by one, in time that grows with them', async () => {
    const items = many(1_000, () => ({ reference_id: 'LAMP', name: 'Lamp' }));
    const [result] = await world.accept(makeOrder('A-1', { items }));
    expect(result).toMatchObject({ kind: 'accepted' });
    expect((await storedItems()).size).toBe(1_000);
  });

  it.each([
    ['fields', Object.fromEntries(many(501, (n) => [`f${n}`, 1])), /\d+ fields; 500 are taken/],
    ['values', { x: many(1_000, () => many(100, () => 1)) }, /more than 30000 values/],
    [
      'depth',
      {
        x: many(20, () => 0).reduce<unknown>(
          (inner) => [inner],
          many(900, () => ({})),
        ),
      },
      /nested more than 12 deep/,
    ],
  ])('%s have a bound that is named', async (_what, more, problem) => {
    const [result] = await world.accept(makeOrder('A-1', more));
    expect(result).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(result)).toMatch(problem);
  });

  it('others have their turn while a list is refused', async () => {
    const refused = many(300, () => ({ x: many(1_000, () => ({})) }));
    let turns = 0;
    let isOver = false;
    const counting = (async (): Promise<void> => {
      for (; !isOver; turns += 1) await setImmediate();
    })();
    const results = await world.accept(...refused);
    isOver = true;
    await counting;
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['refused']));
    // It takes 30 ms or more, 2 of them at a time.
    expect(turns).toBeGreaterThan(10);
  });

  it('100 orders of 40 payments each', async () => {
    const [payment] = [makeOrder('A-1')['transactions']].flat();
    const orders = many(100, (order) =>
      makeOrder(`A-${order}`, {
        transactions: many(40, (index) => ({
          ...Object(payment),
          reference_id: `ch-${order}-${index}`,
        })),
      }),
    );
    const results = await world.accept(...orders);
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
    const charges = await world.database.db.selectFrom('charge').select('reference').execute();
    expect(charges).toHaveLength(4_000);
  });

  it('4,000 orders in one transaction of the merchant', async () => {
    const { db } = world.database;
    const orders = many(4_000, (index) => withItems(`A-${index}`, 1));
    const results = await db
      .transaction()
      .execute((trx) => ordersWithin(trx, world.context).accept(orders));
    expect(results.filter(({ kind }) => kind === 'accepted')).toHaveLength(4_000);
    expect(await storedReferences()).toEqual(orders.map(({ reference_id }) => reference_id));
  });

  it('1,000 refunds in one change', async () => {
    await world.accept(makeOrder('A-1'));
    await world.database.db
      .updateTable('order_record')
      .set({ state: 'CREATED', order_id: 'ord_1', next_attempt_at: null })
      .execute();
    const refunds = many(1_000, (index) => ({
      reference_id: `re-${index}`,
      amount_in_cents: 1,
      currency: 'JPY',
    }));
    const change = { referenceId: 'A-1', change: { refunds } };
    expect(await acceptChange(world.context, change)).toMatchObject({ kind: 'changed' });
    const marks = await world.database.db.selectFrom('order_push').select('part').execute();
    expect(marks).toHaveLength(1_000);
  });
});
