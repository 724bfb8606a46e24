/**
 * Starts one PostgreSQL for the whole run, migrates the template database and sets up the roles.
 *
 * It is the embedded one, or the installed one whose programs are in `FORESTALL_TEST_POSTGRES_BIN`.
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { DEFAULT_SCHEMA, jobsSchemaOf, searchPathOf } from '../../src/base/db/schemas.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { unpackChromium } from '../browser/support/unpack-chromium.ts';
import { switchOffAdvisoryLocks } from './advisory-locks.ts';
import { TEMPLATE } from './database.ts';

/**
 * What only pays on large tables, or after long, costs more than it gives on those of a test: a plan for each set
 * of values too, because planning is most of what the server does for statements that find a row or none.
 */
const SETTINGS = ['autovacuum = off', 'jit = off', 'plan_cache_mode = force_generic_plan'];

export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const binFolder = process.env['FORESTALL_TEST_POSTGRES_BIN'];
  const server = await startEmbeddedPostgres({
    temporary: true,
    volatile: true,
    inMemory: true,
    // Windows' client does not know such sockets.
    socket: process.platform !== 'win32',
    ...(binFolder === undefined ? {} : { binFolder }),
  });
  const maintenance = new URL(server.connectionString);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  for (const setting of SETTINGS) await client.query(`alter system set ${setting}`);
  // For what tests ask by connections of their own. The program's set theirs by themselves: `schemas.test.ts` takes this away.
  await client.query(`alter role all set search_path = ${searchPathOf(DEFAULT_SCHEMA)}`);
  await client.query('select pg_reload_conf()');
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const template = new URL(server.connectionString);
  template.pathname = `/${TEMPLATE}`;
  const connectionString = template.href;
  const log = createLog({ level: 'silent' });
  const { db, pool, close } = openDatabase({ connectionString, log });
  await migrateToLatest(db);
  await migrateBoss({ connectionString, schema: jobsSchemaOf(DEFAULT_SCHEMA) }, log);
  await pool.query(await readFile(new URL('../../migrations/roles.sql', import.meta.url), 'utf8'));
  // A console with a role of its own does not say what time it is, but in tests it does.
  await pool.query(
    'create or replace function access_now(given timestamptz) returns timestamptz language sql as $$ select given $$',
  );
  // What connects with a role of its own does its work behind the wall.
  await pool.query('call wall_organisations(true)');
  // The suites about money are run so too: see CONTRIBUTING.md.
  if (process.env['FORESTALL_TEST_ADVISORY_LOCKS'] === 'off') await switchOffAdvisoryLocks(pool);
  await close();
  // Once, before its users start side by side. Why it cannot be had here, they say themselves.
  await unpackChromium().catch(() => undefined);
  project.provide('postgresUrl', maintenance.href);
  return () => server.stop();
}
