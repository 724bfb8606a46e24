/**
 * Opens the database: a pool that survives a restart of Postgres, and Kysely on top of it. Behind a pooler
 * it leaves nothing in the server's sessions.
 *
 * A connection that falls silent, or leads to a server that takes no writes, is given up: after a failover
 * the next one leads to the new primary.
 */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { DatabaseError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { KeySource } from './carried-keys.ts';
import { carryKeys } from './carried-keys.ts';
import type { Database } from './database.ts';
import { preparingClient } from './preparing-client.ts';
import { carrySchema, DEFAULT_SCHEMA, searchPathOf } from './schemas.ts';
import { KEEP_ALIVE, watchedClient } from './watched-client.ts';
import { isSpent, requireWritable } from './writable.ts';

/** Options of {@link openDatabase}. */
export interface DatabaseOptions {
  readonly connectionString: string;
  readonly log: Log;
  /** Where its tables are (`schemas.ts`). @default 'forestall' */
  readonly schema?: string | undefined;
  /** Most connections at once. @default 10 */
  readonly maxConnections?: number;
  /** Longest statement, in milliseconds; 0: none. @default 30000 */
  readonly statementTimeoutMs?: number;
  /** Longest wait for a lock, in milliseconds; 0: none. @default 10000 */
  readonly lockTimeoutMs?: number;
  /** Longest wait for a free connection, or for a new one's first answer, in milliseconds. @default 5000 */
  readonly connectTimeoutMs?: number;
  /** Shown in `pg_stat_activity`. @default 'forestall' */
  readonly applicationName?: string;
  /** Whose rows its statements see where the wall is up (`for-organisation.ts`). @default none */
  readonly organisation?: string | undefined;
  /** The keys under which columns are sealed. @default nothing is sealed */
  readonly dataKeys?: KeySource | undefined;
}

/** An open database. Close it with `close()`, which waits for queries under way. */
export interface OpenDatabase {
  readonly pool: pg.Pool;
  readonly db: Kysely<Database>;
  close(): Promise<void>;
}

/** Postgres' number of the type `bigint`. */
export const INT8_OID = 20;

/** Reads `bigint` as a number and refuses one that a number cannot hold exactly. */
export function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    throw new DatabaseError(
      `The database holds ${text.length} digits where a number was expected.`,
    );
  }
  return value;
}

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary' ? parseInt8 : pg.types.getTypeParser(oid, format),
};

/** Opens a pool. Nothing connects before the first query. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { connectionString, log } = options;
  const { statementTimeoutMs = 30_000, lockTimeoutMs = 10_000, connectTimeoutMs = 5_000 } = options;
  const { organisation, schema = DEFAULT_SCHEMA } = options;
  const searchPath = searchPathOf(schema);
  const limits = { statementTimeoutMs, lockTimeoutMs, connectTimeoutMs, searchPath, organisation };
  const Client = preparingClient(limits);
  const pool = new pg.Pool({
    Client: watchedClient(Client, log),
    onConnect: async (client): Promise<void> => {
      if (client instanceof Client) await client.settle();
    },
    verify: requireWritable,
    connectionString,
    types,
    max: options.maxConnections ?? 10,
    application_name: options.applicationName ?? 'forestall',
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + 1_000 }),
    ...KEEP_ALIVE,
  });
  // Without a listener, an idle connection that Postgres closes would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'));
  // The pool listens to idle connections only: one that is cut inside a transaction, between two
  // statements, would end the process too. Its next statement fails, which is what the caller handles.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'database connection cut'));
  });
  pool.on('release', (_error, client) => {
    if (isSpent(client)) client.end();
  });
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    plugins: [...carryKeys(options.dataKeys), ...carrySchema(schema)],
  });
  return {
    pool,
    db,
    async close(): Promise<void> {
      await db.destroy();
      // Kysely leaves a pool open that it has sent nothing through: others may have borrowed its connections.
      if (!pool.ending) await pool.end();
    },
  };
}
