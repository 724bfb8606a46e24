/**
 * Guarantee: `roles.sql` and `wall.sql` touch nothing but Forestall's two schemas, and a user with CREATEROLE who owns
 * Forestall's tables runs them as they stand, as on managed servers, where nobody is a superuser.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { migrateToLatest } from '../../../src/base/db/migrate.ts';
import { migrateBoss } from '../../../src/base/jobs/boss.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { statementsOf } from '../../support/sql-statements.ts';

const log = createLog({ level: 'silent' });
const MIGRATIONS = new URL('../../../migrations/', import.meta.url);
const NAMES = { dba: 'managed_dba', shop: 'the_shop', reader: 'shop_reader' } as const;

/** Owner, grants and policies of everything in `public`, and of the schema itself. */
const CATALOGUE = `
  select 'schema' as kind, n.nspname::text as name, pg_get_userbyid(n.nspowner)::text as owner, n.nspacl::text as grants, false as walled
    from pg_namespace n where n.nspname = 'public'
  union all
  select 'relation', c.relname, pg_get_userbyid(c.relowner), c.relacl::text, c.relrowsecurity
    from pg_class c where c.relnamespace = 'public'::regnamespace
  union all
  select 'routine', p.oid::regprocedure::text, pg_get_userbyid(p.proowner), p.proacl::text, p.prosecdef
    from pg_proc p where p.pronamespace = 'public'::regnamespace
  order by 1, 2`;

describe.each(['forestall', 'shop_alerts'])('in the schema %s', (schema) => {
  let test: TestDatabase;
  let managed: OpenDatabase;

  beforeAll(async () => {
    test = await createTestDatabase({ template: 'template0' });
    const { pool, name } = test;
    for (const role of Object.values(NAMES)) {
      await pool.query(`do $$ begin if not exists (select from pg_roles where rolname = '${role}') then
        create role ${role} login password 'managed'; end if; end $$`);
    }
    await pool.query(`alter role ${NAMES.dba} createrole`);
    await pool.query(`grant create on database ${name} to ${NAMES.dba}`);
    await pool.query(`grant create on schema public to public`);
    for (const table of ['refund', 'customer', 'card_token', 'charge', 'dispute']) {
      await pool.query(`create table public.${table} (id int); insert into public.${table} values (7);
        alter table public.${table} owner to ${NAMES.shop}; grant select on public.${table} to ${NAMES.reader}`);
    }
    await pool.query(`create function public.note_counted() returns int language sql as 'select 7';
      alter function public.note_counted owner to ${NAMES.shop}`);
    const url = new URL(test.connectionString);
    url.username = NAMES.dba;
    url.password = 'managed';
    managed = openDatabase({ connectionString: url.href, schema, log });
    await migrateToLatest(managed.db);
    await migrateBoss({ connectionString: url.href, schema: `${schema}_jobs` }, log);
  });
  afterAll(async () => {
    await managed.close();
    const made = ['owner', 'app', 'console'].map((name) => `${schema}_fresh_${name}`).join(', ');
    await test.pool.query(`drop owned by ${made} cascade; drop role ${made}`);
    await test.drop();
  });

  it('runs without a superuser, twice, and leaves every other object as it was', async () => {
    const before = (await test.pool.query(CATALOGUE)).rows;
    const client = await managed.pool.connect();
    for (let time = 0; time < 2; time++) {
      for (const file of ['roles.sql', 'wall.sql']) {
        const text = rolesOf(schema, await readFile(new URL(file, MIGRATIONS), 'utf8'));
        await client.query(`set forestall.schema = '${schema}'`);
        // As psql sends it: one statement after the other.
        for (const statement of statementsOf(text)) await client.query(statement);
      }
    }
    client.release(true);
    expect((await test.pool.query(CATALOGUE)).rows).toEqual(before);
    const { rows } = await test.pool.query(
      `select distinct pg_get_userbyid(c.relowner)::text as owner from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any ($1)`,
      [[schema, `${schema}_jobs`]],
    );
    expect(rows).toEqual([{ owner: `${schema}_fresh_owner` }]);
    const walled = await test.pool.query(
      `select relrowsecurity as walled from pg_class where oid = '${schema}.alert_case'::regclass`,
    );
    expect(walled.rows).toEqual([{ walled: true }]);
  });

  it('gives the application its tables and none of the shop’s', async () => {
    const { rows } = await test.pool.query(
      `select n.nspname::text as schema, bool_or(has_table_privilege('${schema}_fresh_app', c.oid, 'select, insert, update, delete')) as may
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any ($1) and c.relkind = 'r' group by 1 order by 1`,
      [[schema, 'public']],
    );
    expect(rows).toEqual(
      [
        { schema, may: true },
        { schema: 'public', may: false },
      ].sort((one, other) => (one.schema < other.schema ? -1 : 1)),
    );
  });
});

it('says what is missing where there is no Forestall', async () => {
  const test = await createTestDatabase({ template: 'template0' });
  const roles = await readFile(new URL('roles.sql', MIGRATIONS), 'utf8');
  await expect(test.pool.query(roles)).rejects.toThrow(
    'The schema forestall holds no Forestall. Run "forestall migrate" first',
  );
  await test.drop();
});

/** Roles belong to the whole server, on which other tests have made them already: here they are made anew. */
function rolesOf(prefix: string, text: string): string {
  return text.replaceAll(/\bforestall_(owner|app|console)\b/g, `${prefix}_fresh_$1`);
}
