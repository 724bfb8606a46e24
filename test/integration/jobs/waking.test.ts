/**
 * Guarantee: what a transaction makes due is told to the loops of this process once, after its commit and
 * without a statement, and to other processes where this one has no such loop; and one look finds
 * whatever is due, also when the clock jumped, or one of its conditions cannot be answered.
 */
import type { RawBuilder } from 'kysely';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tellingTogether } from '../../../src/alerts/receive/inbox-wake.ts';
import { askForPass } from '../../../src/alerts/reconcile/reconcile-request.store.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import type { DueCondition } from '../../../src/base/jobs/due.store.ts';
import { createDueLook } from '../../../src/base/jobs/due-look.ts';
import { WAKE_CHANNEL, wake, withLocalLoops } from '../../../src/base/jobs/wake.store.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let listener: pg.Client;
/** What other processes hear. */
const heard: string[] = [];
/** What the loops of this process are told. */
const topics: string[] = [];
/** Of a process with a loop for `case`, and none for `feed`. */
let db: Kysely<Database>;

beforeAll(async () => {
  database = await createTestDatabase();
  listener = new pg.Client({ connectionString: database.connectionString });
  await listener.connect();
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
  await listener.query(`listen ${WAKE_CHANNEL}`);
  const loops = {
    isServed: (topic: string) => topic === 'case',
    emit: (topic: string) => void topics.push(topic),
  };
  db = withLocalLoops(database, loops).db;
});
afterAll(async () => {
  await listener.end();
  await database.drop();
});
beforeEach(() => {
  heard.length = 0;
  topics.length = 0;
});

/** Notifications of earlier commits have arrived: one of our own comes behind them. */
async function everythingHeard(): Promise<readonly string[]> {
  await sql`select pg_notify(${WAKE_CHANNEL}, 'end')`.execute(database.db);
  await expect.poll(() => heard.at(-1)).toBe('end');
  return heard.slice(0, -1);
}

test('a loop of this process is told once, after the commit; nobody else is', async () => {
  await inTransaction(db, async (trx) => {
    await wake(trx, 'case');
    await wake(trx, 'case');
    expect(topics).toEqual([]);
  });
  expect(topics).toEqual(['case']);
  expect(await everythingHeard()).toEqual([]);
});

test('a transaction that fails tells nobody', async () => {
  const failing = inTransaction(db, async (trx) => {
    await wake(trx, 'case');
    await wake(trx, 'feed');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(topics).toEqual([]);
  expect(await everythingHeard()).toEqual([]);
});

test('a pass that was asked for is told to every process: another one may hold the lease of the poll', async () => {
  const loops = { isServed: () => true, emit: (topic: string) => void topics.push(topic) };
  await askForPass(withLocalLoops(database, loops).db, {
    organisationId: 'org_waking',
    since: new Date('2026-03-02T07:00:00Z'),
    orders: 0,
    by: 'forestall',
    at: new Date('2026-03-02T08:00:00Z'),
  });
  expect(await everythingHeard()).toEqual(['reconcile']);
});

test('outside a transaction the loop is told at once', async () => {
  await wake(db, 'case');
  expect(topics).toEqual(['case']);
});

test.each([
  ['a topic without a loop here', () => inTransaction(db, (trx) => wake(trx, 'feed')), 'feed'],
  ['a process without loops', () => wake(database.db, 'case'), 'case'],
  [
    'a transaction of somebody else, whose commit is not seen',
    () => db.transaction().execute((trx) => wake(trx, 'case')),
    'case',
  ],
])('other processes are told of %s', async (_name, act, topic) => {
  await act();
  expect(topics).toEqual([]);
  expect(await everythingHeard()).toEqual([topic]);
});

function lookAt(conditions: Readonly<Record<string, DueCondition | undefined>>) {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const woken: string[] = [];
  const running = Object.entries(conditions).map(([name, isDue]) => ({
    organisationId: 'org_1',
    spec: {
      name,
      idleMs: 1,
      runOnce: () => Promise.resolve(0),
      ...(isDue === undefined ? {} : { isDue }),
    },
    loop: { wake: () => void woken.push(name) },
  }));
  const look = createDueLook({ db: database.db, clock }, () => running);
  const takeLook = async (): Promise<readonly string[]> => {
    woken.length = 0;
    await look.runOnce();
    return [...woken];
  };
  return { clock, woken, takeLook };
}

const from =
  (moment: string): DueCondition =>
  (now): RawBuilder<boolean> =>
    sql<boolean>`${now}::timestamptz >= ${moment}::timestamptz`;

test('a look wakes exactly the loops that have something due, by the clock as it is now', async () => {
  const { clock, takeLook } = lookAt({
    now: from('2026-11-20T00:00:00Z'),
    soon: from('2026-11-20T00:00:01Z'),
    paced: undefined,
    tomorrow: from('2026-11-21T00:00:00Z'),
    never: () => sql<boolean>`null`,
  });
  expect(await takeLook()).toEqual(['now']);
  clock.advanceMs(1_000);
  expect(await takeLook()).toEqual(['now', 'soon']);
  clock.advanceMs(24 * 3_600_000);
  expect(await takeLook()).toEqual(['now', 'soon', 'tomorrow']);
});

test('a condition that fails has every loop look for itself, and the failure shows', async () => {
  const { woken, takeLook } = lookAt({
    due: from('2026-11-20T00:00:00Z'),
    later: from('2026-11-21T00:00:00Z'),
    broken: () => sql<boolean>`(select no_such_column)`,
    paced: undefined,
  });
  await expect(takeLook()).rejects.toThrow('no_such_column');
  expect(woken).toEqual(['due', 'later', 'broken']);
});

test('what organisations say within a moment goes out in one statement, the first at once', async () => {
  const statements: string[] = [];
  const counting = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void statements.push(query.sql),
  });
  const tell = tellingTogether(counting, createLog({ level: 'silent' }));
  tell('inbox:org_a');
  for (const name of ['b', 'c', 'b', 'd']) tell(`inbox:org_${name}`);
  await expect.poll(() => heard).toContain('inbox:org_d');
  expect(heard).toEqual(['inbox:org_a', 'inbox:org_b', 'inbox:org_c', 'inbox:org_d']);
  expect(statements).toHaveLength(2);
  // A quiet moment later the next one goes at once again, alone.
  await expect
    .poll(async () => {
      tell('inbox:org_e');
      return statements.length;
    })
    .toBeGreaterThan(2);
  await expect.poll(() => heard.at(-1)).toBe('inbox:org_e');
});
