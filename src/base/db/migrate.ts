/**
 * Brings the database up to date from the numbered SQL files in `migrations/`.
 *
 * Any number of processes may call this at once: one applies, the others wait for its lock and find
 * nothing left to do. A failure is thrown; nothing starts on a half-migrated database.
 *
 * A migration only adds, so that the version before works on the schema after it: replicas are exchanged
 * one by one, and going back to the version before needs nothing. One that cannot keep this ends its
 * name in `_breaking`; older versions refuse to work beside it.
 *
 * A migration takes as long as it takes, and so does the wait for another process that migrates; only its
 * wait for a table is limited, because everybody else's statements queue behind it. One whose name ends in
 * `_concurrently` runs outside a transaction, for indexes on tables that are written to meanwhile.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { ConfigError, DatabaseError } from '../kernel/errors.ts';
import type { Db, Trx } from './database.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);
const FILE_NAME = /^[0-9]{4}_[a-z0-9_]+\.sql$/;
const BREAKING = /_breaking$/;
const CONCURRENTLY = /_concurrently$/;

/** Longest wait of a migration for a table that others use, in PostgreSQL's words. */
const LOCK_TIMEOUT = '10s';

/** How often a process that waits for another's migration asks for its turn, in milliseconds. */
const TURN_MS = 200;

/** Ends a statement where several are sent one by one. */
const STATEMENT_END = /;\s*$/m;

/** The second table is there for versions up to 0.1, which lock it. */
const TABLES = `
  create table if not exists forestall_migration (name varchar(255) primary key, timestamp varchar(255) not null);
  create table if not exists forestall_migration_lock (id varchar(255) primary key, is_locked integer not null default 0)`;

/** Names of the migrations of a folder, in their order. */
async function migrationsIn(folder: URL): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => FILE_NAME.test(file));
  return files.map((file) => file.replace(/\.sql$/, '')).sort();
}

/** Names of the migrations that the database has. */
async function migrationsOf(db: Db): Promise<ReadonlySet<string>> {
  const present = await sql<{ found: boolean }>`
    select to_regclass('forestall_migration') is not null as found`.execute(db);
  if (present.rows[0]?.found !== true) return new Set();
  const { rows } = await sql<{ name: string }>`select name from forestall_migration`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Applies every migration that is missing. Returns the names of those it applied. On the schema of a
 * later version it applies nothing.
 *
 * @throws {DatabaseError} naming the migration that failed; nothing stays of it and of those that share its
 * transaction
 * @throws {ConfigError} on a later version's schema that this one cannot work with
 */
export async function migrateToLatest(db: Db, folder = FOLDER): Promise<string[]> {
  if ((await laterMigrations(db, folder)).length > 0) {
    await refuseUnusableSchema(db);
    return [];
  }
  const applied: string[] = [];
  while ((await pendingMigrations(db, folder)).length > 0) {
    const step = await applyNext(db, folder);
    if (step === undefined) await setTimeout(TURN_MS);
    else applied.push(...step);
  }
  return applied;
}

/**
 * Applies what comes next: all that share a transaction, or one that runs outside any. Undefined: another
 * process is at it. It is asked for again instead of waited for inside a statement, whose snapshot an index
 * that is built concurrently would wait for in its turn.
 */
async function applyNext(db: Db, folder: URL): Promise<readonly string[] | undefined> {
  return await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('forestall:migrate', 0)) as mine`.execute(
      trx,
    );
    if (rows[0]?.mine !== true) return undefined;
    await sql.raw(TABLES).execute(trx);
    const step = stepOf(await pendingMigrations(trx, folder));
    for (const name of step) {
      const text = await readFile(new URL(`${name}.sql`, folder), 'utf8');
      if (CONCURRENTLY.test(name)) await applyApart(db, trx, { name, text });
      else await applyTogether(trx, { name, text });
      await sql`insert into forestall_migration (name, timestamp)
        values (${name}, to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`.execute(
        trx,
      );
    }
    return step;
  });
}

/** Those to apply in one step. */
function stepOf(pending: readonly string[]): readonly string[] {
  const apart = pending.findIndex((name) => CONCURRENTLY.test(name));
  return apart === -1 ? pending : pending.slice(0, Math.max(1, apart));
}

interface Step {
  readonly name: string;
  readonly text: string;
}

/** Without a time limit, but never long in the way of those who use its tables. */
async function applyTogether(trx: Trx, { name, text }: Step): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true),
    set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(trx);
  await sql
    .raw(text)
    .execute(trx)
    .catch((cause: unknown) => fail(name, 'Nothing was changed', cause));
}

/**
 * Statement by statement on another connection, because PostgreSQL would run what is sent together in one
 * transaction, while `turn` keeps other processes waiting. That one must hold no snapshot meanwhile: its last
 * statement is one that needs none.
 */
async function applyApart(db: Db, turn: Trx, { name, text }: Step): Promise<void> {
  await sql.raw('set local idle_in_transaction_session_timeout = 0').execute(turn);
  for (const statement of text.split(STATEMENT_END)) {
    if (statement.trim() === '') continue;
    await sql
      .raw(statement)
      .execute(db)
      .catch((cause: unknown) => fail(name, 'It begins again at the next start', cause));
  }
}

function fail(name: string, consequence: string, cause: unknown): never {
  throw new DatabaseError(`Migration ${name} failed. ${consequence}; see the cause.`, { cause });
}

/** Names of migrations that this version ships and the database lacks. */
export async function pendingMigrations(db: Db, folder = FOLDER): Promise<string[]> {
  const applied = await migrationsOf(db);
  return (await migrationsIn(folder)).filter((name) => !applied.has(name));
}

/** Names of migrations that the database has and this version does not know: a later version's. */
export async function laterMigrations(db: Db, folder = FOLDER): Promise<string[]> {
  const own = new Set(await migrationsIn(folder));
  return [...(await migrationsOf(db))].filter((name) => !own.has(name)).sort();
}

/**
 * Refuses a schema that this version cannot work on, so that nothing works by halves.
 *
 * @throws {ConfigError} saying what is missing, or which later migration stands against it
 */
export async function refuseUnusableSchema(
  db: Db,
  nextStep = 'Run "forestall migrate" with this version first.',
): Promise<void> {
  const pending = await pendingMigrations(db);
  if (pending.length > 0) {
    throw new ConfigError(`The database lacks ${pending.join(', ')}. ${nextStep}`);
  }
  const breaking = (await laterMigrations(db)).filter((name) => BREAKING.test(name));
  if (breaking.length > 0) {
    throw new ConfigError(
      `A later version has changed the database in a way that this one cannot work with (${breaking.join(', ')}). Start the later version again, or restore the backup made before the upgrade.`,
    );
  }
}
