/**
 * A database for a test file: made from a migrated template in a few milliseconds, dropped after.
 *
 * The server is started once per run by `global-setup.ts`; scripts outside vitest start their own with
 * `startEmbeddedPostgres`.
 */
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { createLog } from '../../src/base/kernel/log.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the server's maintenance database. */
    postgresUrl: string;
  }
}

/** The template that `global-setup.ts` migrates. */
export const TEMPLATE = 'forestall_template';

/** How long a connection is waited for, in milliseconds: a test repeats nothing that fails on a busy machine. */
export const CONNECT_MS = 60_000;

/** How often is looked whether connections have ended, 20 ms apart: on a quiet machine once or twice. */
const LOOKS = 50;

let counter = 0;

/** An open, migrated, empty database. Call `drop()` in `afterAll`, or open it by `useTestDatabase`. */
export interface TestDatabase extends OpenDatabase {
  readonly name: string;
  readonly connectionString: string;
  drop(): Promise<void>;
}

/** Runs one statement on the maintenance database. */
async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Waits until nobody is connected any more, for a moment: a pool ends before the server has seen the end of its connections,
 * and one that is cut off then throws in the middle of another test.
 */
async function left(name: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [
        name,
      ]);
      if (rowCount === 0) return;
      await client.query('select pg_sleep(0.02)');
    }
  } finally {
    await client.end();
  }
}

/** Makes a database of its own for the calling test file; `template`: a copy of that one instead. */
export async function createTestDatabase(
  options: { maxConnections?: number; template?: string } = {},
): Promise<TestDatabase> {
  counter += 1;
  const name = `test_${process.pid}_${counter}_${Math.random().toString(36).slice(2, 8)}`;
  // The default way logs every page it copies, and takes five times as long.
  await administer(
    `create database ${name} template ${options.template ?? TEMPLATE} strategy file_copy`,
  );
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  const connectionString = url.href;
  const open = openDatabase({
    connectionString,
    log: createLog({ level: 'silent' }),
    maxConnections: options.maxConnections ?? 10,
    connectTimeoutMs: CONNECT_MS,
  });
  return {
    ...open,
    name,
    connectionString,
    async drop(): Promise<void> {
      await open.close();
      await left(name);
      await administer(`drop database if exists ${name} with (force)`);
    },
  };
}

/** The same for the calling file: there in its hooks and tests, dropped after them. */
export function useTestDatabase(): TestDatabase {
  let opened: TestDatabase | undefined;
  beforeAll(async () => {
    opened = await createTestDatabase();
  });
  afterAll(() => opened?.drop());
  const database = (): TestDatabase => {
    if (opened === undefined) throw new Error('The database is there in hooks and tests only.');
    return opened;
  };
  return {
    get db(): TestDatabase['db'] {
      return database().db;
    },
    get pool(): TestDatabase['pool'] {
      return database().pool;
    },
    get name(): string {
      return database().name;
    },
    get connectionString(): string {
      return database().connectionString;
    },
    close: () => database().close(),
    drop: () => database().drop(),
  };
}

/** The same database over TCP, for what must see bytes or an address: the suite's server is reached by its socket. */
export function overTcp(connectionString: string): URL {
  const url = new URL(connectionString);
  url.searchParams.delete('host');
  return url;
}

/** A copy of a database as it is now, as restoring a backup makes one. Connections to it are cut. */
export async function copyDatabase({ name }: TestDatabase): Promise<TestDatabase> {
  await administer(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  return await createTestDatabase({ template: name });
}
