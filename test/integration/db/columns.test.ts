/** Guarantee: a row that was read by the list of its columns is whole. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_COLUMNS } from '../../../src/alerts/apply/entity.table.ts';
import { CASE_COLUMNS } from '../../../src/alerts/cases/case.table.ts';
import { DECLARATION_COLUMNS } from '../../../src/alerts/declare/declaration.table.ts';
import { BREAKER_COLUMNS } from '../../../src/alerts/guard/guard.table.ts';
import { ACCOUNT_COLUMNS, MOVEMENT_COLUMNS } from '../../../src/alerts/ledger/ledger.table.ts';
import { columnsOf } from '../../../src/base/db/columns.ts';
import { CHARGE_COLUMNS } from '../../../src/orders/charge.table.ts';
import { ORDER_COLUMNS } from '../../../src/orders/order.table.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
});

const LISTS: readonly (readonly [table: string, names: readonly string[]])[] = [
  ['alert', ALERT_COLUMNS.names],
  ['alert_case', CASE_COLUMNS.names],
  ['charge', CHARGE_COLUMNS.names],
  ['charge_account', ACCOUNT_COLUMNS.names],
  ['declaration', DECLARATION_COLUMNS.names],
  ['movement', MOVEMENT_COLUMNS.names],
  ['order_record', ORDER_COLUMNS.names],
  ['refund_breaker', BREAKER_COLUMNS.names],
];

describe('the columns', () => {
  it.each(LISTS)('of %s are in the table', async (table, names) => {
    const { rows } = await sql<{ column_name: string }>`
      select column_name from information_schema.columns
      where table_schema = 'forestall' and table_name = ${table}`.execute(database.db);
    // A capability may have a column of its own there, which it reads by itself.
    expect(rows.map(({ column_name: name }) => name)).toEqual(expect.arrayContaining([...names]));
  });

  it('are a list that the compiler refuses when one is missing or not of the table', () => {
    // @ts-expect-error: `b` is missing
    columnsOf<{ a: string; b: number }>()('a');
    // @ts-expect-error: there is no `c`
    columnsOf<{ a: string; b: number }>()('a b c');
    expect(columnsOf<{ a: string; b: number }>()('b', 'a').names).toEqual(['b', 'a']);
  });

  it('are read of what stands in the statement under a name', async () => {
    const columns = columnsOf<{ nextRound: number; id: string }>()('nextRound id');
    const { rows } = await sql`select ${columns.of('m')}
      from (select 2 as "nextRound", 'x' as id, true as other) as m`.execute(database.db);
    expect(rows).toEqual([{ nextRound: 2, id: 'x' }]);
  });
});
