/**
 * Guarantee: where orders are sealed, an order whose reference named its customer opens under its new word, is found by nobody's
 * name, and its charge belongs to it still; a payment of the evidence index goes by the new word too, and the look afterwards
 * reads it.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataKeysOf } from '../../../src/base/db/carried-keys.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { openBodyOf } from '../../../src/orders/sealed-order.ts';
import type { EraseReport } from '../../../src/running/privacy/erase.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const DAY_MS = 86_400_000;
const KEYS = parseDataKeys(
  `k1:${Buffer.alloc(32, 'forestall sealed references').toString('base64')}`,
);

let world: World;
let charge: string;
let order: string;

const erase = (): Promise<EraseReport> =>
  eraseCustomer(world.parts.database.db, {
    organisationId: world.parts.organisationId,
    customerEmail: 'ada@customers.example',
    also: [charge, order],
    actor: 'operator:test',
    now: nowDate(world.clock),
    dryRun: false,
  });

async function storedOrder() {
  const { rows } = await sql<{ integration_id: string; reference_id: string; body: string }>`
    select integration_id, reference_id, body from order_record`.execute(world.database.db);
  expect(rows).toHaveLength(1);
  const [row] = rows;
  if (row === undefined) throw new Error('no order');
  return row;
}

beforeAll(async () => {
  world = await createWorld({ dataKeys: KEYS });
  const sale = await world.sell(PRODUCTS.font);
  charge = sale.charge.reference;
  await world.drain();
  order = (await storedOrder()).reference_id;
  world.sandbox.createAlertFor(charge);
  await world.drain();
  await world.advance(10 * 60_000);
  world.clock.advanceMs(31 * DAY_MS);
});
afterAll(() => world.close());

it('an order that is renamed opens under its new word, and is still the one of its charge', async () => {
  expect(String((await storedOrder()).body)).toMatch(/^sealed:k1:/);
  const evidence = await sql<{ count: number }>`
    select count(*)::int as count from payment_evidence where reference in (${charge}, ${order})`.execute(
    world.database.db,
  );
  expect(evidence.rows[0]?.count).toBeGreaterThan(0);
  const report = await erase();
  expect(report.references.kept).toEqual([]);
  expect(report.references.replaced).toBeGreaterThan(1);
  expect(report.left.rows).toEqual({});
  const row = await storedOrder();
  expect(row.reference_id).toMatch(/^erased-[0-9a-f]{32}$/);
  expect(String(row.body)).toMatch(/^sealed:k1:/);
  const { organisationId } = world.parts;
  const opened: { readonly body: unknown } = openBodyOf(
    dataKeysOf(world.parts.database.db),
    organisationId,
    row as unknown as Parameters<typeof openBodyOf>[2],
  );
  expect(JSON.stringify(opened.body)).not.toContain(order);
  expect(JSON.stringify(opened.body)).not.toContain(charge);
  const { rows } = await sql<{ reference: string; order_reference: string }>`
    select reference, order_reference from charge`.execute(world.database.db);
  expect(rows).toEqual([
    { reference: expect.stringMatching(/^erased-/), order_reference: row.reference_id },
  ]);
});

it('its payment in the evidence index goes by the new word, and one that names somebody is told by the look', async () => {
  const { db } = world.database;
  const before = await sql<{ reference: string }>`select reference from payment_evidence`.execute(
    db,
  );
  expect(before.rows.length).toBeGreaterThan(0);
  expect(before.rows.filter(({ reference }) => [charge, order].includes(reference))).toEqual([]);
  // As a defect would leave it.
  await sql`update payment_evidence set reference = 'ada@customers.example'`.execute(db);
  const { left } = await erase();
  expect(left.rows).toMatchObject({ 'payment_evidence.reference': before.rows.length });
  await sql`update payment_evidence set reference = ${before.rows[0]?.reference ?? ''}`.execute(db);
  expect((await erase()).left.rows).toEqual({});
});

it('a later alert about the charge that was erased is held for a person, and nothing is refunded again', async () => {
  const { organisationId } = world.parts;
  const alert = world.sandbox.createAlertFor(charge);
  await world.drain();
  for (let quarter = 0; quarter < 4; quarter += 1) await world.advance(15 * 60_000);
  const row = await world.database.db
    .selectFrom('alert_case')
    .select(['state', 'hold_reason'])
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alert.id)
    .executeTakeFirstOrThrow();
  expect(row).toEqual({ state: 'HUMAN', hold_reason: 'dispute_unclear' });
  expect(world.sandbox.moneyOut(charge).count).toBe(1);
});
