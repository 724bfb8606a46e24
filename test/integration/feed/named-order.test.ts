/** Guarantee: the order that carries a transaction is found by an index, however many references the organisation has. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { namedOrder } from '../../../src/orders/order.store.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const ORGANISATION = 'org_shop';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await sql`insert into order_nested_reference
      (organisation_id, integration_id, kind, reference, order_reference, given)
    select ${ORGANISATION}::text, 'int_' || i, 'transaction', 'ch-' || reference, 'order-' || i || '-' || n, ''
    from generate_series(1, 20) as n, generate_series(100, 399) as i,
      lateral (select case when n = 7 and i < 102 then '7' else i || '-' || n end as reference) as r`.execute(
    database.db,
  );
  await sql`analyze order_nested_reference`.execute(database.db);
});
afterAll(async () => {
  await database.drop();
});

it('is that of the first integration that names it', async () => {
  const { rows } = await sql`${namedOrder(ORGANISATION, 'ch-7')}`.execute(database.db);
  expect(rows).toEqual([{ integration_id: 'int_100', order_reference: 'order-100-7' }]);
});

it('is nobody else’s', async () => {
  const { rows } = await sql`${namedOrder('org_other', 'ch-7')}`.execute(database.db);
  expect(rows).toEqual([]);
});

it('is looked up by the reference, not in each integration', async () => {
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain (costs off) ${namedOrder(ORGANISATION, 'ch-7')}`.execute(database.db);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(
    /using order_nested_reference_of_transaction|on order_nested_reference_of_transaction/,
  );
});
