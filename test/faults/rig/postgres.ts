/**
 * The PostgreSQL of a run: the embedded one in a folder of its own, stopped, restarted and started by
 * the cases, always on the same port.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../src/base/db/embedded/embedded.ts';
import { locatePostgres } from '../../../src/base/db/embedded/server-location.ts';

const run = promisify(execFile);

/** A server that can be hurt. */
export interface Postgres {
  readonly port: number;
  /** The address of a database of this server as reached through `port`. */
  url(database: string, port: number): string;
  /** Makes an empty database whose `now()` and `clock_timestamp()` can be moved. */
  createDatabase(name: string): Promise<void>;
  /** Moves the time of a database: from now on it is `offsetMs` ahead of the machine's. */
  moveClock(database: string, offsetMs: number): Promise<void>;
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Runs one statement, past every proxy. */
  query(database: string, text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/**
 * Functions of our own in the place of those of `pg_catalog`: the roles ask the database for the time, so that
 * moving it here moves every process at its next start.
 */
export const MOVABLE_CLOCK = `
  create table public.fault_clock (ahead interval not null);
  insert into public.fault_clock values (interval '0');
  alter function pg_catalog.clock_timestamp() rename to true_clock_timestamp;
  alter function pg_catalog.now() rename to true_now;
  create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile as
    'select pg_catalog.true_clock_timestamp() + (select ahead from public.fault_clock)';
  create function pg_catalog.now() returns timestamptz language sql stable as
    'select pg_catalog.true_now() + (select ahead from public.fault_clock)';
  grant select on public.fault_clock to public;`;

/** Where the looks of the cases find what they name. */
export const LOOKS_PATH = 'forestall, forestall_jobs, public';

const open = new Set<() => Promise<void>>();

/** Stops every server that still runs, for a run that is interrupted. */
export async function stopAllPostgres(): Promise<void> {
  await Promise.allSettled([...open].map((stop) => stop()));
}

/** Connections per database of the cases' own looks: several cases look at once. */
const LOOKS = 4;

/**
 * Looks of the cases, on connections that are kept: a case that waits looks several times a second. A look
 * whose kept connection was cut meanwhile, by a case that hurts the server, is repeated once.
 */
export function createQuery(urlOf: (database: string) => string): {
  query: Postgres['query'];
  closePools: () => Promise<void>;
} {
  const pools = new Map<string, pg.Pool>();
  const poolOf = (database: string): pg.Pool => {
    const known = pools.get(database);
    if (known !== undefined) return known;
    const pool = new pg.Pool({ connectionString: urlOf(database), max: LOOKS });
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    pools.set(database, pool);
    return pool;
  };
  return {
    async query(database, text, values): Promise<Record<string, unknown>[]> {
      const look = (): Promise<pg.QueryResult<Record<string, unknown>>> =>
        poolOf(database).query<Record<string, unknown>>(text, values);
      const result = await look().catch((error: unknown) => {
        if (/terminat|ECONNRESET/i.test(String(error))) return look();
        throw error;
      });
      return Array.isArray(result) ? [] : result.rows;
    },
    async closePools(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
      pools.clear();
    },
  };
}

/** Starts the server. */
export async function startPostgres(): Promise<Postgres> {
  const embedded = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const stopEmbedded = (): Promise<void> => embedded.stop();
  open.add(stopEmbedded);
  const base = new URL(embedded.connectionString);
  const location = await locatePostgres(embedded.folder);
  const port = Number(base.port);
  const url = (database: string, throughPort: number): string => {
    const address = new URL(base);
    address.pathname = `/${database}`;
    address.port = String(throughPort);
    return address.href;
  };
  const { query, closePools } = createQuery((database) => url(database, port));
  const control = async (args: readonly string[]): Promise<void> => {
    const dataDir = join(location.folder, 'data');
    await run(location.programs.pg_ctl, [...args, `--pgdata=${dataDir}`, '--wait', '--silent'], {
      ...location.user,
      cwd: location.folder,
    });
  };
  let isDown = false;
  const start = async (): Promise<void> => {
    await control(['start', `--log=${join(location.folder, 'postgres.log')}`]);
    isDown = false;
  };
  // A start by hand knows none of the options of the first one: they go into the server's own file.
  for (const setting of [
    `port = ${port}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${location.folder}'`,
    'max_connections = 200',
    'fsync = off',
  ]) {
    await query('postgres', `alter system set ${setting}`);
  }
  // The first start loses what was committed last when it is stopped hard; from now on a commit is written.
  await closePools();
  await control(['stop', '--mode=fast']);
  await start();
  return {
    port,
    url,
    query,
    async createDatabase(name): Promise<void> {
      await query('postgres', `create database ${name}`);
      await query('postgres', `alter database ${name} set search_path = ${LOOKS_PATH}`);
      await query(name, MOVABLE_CLOCK);
    },
    async moveClock(database, offsetMs): Promise<void> {
      await query(database, `update fault_clock set ahead = $1 * interval '1 millisecond'`, [
        offsetMs,
      ]);
    },
    async stop(mode): Promise<void> {
      await control(['stop', `--mode=${mode}`]);
      isDown = true;
    },
    start,
    async close(): Promise<void> {
      open.delete(stopEmbedded);
      await closePools();
      if (isDown) await start();
      await embedded.stop();
    },
  };
}
