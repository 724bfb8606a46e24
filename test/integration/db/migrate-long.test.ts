/**
 * Guarantee: a migration takes as long as it takes, and so do the replicas that wait for it, whatever limits
 * their connections have; only its wait for a table ends. An index is built beside readers and writers, by
 * one process, and again after an interrupted build.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { migrateToLatest, pendingMigrations } from '../../../src/base/db/migrate.ts';
import { sourceOfUrl } from '../../../src/base/db/source.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const log = createLog({ level: 'silent' });

let test: TestDatabase;
const open: OpenDatabase[] = [];
const folders: string[] = [];
beforeAll(async () => {
  test = await createTestDatabase({ template: 'template0' });
});
afterAll(async () => {
  for (const each of open) await each.close();
  await test.drop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** A folder with these migrations and no others. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'forestall-migrations-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return pathToFileURL(`${folder}/`);
}

/** A replica whose connections have short limits. */
function replica(): OpenDatabase {
  const { connectionString } = test;
  const limits = { statementTimeoutMs: 200, lockTimeoutMs: 100 };
  const database = openDatabase({ connectionString, log, maxConnections: 3, ...limits });
  open.push(database);
  return database;
}

async function indexes(): Promise<unknown> {
  const { rows } = await sql`select indexrelid::regclass::text as name, indisvalid as valid
    from pg_index where indexrelid::regclass::text like 'goods_%' order by 1`.execute(test.db);
  return rows;
}

const FIRST = {
  '0001_slow.sql': `create table goods (id int, name text);
    create table limits as select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock;
    select pg_sleep(0.7);`,
};

const INDEX = `-- Dropped first: an interrupted build leaves one that nothing reads.
drop index concurrently if exists goods_name;
create unique index concurrently goods_name on goods (name);
`;

const ALL = {
  ...FIRST,
  '0002_goods_concurrently.sql': INDEX,
  '0003_after.sql': 'alter table goods add column price int;',
};

describe('a long migration', () => {
  it('outlasts the limits of those who run it and of those who wait for it', async () => {
    const folder = await folderOf(FIRST);
    const runs = await Promise.all([1, 2, 3].map(() => migrateToLatest(replica().db, folder)));
    expect(runs.flat()).toEqual(['0001_slow']);
    const { rows } = await sql`select * from limits`.execute(test.db);
    expect(rows).toEqual([{ statement: '0', lock: '10s' }]);
  });

  it('leaves the limits of the connections as they were', async () => {
    const { db } = open[0] as OpenDatabase;
    await expect(sql`select pg_sleep(5)`.execute(db)).rejects.toMatchObject({ code: '57014' });
  });
});

describe('an index built concurrently', () => {
  it('fails alone, and those after it wait', async () => {
    await sql`insert into goods values (1, 'twice'), (2, 'twice')`.execute(test.db);
    const folder = await folderOf(ALL);
    const { migration } = sourceOfUrl(test.connectionString);
    const database = migration.open(log);
    open.push(database);
    await expect(migrateToLatest(database.db, folder)).rejects.toThrow(
      /0002_goods_concurrently failed\. It begins again at the next start/,
    );
    expect(await indexes()).toEqual([{ name: 'goods_name', valid: false }]);
    expect(await pendingMigrations(database.db, folder)).toEqual([
      '0002_goods_concurrently',
      '0003_after',
    ]);
  });

  it('is built again, once, however many processes ask, and beside a transaction that writes', async () => {
    await sql`delete from goods where id = 2`.execute(test.db);
    const folder = await folderOf(ALL);
    const writer = await test.pool.connect();
    await writer.query('begin');
    await writer.query("insert into goods values (3, 'uncommitted')");
    const { migration } = sourceOfUrl(test.connectionString);
    const runs = [1, 2, 3].map(async () => {
      const database = migration.open(log);
      open.push(database);
      return await migrateToLatest(database.db, folder);
    });
    // It waits for that transaction, and keeps no other writer out.
    await waitForBuild();
    await sql`insert into goods values (4, 'meanwhile')`.execute(test.db);
    await writer.query('commit');
    writer.release();
    expect((await Promise.all(runs)).flat()).toEqual(['0002_goods_concurrently', '0003_after']);
    expect(await indexes()).toEqual([{ name: 'goods_name', valid: true }]);
    const { rows } = await sql`select name from forestall_migration order by name`.execute(test.db);
    expect(rows).toEqual([
      { name: '0001_slow' },
      { name: '0002_goods_concurrently' },
      { name: '0003_after' },
    ]);
  });
});

describe('an empty database', () => {
  it('gets everything in its order', async () => {
    const empty = await createTestDatabase({ template: 'template0' });
    const folder = await folderOf({
      '0001_goods.sql': 'create table goods (name text)',
      '0002_goods_concurrently.sql': INDEX,
      '0003_one.sql': 'create table one as select 1 as id',
      '0004_two.sql': 'create table two as select id from one',
    });
    expect(await migrateToLatest(empty.db, folder)).toEqual([
      '0001_goods',
      '0002_goods_concurrently',
      '0003_one',
      '0004_two',
    ]);
    expect(await migrateToLatest(empty.db, folder)).toEqual([]);
    await empty.drop();
  });
});

/** Until the build of the index waits for somebody. */
async function waitForBuild(): Promise<void> {
  for (;;) {
    const { rows } = await sql`select from pg_stat_activity
      where query like '%index concurrently%' and wait_event_type = 'Lock'`.execute(test.db);
    if (rows.length > 0) return;
  }
}
