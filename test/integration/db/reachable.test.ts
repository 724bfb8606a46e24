/**
 * Guarantee: a database that is away is said in one sentence with the next step, and nothing is left open;
 * a server that is too old is refused before anything is touched; a user with more rights than needed is
 * told of.
 */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { warnOfSuperuser } from '../../../src/base/db/database-user.ts';
import { requireReachable } from '../../../src/base/db/reachable.ts';
import { DatabaseError } from '../../../src/base/kernel/errors.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createTestDatabase, overTcp } from '../../support/database.ts';

const log = createLog({ level: 'silent' });

it('refuses a server that is not there, without its password', async () => {
  // Port 9 discards; nothing listens there.
  const connectionString = 'postgres://someone:hidden-password@127.0.0.1:9/none';
  const database = openDatabase({ connectionString, log });
  const asked = requireReachable(database);
  await expect(asked).rejects.toThrow(DatabaseError);
  await expect(asked).rejects.toThrow(/Check DATABASE_URL/);
  await expect(asked).rejects.not.toThrow(/hidden-password/);
  expect(database.pool.ended).toBe(true);
});

it.each([
  ['14.12', 140_012, /PostgreSQL 14, and Forestall needs 15 or later/],
  ['9.6', 90_624, /PostgreSQL 9, and Forestall needs 15 or later/],
])('refuses PostgreSQL %s', async (_version, number, message) => {
  const test = await createTestDatabase();
  await test.pool.query(`alter function pg_catalog.current_setting(text) rename to true_setting;
    create function pg_catalog.current_setting(text) returns text language sql as
      $$ select case when $1 = 'server_version_num' then '${number}' else true_setting($1) end $$`);
  const connectionString = overTcp(test.connectionString).href;
  const database = openDatabase({ connectionString, log });
  await expect(requireReachable(database)).rejects.toThrow(message);
  expect(database.pool.ended).toBe(true);
  await test.drop();
});

it('takes one that answers, leaves it open, and tells of a superuser only', async () => {
  const database = await createTestDatabase();
  await requireReachable(database);
  expect(database.pool.ended).toBe(false);
  const lines: string[] = [];
  const heard = createLog({ destination: { write: (line) => void lines.push(line) } });
  await database.db.connection().execute(async (connection) => {
    await sql`set role pg_monitor`.execute(connection);
    await warnOfSuperuser(connection, heard);
    expect(lines).toEqual([]);
    await sql`reset role`.execute(connection);
    await warnOfSuperuser(connection, heard);
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ level: 'warn' });
  expect(lines[0]).toContain('migrations/roles.sql');
  await database.drop();
});
