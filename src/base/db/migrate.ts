/**
 * Brings the database up to date from the numbered SQL files in `migrations/`.
 *
 * Any number of processes may call this at once: one applies, the others wait for its lock and find
 * nothing left to do. A failure is thrown; nothing starts on a half-migrated database.
 *
 * A migration only adds, so that the version before works on the schema after it: replicas are exchanged
 * one by one, and going back to the version before needs nothing. One that cannot keep this ends its
 * name in `_breaking`; older versions refuse to work with it.
 *
 * The files name no schema: `@schema@` means ours wherever a statement cannot rely on the search path, as in
 * the body of a function.
 *
 * A migration takes as long as it takes, and so does the wait for another process that migrates; only its
 * wait for a table is limited, because everybody else's statements queue behind it. One whose name ends in
 * `_concurrently` runs outside a transaction, for indexes on tables that are written to meanwhile.
 */

import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { ConfigError, DatabaseError } from '../kernel/errors.ts';
import { listPackageFolder, readPackageFile } from '../kernel/package-file.ts';
import type { Db, Trx } from './database.ts';
import { FORMER_SCHEMA, quotedName, schemaOf } from './schemas.ts';

const FOLDER = new URL('../../../migrations/', import.meta.url);
const FILE_NAME = /^[0-9]{4}_[a-z0-9_]+\.sql$/;
const BREAKING = /_breaking$/;
const CONCURRENTLY = /_concurrently$/;

/** Longest wait of a migration for a table that others use, in PostgreSQL's words. */
const LOCK_TIMEOUT = '10s';

/** How often a process that waits for another's migration asks for its turn, in milliseconds. */
const TURN_MS = 200;

/** Means our schema in a migration's text. */
const SCHEMA_MARK = '@schema@';

/** Ends a statement where several are sent one by one. */
const STATEMENT_END = /;\s*$/m;

/** The second table is there for versions up to 0.1, which lock it. */
const TABLES = `
  create table if not exists forestall_migration (name varchar(255) primary key, timestamp varchar(255) not null);
  create table if not exists forestall_migration_lock (id varchar(255) primary key, is_locked integer not null default 0)`;

/** Names of the migrations of a folder, in their order. */
async function migrationsIn(folder: URL): Promise<string[]> {
  const files = listPackageFolder(folder).filter((file) => FILE_NAME.test(file));
  return files.map((file) => file.replace(/\.sql$/, '')).sort();
}

/** Names of the migrations that the database has. */
async function migrationsOf(db: Db): Promise<ReadonlySet<string>> {
  if (!(await isMigrated(db, schemaOf(db)))) return new Set();
  const { rows } = await sql<{ name: string }>`select name from forestall_migration`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Whether a schema holds a Forestall. The former one may be one that this user may not look into. */
async function isMigrated(db: Db, schema: string): Promise<boolean> {
  const { rows } = await sql<{ may_look: boolean }>`
    select has_schema_privilege(n.oid, 'usage') as may_look
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = 'forestall_migration'`.execute(db);
  const [found] = rows;
  if (found?.may_look === false && schema === schemaOf(db)) {
    throw new ConfigError(
      `This user may not use the schema ${schema}. Run migrations/roles.sql, and make the user a member of forestall_app or forestall_console.`,
    );
  }
  return found !== undefined;
}

/**
 * An installation of earlier versions lives in `public`. No second one is made next to it, which would be empty.
 *
 * @throws {ConfigError} naming the command that moves it
 */
async function refuseFormerSchema(db: Db): Promise<void> {
  const schema = schemaOf(db);
  if (schema === FORMER_SCHEMA || (await isMigrated(db, schema))) return;
  if (!(await isMigrated(db, FORMER_SCHEMA))) return;
  throw new ConfigError(
    `The database holds Forestall's tables in the schema ${FORMER_SCHEMA}, and this version expects them in ${schema}. End every process of Forestall, then run "forestall migrate --move-from ${FORMER_SCHEMA} --check", which shows what would be moved, and the same without --check.`,
  );
}

/**
 * Applies every migration that is missing. Returns the names of those it applied. On the schema of a
 * later version it applies nothing.
 *
 * @throws {DatabaseError} naming the migration that failed; nothing stays of it and of those that share its
 * transaction
 * @throws {ConfigError} on a later version's schema that this one cannot work with, and where the tables are in `public`
 */
export async function migrateToLatest(db: Db, folder = FOLDER): Promise<string[]> {
  await refuseFormerSchema(db);
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
    await ensureSchema(trx);
    await sql.raw(TABLES).execute(trx);
    const step = stepOf(await pendingMigrations(trx, folder));
    for (const name of step) {
      const text = await textOf(name, folder, schemaOf(db));
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

/** A migration's text, for a schema. */
async function textOf(name: string, folder: URL, schema: string): Promise<string> {
  const text = readPackageFile(new URL(`${name}.sql`, folder));
  return text.replaceAll(SCHEMA_MARK, quotedName(schema));
}

/** Makes our schema where it is missing. One that is there was perhaps made by somebody who may, for us. */
async function ensureSchema(trx: Trx): Promise<void> {
  const schema = schemaOf(trx);
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from pg_namespace where nspname = ${schema}) as found`.execute(trx);
  if (rows[0]?.found === true) return;
  await sql
    .raw(`create schema ${quotedName(schema)}`)
    .execute(trx)
    .catch((cause: unknown) => {
      throw new DatabaseError(
        `The schema ${schema} cannot be made. Let somebody who may make it for this user: create schema ${schema} authorization …`,
        { cause },
      );
    });
}

/** Keeps other processes from migrating until the transaction ends, and waits for one that does. */
export async function lockMigrations(trx: Trx): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', ${LOCK_TIMEOUT}, true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
  await sql`select pg_advisory_xact_lock(hashtextextended('forestall:migrate', 0))`.execute(trx);
}

/** Names of the migrations that this version ships. */
export async function ownMigrations(): Promise<readonly string[]> {
  return await migrationsIn(FOLDER);
}

/** Makes in an empty schema what these migrations make, all in one transaction: nothing else writes there meanwhile. */
export async function applyReference(trx: Trx, names: readonly string[]): Promise<void> {
  await sql.raw(TABLES).execute(trx);
  for (const name of names) {
    const text = await textOf(name, FOLDER, schemaOf(trx));
    const together = CONCURRENTLY.test(name) ? text.replaceAll(/\bconcurrently\b/g, '') : text;
    await sql
      .raw(together)
      .execute(trx)
      .catch((cause: unknown) => fail(name, 'Nothing was moved', cause));
  }
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
 * @throws {ConfigError} saying what is missing, or which later migration prevents it
 */
export async function refuseUnusableSchema(
  db: Db,
  nextStep = 'Run "forestall migrate" with this version first.',
): Promise<void> {
  await refuseFormerSchema(db);
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
