/**
 * Guarantee: inside a shop's own database Forestall meets none of what is the shop's, whatever its tables are called,
 * whichever pg-boss it runs and whatever search path its connections have: after everything that Forestall does there,
 * and after its schemas are dropped, definitions, owners, grants and rows of the shop are as they were.
 */

import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Forestall } from '../../src/index.ts';
import { createFixedClock, createForestall, createHttpProcessor } from '../../src/index.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { spawnSync } from '../support/child-process.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';

const SECRET = 'processor-secret-for-tests';
const ALERTS = 20;
const DUMP_LIMIT_MS = 60_000;
const NAMES = [
  'refund',
  'customer',
  'card_token',
  'charge',
  'dispute',
  'notification',
  'job',
  'match',
];
const ROLES = new URL('../../migrations/roles.sql', import.meta.url);
const POLICY = new URL('../../templates/policies/demonstration.yaml', import.meta.url).pathname;

/** What is used of a job queue of the shop's, in each version. */
interface ShopQueue {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  send(name: string, data: object): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<unknown>;
}

type ShopQueueClass = new (connectionString: string) => ShopQueue;

const QUEUES: Readonly<Record<string, () => Promise<ShopQueueClass>>> = {
  '10': async () => (await import('pg-boss-10')).default,
  '11': async () => (await import('pg-boss-11')).default,
  '12': async () => (await import('pg-boss-12')).PgBoss,
};

/** Everything in the shop's schemas by the catalogue: what it is, whose, who may what, how it is defined. */
const CATALOGUE = `
  with theirs as (select n.oid, n.nspname::text as schema, n.nspowner, n.nspacl from pg_namespace n where n.nspname in ('public', 'pgboss'))
  select 'schema' as kind, schema as name, pg_get_userbyid(nspowner)::text as owner, nspacl::text as grants, '' as definition from theirs
  union all
  select 'relation ' || c.relkind::text, t.schema || '.' || c.relname, pg_get_userbyid(c.relowner)::text, c.relacl::text,
    concat_ws(' | ', c.relrowsecurity, c.reloptions::text,
      (select string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid)), ', ' order by a.attnum)
         from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
      (select string_agg(pg_get_constraintdef(k.oid), ', ' order by k.conname) from pg_constraint k where k.conrelid = c.oid),
      (select string_agg(pg_get_triggerdef(g.oid), ', ' order by g.tgname) from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal),
      case when c.relkind = 'i' then pg_get_indexdef(c.oid) end)
    from pg_class c join theirs t on t.oid = c.relnamespace
  union all
  select 'routine', p.oid::regprocedure::text, pg_get_userbyid(p.proowner)::text, p.proacl::text,
    case when p.prokind in ('f', 'p') then pg_get_functiondef(p.oid) else '' end
    from pg_proc p join theirs t on t.oid = p.pronamespace
  union all
  select 'type', t.schema || '.' || y.typname, pg_get_userbyid(y.typowner)::text, y.typacl::text,
    (select string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_enum e where e.enumtypid = y.oid)
    from pg_type y join theirs t on t.oid = y.typnamespace
  order by 1, 2, 5`;

async function rowsOf(pool: pg.Pool): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<{ schema: string; name: string }>(
    `select schemaname::text as schema, tablename::text as name from pg_tables where schemaname in ('public', 'pgboss') order by 1, 2`,
  );
  const found: Record<string, unknown> = {};
  for (const { schema, name } of rows) {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    const all = await pool.query(`select t::text as row from ${table} t order by 1`);
    found[`${schema}.${name}`] = all.rows;
  }
  return found;
}

/** By the tool that people back up with, where there is one of the server's version. */
function dumpOf(connectionString: string): string | undefined {
  const args = ['--schema=public', '--schema=pgboss', connectionString];
  const { status, stdout } = spawnSync('pg_dump', args, {
    encoding: 'utf8',
    timeout: DUMP_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  // Each dump has a key of its own that keeps psql from commands in it.
  return status === 0 ? stdout.replaceAll(/^\\(?:un)?restrict .*$/gm, '') : undefined;
}

async function shopOf(database: TestDatabase): Promise<unknown> {
  return {
    catalogue: (await database.pool.query(CATALOGUE)).rows,
    rows: await rowsOf(database.pool),
    dump: dumpOf(database.connectionString),
  };
}

describe.each(Object.keys(QUEUES))('beside a pg-boss %s of the shop', (version) => {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  let database: TestDatabase;
  let pool: pg.Pool;
  let sandbox: Sandbox;
  let forestall: Forestall;
  let before: unknown;

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'template0' });
    const { connectionString, name } = database;
    // What the suite's server says for the looks of tests must not help here.
    await database.pool.query(`alter database ${name} set search_path = public`);
    const role = `shop_${name}`;
    await database.pool.query(`create role ${role}`);
    for (const table of NAMES) {
      await database.pool.query(`create table public.${table} (id int primary key, state text, organisation_id text);
        insert into public.${table} values (7, 'NEW', 'org_shop'); alter table public.${table} owner to ${role};
        grant select on public.${table} to public`);
    }
    const Queue = await QUEUES[version]?.();
    if (Queue === undefined) throw new Error(`no pg-boss ${version}`);
    const queue = new Queue(connectionString);
    queue.on('error', () => undefined);
    await queue.start();
    await queue.createQueue('mails');
    await queue.send('mails', { to: 'ada' });
    await queue.stop({ graceful: false });
    pool = new pg.Pool({ connectionString, max: 12 });
    sandbox = await createSandbox({ clock, processorSecret: SECRET });
    const { accounts, processorUrl: baseUrl, url } = sandbox;
    before = await shopOf(database);
    forestall = await createForestall({
      database: pool,
      service: { url, apiKey: accounts.organisationKey },
      organisationId: accounts.organisationId,
      integrationId: accounts.integrationId,
      webhookSecrets: [accounts.webhookSecret],
      processor: createHttpProcessor({ baseUrl, secret: SECRET, clock }),
      policy: POLICY,
      clock,
    });
  });
  afterAll(async () => {
    await forestall.stop();
    await pool.end();
    await sandbox.close();
    const role = `shop_${database.name}`;
    await database.pool.query(`drop owned by ${role} cascade; drop role ${role}`);
    await database.drop();
  });

  it('everything of the shop is as it was after alerts, roles, an erasure and the end', async () => {
    await forestall.migrate();
    await takeAlerts(forestall, sandbox, clock.nowMs());
    const { rows: cases } = await database.pool.query<{ state: string; count: number }>(
      `select state, count(*)::int as count from forestall.alert_case group by 1`,
    );
    expect(cases).toEqual([{ state: 'DECLARED_REFUND', count: ALERTS }]);
    await withinOwn(forestall, pool, clock.nowMs());
    await database.pool.query(await readFile(ROLES, 'utf8'));
    await forestall.books.eraseCustomer({ customerEmail: 'ada@example.com', operator: 'ada' });
    expect(await pathsOf(pool)).toEqual(['public']);
    expect(await shopOf(database)).toEqual(before);
    await forestall.stop();
    await database.pool.query('drop schema forestall cascade; drop schema forestall_jobs cascade');
    expect(await shopOf(database)).toEqual(before);
  });
});

async function takeAlerts(forestall: Forestall, sandbox: Sandbox, nowMs: number): Promise<void> {
  const app = express();
  app.use(forestall.receiver);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/webhooks`);
  for (let place = 0; place < ALERTS; place++) {
    const sale = makeSale({ product: PRODUCTS.font }, nowMs);
    sandbox.createCharge(sale.charge);
    expect(await forestall.orders.accept([sale.order])).toMatchObject([{ kind: 'accepted' }]);
    sandbox.createAlertFor(sale.charge.reference);
  }
  for (let rounds = 0; rounds < 50; rounds++) {
    await sandbox.settle();
    if ((await forestall.runOnce()) === 0) break;
  }
  server.closeAllConnections();
  server.close();
}

/** An order in the shop's own transaction, whose statements find the shop's tables before and after it. */
async function withinOwn(forestall: Forestall, pool: pg.Pool, nowMs: number): Promise<void> {
  const client = await pool.connect();
  const states = async (): Promise<unknown> =>
    (await client.query(`select state from refund union all select state from charge`)).rows;
  await client.query('begin');
  const { order } = makeSale({ product: PRODUCTS.font }, nowMs);
  const theirs = [{ state: 'NEW' }, { state: 'NEW' }];
  expect(await states()).toEqual(theirs);
  const orders = forestall.orders.within(client);
  expect(await orders.accept([order])).toMatchObject([{ kind: 'accepted' }]);
  expect(await states()).toEqual(theirs);
  await client.query('commit');
  client.release();
}

/** The search path of each of the pool's connections. */
async function pathsOf(pool: pg.Pool): Promise<readonly string[]> {
  const clients = await Promise.all(Array.from({ length: 5 }, () => pool.connect()));
  const paths = new Set<string>();
  for (const client of clients) {
    const { rows } = await client.query<{ path: string; organisation: string | null }>(
      `select current_setting('search_path') as path, current_setting('forestall.organisation', true) as organisation`,
    );
    paths.add(`${rows[0]?.path}${rows[0]?.organisation ?? ''}`);
    client.release();
  }
  return [...paths];
}
