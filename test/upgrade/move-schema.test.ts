/**
 * Guarantee: a move from `public` takes what is Forestall's and nothing else, a check changes nothing, and what stands
 * against a move is said before anything was moved.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { moveSchema } from '../../src/base/db/move-schema.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { readKept } from './kept.ts';

async function restored(): Promise<TestDatabase> {
  const opened = await createTestDatabase({ template: 'template0' });
  const client = new pg.Client({ connectionString: opened.connectionString });
  await client.connect();
  await client.query(await readKept('0.1.0.sql'));
  await client.end();
  return opened;
}

const MOVE = { from: 'public', isCheck: false } as const;

async function schemasOf({ db }: TestDatabase): Promise<unknown> {
  const { rows } = await sql`select n.nspname as schema, count(*)::int as count
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'pgboss', 'forestall', 'forestall_jobs') group by 1 order by 1`.execute(
    db,
  );
  return rows;
}

test('a check says what would be moved, and changes nothing', async () => {
  const database = await restored();
  const before = await schemasOf(database);
  const found = await moveSchema(database.db, { ...MOVE, isCheck: true });
  expect(found).toMatchObject({ from: 'public', to: 'forestall', jobs: 'moved' });
  expect(await schemasOf(database)).toEqual(before);
  expect(await moveSchema(database.db, MOVE)).toEqual(found);
  await database.drop();
});

test('tables of others stay, and a queue that is shared stays without our schedules', async () => {
  const database = await restored();
  await database.pool.query(`create table public.movement (id int); insert into public.movement values (7);
    create table public.inbox_event_2099 (id int);
    insert into pgboss.queue select (jsonb_populate_record(q, '{"name":"mails"}')).* from pgboss.queue q limit 1`);
  expect(await moveSchema(database.db, MOVE)).toMatchObject({ jobs: 'shared' });
  await migrateToLatest(database.db);
  const { rows } = await database.pool.query(
    `select tablename::text as name from pg_tables where schemaname = 'public' order by 1`,
  );
  expect(rows).toEqual([{ name: 'inbox_event_2099' }, { name: 'movement' }]);
  expect((await database.pool.query('select id from public.movement')).rows).toEqual([{ id: 7 }]);
  expect(
    (await database.pool.query(`select from pgboss.schedule where name like 'forestall.%'`))
      .rowCount,
  ).toBe(0);
  await database.drop();
});

test.each([
  [
    'a process at work',
    `insert into public.worker_heartbeat (worker_id, organisation_id, role, started_at, seen_at) values ('w_1', 'org_1', 'work', now(), now())`,
    /A process is at work here \(work w_1\)/,
  ],
  [
    'a table that is not as ours',
    'alter table public.refund add column colour text',
    /public\.refund is missing, or not as the migrations/,
  ],
  [
    'a missing table',
    'drop table public.review_comment cascade',
    /public\.review_comment is missing/,
  ],
  [
    'something of somebody else in its place',
    'create schema forestall; create table forestall.mine (id int)',
    /holds mine of somebody else/,
  ],
  [
    'a later version',
    `insert into public.forestall_migration values ('9999_later', 'now')`,
    /A later version made 9999_later/,
  ],
])('is refused beside %s, and nothing was moved', async (_what, plant, says) => {
  const database = await restored();
  await database.pool.query(plant);
  const before = await schemasOf(database);
  await expect(moveSchema(database.db, MOVE)).rejects.toThrow(says);
  expect(await schemasOf(database)).toEqual(before);
  await database.drop();
});
