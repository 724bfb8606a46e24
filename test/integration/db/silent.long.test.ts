/**
 * Guarantee: a connection on which the database has fallen silent is given up within seconds and used by
 * nobody after, while a statement that merely takes long is waited for.
 */
import type { TestContext } from 'vitest';
import { expect, it, vi } from 'vitest';
import type { DatabaseOptions, OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import { LEFT_BEHIND_MAX } from '../../../src/base/db/watched-client.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { FaultProxy } from '../../faults/rig/proxy.ts';
import { openProxy } from '../../faults/rig/proxy.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase, overTcp } from '../../support/database.ts';

/** Two new connections of 4 s without an answer, 3 s after the first look: far below the 31 s of a statement's own limit. */
const NOTICED_MS = 20_000;

/** What needs no new look at the connection. */
const AT_ONCE_MS = 2_000;

/** A database of its own, the way to it that can fall silent, and pools that go that way. */
interface Fixture {
  readonly database: TestDatabase;
  readonly proxy: FaultProxy;
  through(options?: Partial<DatabaseOptions>): OpenDatabase;
}

async function start({ onTestFinished }: TestContext): Promise<Fixture> {
  const database = await createTestDatabase();
  const url = overTcp(database.connectionString);
  const port = Number(url.port);
  const proxy = await openProxy(() => port);
  url.port = String(proxy.port);
  const open: OpenDatabase[] = [];
  onTestFinished(async () => {
    proxy.setMode('pass');
    proxy.cut();
    for (const each of open) await each.close();
    await proxy.close();
    await database.drop();
  });
  return {
    database,
    proxy,
    through: (options = {}) => {
      const log = createLog({ level: 'silent' });
      const opened = openDatabase({ connectionString: url.href, log, ...options });
      open.push(opened);
      return opened;
    },
  };
}

/** How long it took, and what became of it. */
async function timed(work: Promise<unknown>): Promise<{ tookMs: number; failed: string | null }> {
  const startedMs = performance.now();
  const failed = await work.then(
    () => null,
    (error: unknown) => String(error),
  );
  return { tookMs: performance.now() - startedMs, failed };
}

/** The next new connection leads to a port at which nobody listens; those after it to the server again. */
function failOnce(proxy: FaultProxy, nobody: number): { failed(): number } {
  const { target } = proxy;
  let count = 0;
  proxy.target = () => {
    count += 1;
    proxy.target = target;
    return nobody;
  };
  return { failed: () => count };
}

// They wait for real timers, and so side by side.
it.concurrent('gives up a connection that another server stands behind now, and those that rest beside it', async (context) => {
  const { proxy, through } = await start(context);
  const { pool } = through({ maxConnections: 3 });
  await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.1)')));
  expect(proxy.silence()).toBe(3);
  const first = await timed(pool.query('select 1'));
  expect(first.failed).toMatch(/terminated/);
  expect(first.tookMs).toBeLessThan(NOTICED_MS);
  const second = await timed(pool.query('select 1'));
  expect(second).toEqual({ tookMs: expect.any(Number), failed: null });
  expect(second.tookMs).toBeLessThan(AT_ONCE_MS);
});

it.concurrent('gives up what waits inside a transaction, which fails as a whole', async (context) => {
  const { proxy, through } = await start(context);
  const { db, pool } = through({ maxConnections: 1 });
  const transaction = db.transaction().execute(async (trx) => {
    await trx.deleteFrom('fact').execute();
    proxy.silence();
    await trx.deleteFrom('fact').execute();
  });
  const { tookMs, failed } = await timed(transaction);
  expect(failed).not.toBeNull();
  expect(tookMs).toBeLessThan(NOTICED_MS);
  expect((await timed(pool.query('select 1'))).failed).toBeNull();
});

it.concurrent('gives up all when new connections get no answer either', async (context) => {
  const { proxy, through } = await start(context);
  const { pool } = through();
  await pool.query('select 1');
  proxy.setMode('stall');
  const { tookMs, failed } = await timed(pool.query('select 1'));
  expect(failed).toMatch(/terminated/);
  expect(tookMs).toBeLessThan(NOTICED_MS);
});

it.concurrent('waits for a statement that takes long', async (context) => {
  const { through } = await start(context);
  const { pool } = through();
  const answer = await pool.query<{ done: boolean }>('select pg_sleep(7) is not null as done');
  expect(answer.rows).toEqual([{ done: true }]);
});

it.concurrent('waits for a statement though a new connection failed once: a busy server answers late', async (context) => {
  const { proxy, through } = await start(context);
  const { pool } = through();
  await pool.query('select 1');
  const { failed } = failOnce(proxy, await freePort());
  const answer = await pool.query<{ done: boolean }>('select pg_sleep(7) is not null as done');
  expect(answer.rows).toEqual([{ done: true }]);
  expect(failed()).toBe(1);
});

it.concurrent('does not hand out a connection on which an answer is still to come', async (context) => {
  const { proxy, through } = await start(context);
  // pg itself gives the statement up a second after the server should have.
  const { db, pool } = through({ maxConnections: 1, statementTimeoutMs: 200 });
  await pool.query('select 1');
  proxy.silence();
  const { failed } = await timed(db.selectFrom('fact').select('name').execute());
  expect(failed).toMatch(/Query read timeout/);
  const next = await timed(db.selectFrom('fact').select('name').execute());
  expect(next.failed).toBeNull();
  expect(next.tookMs).toBeLessThan(AT_ONCE_MS);
});

// By itself: it counts within rounds of 50 ms.
it('leaves a bounded number of statements behind on a server that does not end them', async (context) => {
  const { database, proxy, through } = await start(context);
  const { pool } = through({ maxConnections: 4, statementTimeoutMs: 50 });
  const held = await database.pool.connect();
  await held.query('select pg_advisory_lock(7)');
  // As a commit that waits for a lost standby, it heeds no limit of the server's.
  const text = 'set statement_timeout = 0; set lock_timeout = 0; select pg_advisory_lock(7)';
  const failures: string[] = [];
  for (let round = 0; round < 5; round++) {
    const ends = await Promise.all([1, 2, 3, 4].map(() => timed(pool.query(text))));
    failures.push(...ends.map(({ failed }) => String(failed)));
  }
  const { rows } = await database.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = $1 and wait_event_type = 'Lock'`,
    [database.name],
  );
  // A round begins while there is room for one more.
  expect(rows[0]?.count).toBe(LEFT_BEHIND_MAX + 2);
  const crowded = /still at work on statements given up before/;
  expect(failures.at(-1)).toMatch(crowded);
  // One look at the server that fails tells nothing: on a busy machine a new connection may take too long.
  const { failed } = failOnce(proxy, await freePort());
  await vi.waitFor(() => expect(failed()).toBe(1), { timeout: NOTICED_MS });
  const looks = proxy.connections();
  await vi.waitFor(() => expect(proxy.connections()).toBeGreaterThan(looks), {
    timeout: NOTICED_MS,
  });
  expect((await timed(pool.query('select 1'))).failed).toMatch(crowded);
  held.release(true);
  await vi.waitFor(async () => expect((await timed(pool.query('select 1'))).failed).toBeNull(), {
    timeout: NOTICED_MS,
  });
});
