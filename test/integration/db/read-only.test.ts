/**
 * Guarantee: a database that takes no writes is never worked on or read from; it is said with the next step,
 * and once it takes writes everything continues by itself.
 */
import type pg from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { requireReachable } from '../../../src/base/db/reachable.ts';
import { ReadOnlyDatabaseError } from '../../../src/base/db/writable.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { reachDatabase } from '../../../src/people/doctor/reach-database.ts';
import { readiness } from '../../../src/running/roles/readiness.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createWorld } from '../../support/world.ts';

const STEP = /[Ll]et DATABASE_URL lead to the primary, or promote the standby/;

let database: TestDatabase;
const open: OpenDatabase[] = [];

beforeEach(async () => {
  database = await createTestDatabase({ maxConnections: 1 });
});

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  await database.drop();
});

function another(): OpenDatabase {
  const log = createLog({ level: 'silent' });
  const opened = openDatabase({ connectionString: database.connectionString, log });
  open.push(opened);
  return opened;
}

/** For connections made from now on, as a standby is for all. */
async function setReadOnly({ name, pool }: TestDatabase, mode: 'on' | 'off'): Promise<void> {
  await pool.query('set transaction_read_only = off');
  await pool.query(`alter database ${name} set default_transaction_read_only = ${mode}`);
}

it('is refused by a new connection, and taken once it takes writes', async () => {
  const { pool } = another();
  await setReadOnly(database, 'on');
  await expect(pool.query('select 1')).rejects.toThrow(ReadOnlyDatabaseError);
  await expect(pool.query('select 1')).rejects.toThrow(STEP);
  await setReadOnly(database, 'off');
  expect((await pool.query('select 1')).rowCount).toBe(1);
});

it('is said at a start', async () => {
  await setReadOnly(database, 'on');
  const asked = requireReachable(another());
  await expect(asked).rejects.toThrow(ReadOnlyDatabaseError);
  await expect(asked).rejects.toThrow(STEP);
});

it('is said by the doctor', async () => {
  await setReadOnly(database, 'on');
  expect(await reachDatabase(another())).toEqual({
    problem: 'it answers and is read-only',
    nextStep: expect.stringMatching(STEP),
  });
});

it('does not keep a connection that it became read-only under', async () => {
  const { db, pool } = database;
  const add = (name: string): Promise<unknown> =>
    db
      .insertInto('fact')
      .values({ organisation_id: 'org_1', name: name as never, value: '1', changed_at: new Date() })
      .execute();
  await pool.query('set default_transaction_read_only = on');
  await expect(add('one')).rejects.toMatchObject({ code: '25006' });
  await add('two');
  await pool.query('set default_transaction_read_only = on');
  const inTransaction = db.transaction().execute((trx) => trx.deleteFrom('fact').execute());
  await expect(inTransaction).rejects.toMatchObject({ code: '25006' });
  expect(await db.selectFrom('fact').select('name').execute()).toEqual([{ name: 'two' }]);
  await add('three');
});

it('makes readiness red also on connections that it became read-only under', async () => {
  const world = await createWorld();
  const { database: parts } = world.parts;
  await world.drain();
  expect((await readiness(world.parts)).checks).toMatchObject({ database: 'ok' });
  // What a change of the server's settings does to every session that stands.
  const sessions = await holdAll(parts.pool);
  for (const session of sessions) await session.query('set default_transaction_read_only = on');
  for (const session of sessions) session.release();
  expect(await readiness(world.parts)).toMatchObject({
    ok: false,
    checks: { database: expect.stringMatching(STEP) },
  });
  for (const session of await holdAll(parts.pool)) {
    await session.query('set default_transaction_read_only = off');
    session.release();
  }
  expect((await readiness(world.parts)).checks).toMatchObject({ database: 'ok' });
  await world.close();
});

/** Every connection that the pool has. */
async function holdAll(pool: OpenDatabase['pool']): Promise<pg.PoolClient[]> {
  return await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
}

it('makes readiness red, with the next step, also where a worker was alive a moment ago', async () => {
  const world = await createWorld();
  const { name, pool } = world.database;
  const cut = (): Promise<unknown> =>
    pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    );
  await world.drain();
  expect((await readiness(world.parts)).checks).toMatchObject({ database: 'ok' });
  await pool.query(`alter database ${name} set default_transaction_read_only = on`);
  await cut();
  // The first look may still meet a connection that was just cut.
  await vi.waitFor(async () => {
    expect(await readiness(world.parts)).toMatchObject({
      ok: false,
      checks: {
        database: expect.stringMatching(/^read-only\. Let DATABASE_URL lead to the primary/),
      },
    });
  }, 20_000);
  await pool.query('set transaction_read_only = off');
  await pool.query(`alter database ${name} set default_transaction_read_only = off`);
  expect((await readiness(world.parts)).checks).toMatchObject({ database: 'ok' });
  await world.close();
});
