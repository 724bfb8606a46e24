/**
 * Guarantee: behind PgBouncer, as Debian packages it, in session and in transaction mode everything works:
 * no statement meets another's name, every statement has its limits, nothing of ours stays in a session
 * that others use next, and work begins without a session that listens.
 */
import { readdirSync } from 'node:fs';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createInbox } from '../../src/alerts/receive/inbox.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { forOrganisation } from '../../src/base/db/for-organisation.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { keepsSettings, leadToOneDatabase, readPooling } from '../../src/base/db/pooling.ts';
import { sourceOfPool } from '../../src/base/db/source.ts';
import { migrateBoss, startBoss } from '../../src/base/jobs/boss.ts';
import { wake } from '../../src/base/jobs/wake.store.ts';
import { startWakeBus } from '../../src/base/jobs/wake.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { poolerLines } from '../../src/people/doctor/pooler-lines.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase, overTcp } from '../support/database.ts';
import type { Pgbouncer, PgbouncerOptions } from '../support/pgbouncer.ts';
import { HAS_PGBOUNCER, PGBOUNCER_NOTE, startPgbouncer } from '../support/pgbouncer.ts';

const log = createLog({ level: 'silent' });
const server = overTcp(inject('postgresUrl')).href;

/** One for a single test, which ends however the test ends. */
async function startForTest(options: Omit<PgbouncerOptions, 'server'>): Promise<Pgbouncer> {
  const started = await startPgbouncer({ server, ...options });
  onTestFinished(() => started.stop());
  return started;
}

/** What a raw connection finds in the session it is given. */
async function sessionOf(connectionString: string): Promise<unknown> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(
    `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle,
      (select count(*)::int from pg_prepared_statements) as prepared,
      (select count(*)::int from pg_listening_channels()) as channels`,
  );
  await client.end();
  return rows[0];
}

const UNTOUCHED = { statement: '0', lock: '0', idle: '0', prepared: 0, channels: 0 };

describe.skipIf(!HAS_PGBOUNCER).each(['session', 'transaction'] as const)(
  `behind PgBouncer in %s mode${PGBOUNCER_NOTE}`,
  (mode) => {
    let database: TestDatabase;
    let bouncer: Pgbouncer;
    let url: string;
    beforeAll(async () => {
      database = await createTestDatabase();
      bouncer = await startPgbouncer({ server, mode });
      url = bouncer.urlOf(database.name);
    });
    afterAll(async () => {
      await bouncer.stop();
      await database.drop();
    });

    it('no two processes’ statements are mixed up', async () => {
      const [one, other] = [
        openDatabase({ connectionString: url, log, maxConnections: 3 }),
        openDatabase({ connectionString: url, log, maxConnections: 3 }),
      ];
      const ask = async ({ pool }: OpenDatabase, who: string): Promise<string> => {
        const { rows } = await pool.query(`select '${who}' as who where 1 = $1`, [1]);
        return rows[0]?.who;
      };
      for (let round = 0; round < 100; round++) {
        const asked = [ask(one, 'a'), ask(other, 'b'), ask(one, 'c'), ask(other, 'd')];
        expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'd']);
      }
      await one.close();
      await other.close();
    });

    it('statements have their limits, alone and in transactions, and leave none behind', async () => {
      // One session of the server, so that what is left behind is found.
      const narrow = await startForTest({ mode, lines: ['default_pool_size = 1'] });
      const connectionString = narrow.urlOf(database.name);
      const limits = { maxConnections: 1, statementTimeoutMs: 250, lockTimeoutMs: 150 };
      const { db, pool, close } = openDatabase({ connectionString, log, ...limits });
      const SETTINGS = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`;
      const expected = { statement: '250ms', lock: '150ms' };
      expect((await pool.query(SETTINGS)).rows).toEqual([expected]);
      expect((await sql.raw(SETTINGS).execute(db)).rows).toEqual([expected]);
      await expect(pool.query('select pg_sleep($1)', [5])).rejects.toMatchObject({ code: '57014' });
      await expect(pool.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
      const inside = db.transaction().execute(async (trx) => {
        expect((await sql.raw(SETTINGS).execute(trx)).rows).toEqual([expected]);
        // What a transaction says for itself holds to its end.
        await sql`set local lock_timeout = '90ms'`.execute(trx);
        const later = await sql.raw<{ lock: string }>(SETTINGS).execute(trx);
        expect(later.rows[0]?.lock).toBe('90ms');
        await sql`select pg_sleep(5)`.execute(trx);
      });
      await expect(inside).rejects.toMatchObject({ code: '57014' });
      for (let use = 0; use < 8; use++) await pool.query('select 1 where 1 = $1', [1]);
      // In session mode the session is given back, and emptied, when its client leaves.
      if (mode === 'session') await close();
      expect(await sessionOf(connectionString)).toEqual(UNTOUCHED);
      if (mode === 'transaction') await close();
    });

    it('whom a statement acts for travels with it, alone and in transactions, and stays nowhere', async () => {
      const narrow = await startForTest({ mode, lines: ['default_pool_size = 1'] });
      const connectionString = narrow.urlOf(database.name);
      const shared = openDatabase({
        connectionString,
        log,
        maxConnections: 1,
        organisation: 'org',
      });
      const ASK = `select current_setting('forestall.organisation', true) as organisation`;
      const seenBy = async (db: OpenDatabase['db']): Promise<unknown> => {
        const { rows } = await sql.raw<{ organisation: string }>(ASK).execute(db);
        return rows[0]?.organisation;
      };
      for (let use = 0; use < 6; use++) {
        const { db, pool } = forOrganisation(shared, "org_b'");
        expect(await seenBy(db)).toBe("org_b'");
        expect(await db.transaction().execute((trx) => seenBy(trx))).toBe("org_b'");
        expect((await pool.query(ASK)).rows).toEqual([{ organisation: "org_b'" }]);
        expect(await seenBy(shared.db)).toBe('org');
        expect(await shared.db.transaction().execute((trx) => seenBy(trx))).toBe('org');
      }
      if (mode === 'session') await shared.close();
      const client = new pg.Client({ connectionString });
      await client.connect();
      expect(['', null]).toContain((await client.query(ASK)).rows[0]?.organisation);
      await client.end();
      if (mode === 'transaction') await shared.close();
    });

    it('rows, counts, errors and callbacks come back as from PostgreSQL itself', async () => {
      const { db, pool, close } = openDatabase({ connectionString: url, log });
      const table = `kept_${mode}`;
      await sql.raw(`create table ${table} (id int primary key, note text)`).execute(db);
      const inserted = await pool.query(
        `insert into ${table} select n, 'x' from generate_series(1, $1::int) n`,
        [7],
      );
      expect(inserted).toMatchObject({ command: 'INSERT', rowCount: 7 });
      const updated = await pool.query(`update ${table} set note = 'y' where id > 4 returning id`);
      expect(updated.rows.map(({ id }) => id)).toEqual([5, 6, 7]);
      expect((await pool.query(`select 1 from ${table} where id < 0`)).rows).toEqual([]);
      const heard = await new Promise((done) =>
        pool.query(`select note from ${table} where id = $1`, [7], (_error, result) =>
          done(result.rows),
        ),
      );
      expect(heard).toEqual([{ note: 'y' }]);
      await expect(pool.query(`insert into ${table} values ($1)`, [7])).rejects.toMatchObject({
        code: '23505',
      });
      await expect(pool.query('select $1::int', ['no number'])).rejects.toMatchObject({
        code: '22P02',
      });
      const failing = db.transaction().execute(async (trx) => {
        await sql.raw(`delete from ${table}`).execute(trx);
        await sql.raw(`insert into ${table} values (1), (1)`).execute(trx);
      });
      await expect(failing).rejects.toMatchObject({ code: '23505' });
      expect((await pool.query(`select count(*)::int as n from ${table}`)).rows).toEqual([
        { n: 7 },
      ]);
      await close();
    });

    it('500 events that two processes take in are 500 known ids, and repeats are repeats', async () => {
      const organisationId = `org_${mode}`;
      const clock = createFixedClock('2026-11-20T00:00:00Z');
      const own = openDatabase({ connectionString: url, log, maxConnections: 3 });
      // Of an embedding program, whose statements have no limits of ours.
      const theirs = new pg.Pool({ connectionString: url, max: 3 });
      const embedded = sourceOfPool(theirs).open({ log });
      const inboxes = [own, embedded].map((each) =>
        createInbox({ database: each, clock, log, organisationId }),
      );
      const store = async (index: number): Promise<boolean | undefined> => {
        const event = { id: `evt_${mode}_${index}`, type: 'alert.created', data: {} };
        const delivery = {
          subscription: '',
          deliveryId: `dlv_${index}`,
          secretId: 's1',
          signedAtSeconds: 1_763_596_800,
          body: Buffer.from(JSON.stringify(event)),
        };
        return (await inboxes[index % 2]?.store(delivery))?.duplicate;
      };
      const all = Array.from({ length: 500 }, (_, index) => index);
      expect(new Set(await Promise.all(all.map(store)))).toEqual(new Set([false]));
      const { rows } = await database.pool.query(
        `select (select count(*)::int from inbox_id where organisation_id = $1) as ids,
          (select count(*)::int from inbox_event where organisation_id = $1) as events,
          (select count(*)::int from quarantine where organisation_id = $1) as aside`,
        [organisationId],
      );
      expect(rows).toEqual([{ ids: 500, events: 500, aside: 0 }]);
      expect(new Set(await Promise.all(all.map(store)))).toEqual(new Set([true]));
      for (const inbox of inboxes) await inbox.close();
      await own.close();
      await embedded.close();
      await theirs.end();
    });

    it('an alert goes from its webhook to its answer, with three workers', async () => {
      const world = await createTestWorld({ database: url, log, workers: 3 });
      const sales: Sale[] = [];
      for (let index = 0; index < 6; index++) sales.push(await world.sell(PRODUCTS.font));
      const alerts = sales.map(({ charge }) => world.sandbox.createAlertFor(charge.reference));
      await world.drain();
      await world.race();
      for (const { id } of alerts) expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
      for (const { charge } of sales)
        expect(world.sandbox.moneyOut(charge.reference).count).toBe(1);
      await world.close();
    });

    it('an empty database is brought up to date, by three at once, and runs the cluster’s jobs', async () => {
      const empty = await createTestDatabase({ template: 'template0' });
      const connectionString = bouncer.urlOf(empty.name);
      const applied = await Promise.all(
        [1, 2, 3].map(async () => {
          const { db, close } = openDatabase({ connectionString, log, maxConnections: 2 });
          const names = await migrateToLatest(db);
          await close();
          return names;
        }),
      );
      // One after the other where a migration needs no transaction; each is applied once.
      const { length } = readdirSync('migrations').filter((name) => /^\d{4}_/.test(name));
      expect(applied.flat()).toHaveLength(length);
      expect(new Set(applied.flat()).size).toBe(length);
      await migrateBoss({ connectionString, schema: 'forestall_jobs' }, log);
      const ran = Promise.withResolvers<void>();
      const boss = await startBoss({
        store: { connectionString, schema: 'forestall_jobs' },
        log,
        minute: async () => ran.resolve(),
      });
      // The schedule may have sent one already: only one waits at a time.
      await empty.pool.query(
        `insert into forestall_jobs.job (name, data, policy, expire_seconds, retry_limit) values ('forestall.minute.v1', null, 'exclusive', 60, 0) on conflict do nothing`,
      );
      await ran.promise;
      await boss.stop();
      await empty.drop();
    });

    it('work is looked for without listening there, and heard at once on a direct connection', async () => {
      const polled = startWakeBus({ connectionString: url }, log);
      await new Promise<void>((done) => polled.on('case', done));
      expect(await sessionOf(url)).toEqual(UNTOUCHED);
      await polled.stop();

      const heard = startWakeBus({ connectionString: database.connectionString }, log);
      const { db, close } = openDatabase({ connectionString: url, log });
      const words: string[] = [];
      await new Promise<void>((connected) => {
        heard.on('first', connected);
      });
      const second = new Promise<void>((done) => {
        heard.on('case', () => {
          words.push('case');
          done();
        });
      });
      await wake(db, 'case');
      await second;
      expect(words).toEqual(['case']);
      await heard.stop();
      await close();
    });

    it('is recognised', async () => {
      expect(await readPooling(url)).toBe(mode);
      expect(await readPooling(database.connectionString)).toBe('none');
    });
  },
);

const CLEARED = { 'pooler sessions': 'ok' } as const;
/** As PgBouncer is without a word of it. */
const KEPT = { 'pooler sessions': 'warning' } as const;

describe.skipIf(!HAS_PGBOUNCER)(`recognising a pooler${PGBOUNCER_NOTE}`, () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  it.each([
    ['transaction', 'server_round_robin = 1'],
    ['transaction', 'default_pool_size = 1'],
    ['transaction', 'default_pool_size = 2\nserver_round_robin = 1'],
    ['session', 'default_pool_size = 2'],
    ['statement', ''],
  ] as const)('tells %s mode with %s', async (mode, line) => {
    const bouncer = await startForTest({ mode, lines: [line] });
    expect(await readPooling(bouncer.urlOf(database.name))).toBe(mode);
  });

  it.each([
    [
      'session',
      undefined,
      { pooler: 'warning', ...CLEARED },
      /session mode, and no direct address/,
    ],
    [
      'transaction',
      undefined,
      { pooler: 'warning', ...KEPT },
      /transaction mode, and no direct address/,
    ],
    ['statement', undefined, { pooler: 'failed' }, /refuses transactions/],
    [
      'transaction',
      'itself',
      { pooler: 'ok', ...KEPT, 'direct database': 'ok' },
      /in transaction mode/,
    ],
    [
      'session',
      'pooler',
      { pooler: 'ok', ...CLEARED, 'direct database': 'failed' },
      /a pooler’s address/,
    ],
    [
      'session',
      'other',
      { pooler: 'ok', ...CLEARED, 'direct database': 'failed' },
      /another database/,
    ],
  ] as const)(
    'the doctor says: %s mode, direct address %s',
    async (mode, where, statuses, said) => {
      const bouncer = await startForTest({ mode });
      const main = bouncer.urlOf(database.name);
      const other = new URL(database.connectionString);
      other.pathname = '/postgres';
      const direct = { itself: database.connectionString, pooler: main, other: other.href };
      const lines = await poolerLines({
        database: { value: database.db },
        databaseUrls: { main, direct: where === undefined ? undefined : direct[where] },
      });
      expect(Object.fromEntries(lines.map(({ name, status }) => [name, status]))).toEqual(statuses);
      expect(lines.map(({ detail }) => detail).join('; ')).toMatch(said);
    },
  );

  // PgBouncer's manual: in transaction mode the query runs only where it is said to run always.
  it.each([
    ['session', 'server_reset_query = DISCARD ALL', false],
    ['session', 'server_reset_query =', true],
    ['transaction', 'server_reset_query = DISCARD ALL', true],
    ['transaction', 'server_reset_query = DISCARD ALL\nserver_reset_query_always = 1', false],
  ] as const)('sees what a session keeps: %s mode, %s: %s', async (mode, line, isKept) => {
    const bouncer = await startForTest({ mode, lines: [line] });
    const main = bouncer.urlOf(database.name);
    expect(await keepsSettings(main)).toBe(isKept);
    const lines = await poolerLines({
      database: { value: database.db },
      databaseUrls: { main, direct: undefined },
    });
    expect(lines.find(({ name }) => name === 'pooler sessions')).toMatchObject(
      isKept
        ? { status: 'warning', nextStep: expect.stringContaining('server_reset_query_always = 1') }
        : { status: 'ok' },
    );
  });

  it('leaves nothing behind by looking', async () => {
    const bouncer = await startForTest({ mode: 'session', lines: ['server_reset_query ='] });
    await keepsSettings(bouncer.urlOf(database.name));
    const client = new pg.Client(bouncer.urlOf(database.name));
    await client.connect();
    const { rows } = await client.query(`select current_setting('forestall.kept', true) as kept`);
    await client.end();
    expect(rows).toEqual([{ kept: '' }]);
  });

  it('the doctor says when there is none', async () => {
    const { db, connectionString: main } = database;
    const lines = await poolerLines({
      database: { value: db },
      databaseUrls: { main, direct: undefined },
    });
    expect(lines).toMatchObject([{ name: 'pooler', status: 'ok' }]);
  });

  it('tells one database from another', async () => {
    const bouncer = await startForTest({ mode: 'transaction' });
    const { name, connectionString } = database;
    expect(await leadToOneDatabase(bouncer.urlOf(name), connectionString)).toBe(true);
    expect(await leadToOneDatabase(bouncer.urlOf('postgres'), connectionString)).toBe(false);
  });
});
