/**
 * Guarantee: what hears wake-ups, and what runs the minute job, notices within seconds that its connection has
 * fallen silent, and continues with a new one; what failed meanwhile is told that the database is back.
 */
import { Socket } from 'node:net';
import pg from 'pg';
import type { TestContext } from 'vitest';
import { expect, it, vi } from 'vitest';
import { startBoss } from '../../../src/base/jobs/boss.ts';
import { WAKE_CHANNEL } from '../../../src/base/jobs/wake.store.ts';
import { DATABASE_BACK, startWakeBus } from '../../../src/base/jobs/wake.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { FaultProxy } from '../../faults/rig/proxy.ts';
import { openProxy } from '../../faults/rig/proxy.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase, overTcp } from '../../support/database.ts';

/** Ask, wait for the answer, connect: 5 + 5 + 2 s at most, and the machine's own time. */
const NOTICED = { timeout: 25_000, interval: 100 };

const log = createLog({ level: 'silent' });

/** A database of its own, and the way to it that can fall silent. */
interface Fixture {
  readonly database: TestDatabase;
  readonly proxy: FaultProxy;
  readonly connectionString: string;
}

async function open({ onTestFinished }: TestContext): Promise<Fixture> {
  const database = await createTestDatabase();
  const url = overTcp(database.connectionString);
  const port = Number(url.port);
  const proxy = await openProxy(() => port);
  url.port = String(proxy.port);
  onTestFinished(async () => {
    await proxy.close();
    await database.drop();
  });
  return { database, proxy, connectionString: url.href };
}

/** The server's processes for connections of that name. */
async function processes(database: TestDatabase, name: string): Promise<number[]> {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = $1 and application_name = $2`,
    [database.name, name],
  );
  return rows.map(({ pid }) => pid);
}

// They wait for real timers, and so side by side.
it.concurrent('hears again after the connection fell silent, and tells everybody that it is back', async (context) => {
  const { database, proxy, connectionString } = await open(context);
  const bus = startWakeBus({ connectionString }, log);
  const heard: string[] = [];
  for (const topic of ['case', DATABASE_BACK]) bus.on(topic, () => heard.push(topic));
  await vi.waitFor(() => expect(heard).toContain(DATABASE_BACK), NOTICED);
  heard.length = 0;
  expect(proxy.silence()).toBe(1);
  await vi.waitFor(() => expect(heard).toContain(DATABASE_BACK), NOTICED);
  heard.length = 0;
  await database.pool.query('select pg_notify($1, $2)', [WAKE_CHANNEL, 'case']);
  await vi.waitFor(() => expect(heard).toEqual(['case']), NOTICED);
  await bus.stop();
});

it.concurrent('listens with the options of a pool, its password and its way to connect among them', async (context) => {
  const { database } = await open(context);
  const { hostname: host, port, username: user, password } = overTcp(database.connectionString);
  let made = 0;
  const stream = (): Socket => {
    made += 1;
    return new Socket();
  };
  const options = { host, port: Number(port), user, password, database: database.name, stream };
  // A pool hides the password from copies of its options.
  const pool = new pg.Pool(options);
  const bus = startWakeBus(pool.options, log);
  const heard: string[] = [];
  bus.on('case', () => heard.push('case'));
  await vi.waitFor(() => expect(heard).toEqual(['case']), NOTICED);
  expect(made).toBe(1);
  await bus.stop();
  await pool.end();
});

it.concurrent('continues with its jobs after the connections fell silent', async (context) => {
  const { database, proxy, connectionString } = await open(context);
  const boss = await startBoss({
    store: { connectionString },
    log,
    minute: async () => undefined,
  });
  const before = await processes(database, 'forestall-jobs');
  expect(before).not.toEqual([]);
  proxy.silence();
  await vi.waitFor(async () => {
    const now = await processes(database, 'forestall-jobs');
    expect(now.some((pid) => !before.includes(pid))).toBe(true);
  }, NOTICED);
  await boss.stop();
});
