/**
 * Where connections come from: an address, or a pool that the embedding program brings.
 *
 * Three things need connections: queries, one that listens for wake-ups, and the job queue. With an
 * address each opens its own; with a pool all queries go through it, and only the listener, which
 * must keep its session, connects by itself with the pool's own options. Limits on statements and
 * locks are then the pool's to set. Where the address is a pooler's, a direct one beside it serves what
 * needs a session: the listener and migrations.
 */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ConfigError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { borrow } from './borrowed-client.ts';
import type { KeySource } from './carried-keys.ts';
import { carryKeys } from './carried-keys.ts';
import type { DatabaseOptions, OpenDatabase } from './connect.ts';
import { INT8_OID, openDatabase, parseInt8 } from './connect.ts';
import type { Database } from './database.ts';
import type { DatabaseSettings } from './database-settings.ts';
import { poolFor, poolThrough } from './for-organisation.ts';
import { carrySchema, DEFAULT_SCHEMA, jobsSchemaOf, searchPathOf } from './schemas.ts';

/** What the job queue runs on. */
export type JobStore = { readonly schema: string } & (
  | { readonly connectionString: string }
  | { readonly db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> } }
);

/** What a part asks for. */
export type PartOptions = Omit<
  DatabaseOptions,
  'connectionString' | 'dataKeys' | 'organisation' | 'schema'
>;

/** A database that can be opened. */
export interface DatabaseSource {
  open(options: PartOptions): OpenDatabase;
  /** How the one listening connection is made. */
  readonly connection: pg.ClientConfig;
  readonly jobs: JobStore;
  /** Most connections for taking in webhooks. Undefined: as many as that needs. */
  readonly receiveConnections?: number | undefined;
  /** For changes of the schema, which take as long as they take. */
  readonly migration: { open(log: Log): OpenDatabase; readonly jobs: JobStore };
}

/** What belongs to a database, wherever its connections come from. */
interface SourceOptions {
  readonly dataKeys?: KeySource | undefined;
  /** Whose rows are seen (`for-organisation.ts`). */
  readonly organisation?: string | undefined;
}

/** What belongs to an address. */
export interface UrlSourceOptions extends SourceOptions {
  readonly settings?: Partial<DatabaseSettings>;
}

/** What belongs to a pool that was brought. */
export interface PoolSourceOptions extends SourceOptions {
  readonly directUrl?: string | undefined;
  /** Where the tables are (`schemas.ts`). @default 'forestall' */
  readonly schema?: string | undefined;
}

/** The database at an address; every part opens connections of its own. */
export function sourceOfUrl(
  connectionString: string,
  { dataKeys, organisation, settings = {} }: UrlSourceOptions = {},
): DatabaseSource {
  const { directUrl = connectionString, receiveConnections, ...limits } = settings;
  const schema = jobsSchemaOf(limits.schema ?? DEFAULT_SCHEMA);
  return {
    open: (options) =>
      openDatabase({ ...limits, ...options, connectionString, dataKeys, organisation }),
    connection: { connectionString: directUrl },
    jobs: { connectionString, schema },
    receiveConnections,
    migration: {
      // A wait for a lock has its limit in each migration; here others wait for the one that migrates.
      open: (log) =>
        openDatabase({
          ...limits,
          log,
          connectionString: directUrl,
          dataKeys,
          statementTimeoutMs: 0,
          lockTimeoutMs: 0,
        }),
      jobs: { connectionString: directUrl, schema },
    },
  };
}

/**
 * The database behind a pool that stays its owner's: it is never ended here, and its connections go back
 * as they were.
 *
 * @throws {ConfigError} when `pg` has been told, for the whole process, to read times or JSON as text
 */
export function sourceOfPool(pool: pg.Pool, options: PoolSourceOptions = {}): DatabaseSource {
  requireUsualParsers();
  const { directUrl, schema = DEFAULT_SCHEMA } = options;
  const open = (log: Log): OpenDatabase => openOnPool(pool, log, options);
  const jobs: JobStore = {
    schema: jobsSchemaOf(schema),
    db: {
      // As it is: of several statements at once the queue expects the list of results.
      executeSql: (text, values): Promise<pg.QueryResult<Record<string, unknown>>> =>
        pool.query<Record<string, unknown>>(text, values),
    },
  };
  return {
    open: ({ log }) => open(log),
    connection: directUrl === undefined ? pool.options : { connectionString: directUrl },
    jobs,
    migration: { open, jobs },
  };
}

const READING = { oid: INT8_OID, parse: parseInt8 };

const TIMESTAMPTZ_OID = 1184;
const JSONB_OID = 3802;

function requireUsualParsers(): void {
  const at: unknown = pg.types.getTypeParser(TIMESTAMPTZ_OID)('2026-01-01 00:00:00+00');
  const json: unknown = pg.types.getTypeParser(JSONB_OID)('{}');
  if (at instanceof Date && typeof json === 'object') return;
  throw new ConfigError(
    'pg.types.setTypeParser has changed how timestamptz or jsonb is read in the whole process. Give your pool "types" of its own instead.',
  );
}

function openOnPool(
  theirs: pg.Pool,
  log: Log,
  { dataKeys, organisation, schema = DEFAULT_SCHEMA }: PoolSourceOptions,
): OpenDatabase {
  // Anyone who borrows of it, for whichever organisation, reads as we do, and from our tables.
  const options = { log, searchPath: searchPathOf(schema), reading: READING };
  const ours = poolThrough(theirs, async () => borrow(await theirs.connect(), options));
  const pool = organisation === undefined ? ours : poolFor(ours, organisation);
  // Without a listener, an idle connection that Postgres closes would end the process.
  const onError = (error: Error): void => log.warn({ err: error }, 'database connection lost');
  theirs.on('error', onError);
  const dialect = new PostgresDialect({
    pool: {
      options: theirs.options,
      connect: (): Promise<pg.PoolClient> => pool.connect(),
      end: (): Promise<void> => Promise.resolve(),
    },
  });
  const db = new Kysely<Database>({
    dialect,
    plugins: [...carryKeys(dataKeys), ...carrySchema(schema)],
  });
  return {
    pool,
    db,
    async close(): Promise<void> {
      await db.destroy();
      theirs.off('error', onError);
    },
  };
}
