/**
 * The databases of a simulation: a migrated template, made once, and a copy of it for each cell, thrown
 * away after it. A run thus never meets another run's rows, and is the same alone as among thousands.
 *
 * Nothing works in the background there: no autovacuum, whose statistics would change a plan, and with
 * it the order of rows, at a moment that the machine chooses. PostgreSQL itself never crashes here, so the
 * embedded one does without fsync; `npm run faults` is what restarts it.
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { openDatabase } from '../../src/base/db/connect.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { DEFAULT_SCHEMA, searchPathOf } from '../../src/base/db/schemas.ts';
import { migrateBoss } from '../../src/base/jobs/boss.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { Answer, Wire } from './wire.ts';
import { openWire } from './wire.ts';

/** The two connections of a run. Close them when the run is over. */
export interface SimulationDatabase {
  /** Belongs to nobody: whoever judges sees everything. */
  readonly raw: Wire;
  /** Of our processes: behind the wall between organisations. */
  readonly own: Wire;
  close(): Promise<void>;
}

/**
 * Statements come again and again: one plan of each is made per connection and kept, by the indexes, as
 * where tables are large: those of a cell are small, and reading them whole opens every order's body. Nobody
 * looks at the server's own counts here.
 */
const SESSION = `set plan_cache_mode = force_generic_plan; set jit = off; set enable_seqscan = off;
  set track_counts = off; set track_activities = off; set synchronous_commit = off;
  set search_path = ${searchPathOf(DEFAULT_SCHEMA)}`;

const ROLES = new URL('../../migrations/roles.sql', import.meta.url);

/** Keeps autovacuum away from every table; a copy of the database keeps that. */
const QUIET_TABLES = `
  do $$
  declare t record;
  begin
    for t in select c.oid::regclass as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')
    loop
      execute format('alter table %s set (autovacuum_enabled = false)', t.name);
    end loop;
  end $$`;

function inDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on the server's own database. */
async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Migrates a database, if need be, raises the wall between organisations, and quiets it. */
async function prepareDatabase(connectionString: string): Promise<void> {
  const log = createLog({ level: 'silent' });
  const { db, pool, close } = openDatabase({ connectionString, log, maxConnections: 2 });
  try {
    await migrateToLatest(db);
    await migrateBoss({ connectionString, schema: 'forestall_jobs' }, log);
    await pool.query(await readFile(ROLES, 'utf8'));
    await pool.query('call wall_organisations(true)');
    await pool.query(QUIET_TABLES);
  } finally {
    await close();
  }
}

async function connect(connectionString: string, more = ''): Promise<Wire> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(SESSION + more);
  return openWire(client);
}

async function connectBoth(connectionString: string): Promise<SimulationDatabase> {
  const plain = await connect(connectionString);
  const own = await connect(connectionString, '; set role forestall_app');
  const raw: Wire = {
    ...plain,
    async query<Row>(text: string, values?: readonly unknown[]): Promise<Answer<Row>> {
      await own.flush();
      return await plain.query<Row>(text, values);
    },
  };
  return {
    raw,
    own,
    async close(): Promise<void> {
      await Promise.all([raw.close(), own.close()]);
    },
  };
}

/** Opens a database that is there, migrating it if need be: for runs that share one. */
export async function openSimulationDatabase(
  connectionString: string,
): Promise<SimulationDatabase> {
  await prepareDatabase(connectionString);
  return await connectBoth(connectionString);
}

/** Makes the template. Nobody may be connected to it while cells are made from it. */
export async function makeTemplate(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, `create database ${name}`);
  await prepareDatabase(inDatabase(serverUrl, name));
}

/** Removes a database and whoever is connected to it. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await administer(serverUrl, `drop database if exists ${name} with (force)`);
}

/** Makes a cell's own database; closing it removes it. */
export async function openCellDatabase(
  serverUrl: string,
  { template, name }: { readonly template: string; readonly name: string },
): Promise<SimulationDatabase> {
  // The default way logs every page that it copies.
  await administer(serverUrl, `create database ${name} template ${template} strategy file_copy`);
  const both = await connectBoth(inDatabase(serverUrl, name));
  return {
    ...both,
    async close(): Promise<void> {
      await both.close();
      await dropDatabase(serverUrl, name);
    },
  };
}
