/** Guarantee: a database that is away is said in one sentence with the next step, and nothing is left open. */
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/db/connect.ts';
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

it('takes one that answers, and leaves it open', async () => {
  const database = await createTestDatabase();
  await requireReachable(database);
  expect(database.pool.ended).toBe(false);
  await database.drop();
});
