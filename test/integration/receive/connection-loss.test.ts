/**
 * Guarantee: a database connection that breaks between two statements of a transaction fails that
 * transaction and not the process (F02).
 */

import { sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { createTestDatabase } from '../../support/database.ts';

it('the process lives, the transaction fails, the next one works', async () => {
  const database = await createTestDatabase();
  const killer = new pg.Client({ connectionString: database.connectionString });
  await killer.connect();
  const broken = inTransaction(database.db, async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
    await killer.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    // Until the client has noticed: its socket is closed by then.
    await sql`select 1`.execute(trx).catch(() => undefined);
    await sql`select 2`.execute(trx);
  });
  await expect(broken).rejects.toThrow();
  const { rows } = await sql`select 3 as three`.execute(database.db);
  expect(rows).toEqual([{ three: 3 }]);
  await killer.end();
  await database.drop();
});
