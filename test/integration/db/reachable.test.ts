/**
 * Guarantee: a database that is away is said in one sentence with the next step, and nothing is left open;
 * a user with more rights than needed is told of.
 */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/db/connect.ts';
import { warnOfSuperuser } from '../../../src/db/database-user.ts';
import { requireReachable } from '../../../src/db/reachable.ts';
import { DatabaseError } from '../../../src/kernel/errors.ts';
import { createLog } from '../../../src/kernel/log.ts';
import { createTestDatabase } from '../../support/database.ts';

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
