/**
 * Guarantee: behind PgBouncer a connection is given up when the pooler falls silent, and not because its
 * sessions are all taken; a server that takes no writes is refused; and looking for work says nothing about
 * the database being back.
 */
import type { TestContext } from 'vitest';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { ReadOnlyDatabaseError } from '../../src/base/db/writable.ts';
import { DATABASE_BACK, LOOK, startWakeBus } from '../../src/base/jobs/wake.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { openProxy } from '../faults/rig/proxy.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase, overTcp } from '../support/database.ts';
import type { Pgbouncer } from '../support/pgbouncer.ts';
import { HAS_PGBOUNCER, PGBOUNCER_NOTE, startPgbouncer } from '../support/pgbouncer.ts';

const log = createLog({ level: 'silent' });
const server = overTcp(inject('postgresUrl')).href;

/** Two new connections of 4 s without an answer, 3 s after the first look: far below the 31 s of a statement's own limit. */
const NOTICED_MS = 20_000;

describe.skipIf(!HAS_PGBOUNCER).concurrent(`connections to PgBouncer${PGBOUNCER_NOTE}`, () => {
  let database: TestDatabase;
  let bouncer: Pgbouncer;
  let url: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    bouncer = await startPgbouncer({
      server,
      mode: 'transaction',
      lines: ['default_pool_size = 1'],
    });
    url = bouncer.urlOf(database.name);
  });
  afterAll(async () => {
    await bouncer.stop();
    await database.drop();
  });

  function open({ onTestFinished }: TestContext, connectionString: string): OpenDatabase {
    const opened = openDatabase({ connectionString, log });
    onTestFinished(() => opened.close());
    return opened;
  }

  it('waits for a statement while there is no session left in which to ask about it', async (context) => {
    // A pool of the pooler is one database's: the tests beside it have another.
    const own = await createTestDatabase();
    context.onTestFinished(() => own.drop());
    const { pool } = open(context, bouncer.urlOf(own.name));
    await pool.query('select 1');
    const answer = await pool.query<{ done: boolean }>('select pg_sleep(10) is not null as done');
    expect(answer.rows).toEqual([{ done: true }]);
  });

  it('gives up a pooler that has fallen silent', async (context) => {
    const straight = new URL(url);
    const port = Number(straight.port);
    const proxy = await openProxy(() => port);
    straight.port = String(proxy.port);
    const { pool } = open(context, straight.href);
    await pool.query('select 1');
    proxy.setMode('stall');
    const startedMs = performance.now();
    await expect(pool.query('select 1')).rejects.toThrow(/terminated/);
    expect(performance.now() - startedMs).toBeLessThan(NOTICED_MS);
    await proxy.close();
  });

  it('refuses a server that takes no writes', async (context) => {
    const other = await createTestDatabase();
    context.onTestFinished(() => other.drop());
    await other.pool.query(`alter database ${other.name} set default_transaction_read_only = on`);
    const { pool } = open(context, bouncer.urlOf(other.name));
    await expect(pool.query('select 1')).rejects.toThrow(ReadOnlyDatabaseError);
  });

  it('says once that the database is back, and looks for work each second', async ({
    onTestFinished,
  }) => {
    const bus = startWakeBus({ connectionString: url }, log);
    onTestFinished(() => bus.stop());
    const heard: string[] = [];
    bus.on(DATABASE_BACK, () => heard.push(DATABASE_BACK));
    bus.on('case', () => heard.push('case'));
    await new Promise<void>((looked) => {
      bus.on(LOOK, () => {
        heard.push(LOOK);
        if (heard.filter((topic) => topic === LOOK).length === 3) looked();
      });
    });
    expect(heard).toEqual([DATABASE_BACK, 'case', LOOK, LOOK, LOOK]);
  });
});
