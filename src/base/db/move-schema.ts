/**
 * Moves an installation into another schema, in one transaction: its tables with their rows, indexes, triggers and
 * policies, its functions, and its job queue.
 *
 * Which objects are ours is not guessed by their names alone. The migrations that the installation has are applied to
 * an empty schema of the new name; what they make there is what is looked for in the old one, column by column. So a
 * table of the shop's beside ours is never touched, and one that is in the place of ours is told. Functions get
 * the text that was made for the new schema.
 */
import { sql } from 'kysely';
import { ConfigError } from '../kernel/errors.ts';
import type { Db, Trx } from './database.ts';
import { applyReference, lockMigrations, ownMigrations } from './migrate.ts';
import { moveJobs } from './move-jobs.ts';
import { quotedName, schemaOf } from './schemas.ts';

/** What was moved, or would be. */
export interface SchemaMove {
  readonly from: string;
  readonly to: string;
  readonly tables: number;
  readonly rows: number;
  readonly functions: number;
  /** What becomes of the job queue's schema: `shared` is left to anyone who shares it, without our schedules. */
  readonly jobs: 'moved' | 'shared' | 'none';
}

/** What moves, and whether it is only looked at. */
export interface MoveOptions {
  readonly from: string;
  readonly isCheck: boolean;
}

/** A process that was heard of so lately may be at work, in PostgreSQL's words. */
const LIVELY = '35 seconds';

interface Relation {
  readonly name: string;
  readonly kind: string;
  readonly columns: string;
}

interface Routine {
  readonly signature: string;
  readonly definition: string;
}

/** Thrown to take back a check. */
class OnlyLookedAt extends Error {
  readonly found: SchemaMove;
  constructor(found: SchemaMove) {
    super('only looked at');
    this.found = found;
  }
}

/**
 * Moves it into the schema of `db`, which must hold none.
 *
 * @throws {ConfigError} naming what prevents it; nothing was changed then
 */
export async function moveSchema(db: Db, options: MoveOptions): Promise<SchemaMove> {
  try {
    return await db.transaction().execute(async (trx) => await move(trx, options));
  } catch (error) {
    if (error instanceof OnlyLookedAt) return error.found;
    throw error;
  }
}

async function move(trx: Trx, { from, isCheck }: MoveOptions): Promise<SchemaMove> {
  const to = schemaOf(trx);
  await lockMigrations(trx);
  const applied = await requireMovable(trx, from, to);
  await setPath(trx, to);
  await sql.raw(`create schema ${quotedName(to)}`).execute(trx);
  await applyReference(trx, applied);
  const [relations, routines] = [await relationsOf(trx, to), await routinesOf(trx, to)];
  await sql.raw(`drop schema ${quotedName(to)} cascade`).execute(trx);
  const ours = await findRelations(trx, from, relations);
  const signatures = await findRoutines(trx, from, routines);
  await refuseWhileAtWork(trx, from);
  const summary = {
    from,
    to,
    tables: ours.filter(({ kind }) => kind !== 'S' && kind !== 'v').length,
    rows: await countRows(trx, from, ours),
    functions: routines.length,
  };
  if (isCheck) {
    throw new OnlyLookedAt({ ...summary, jobs: await moveJobs(trx, { from, to, isCheck }) });
  }
  await sql.raw(`create schema ${quotedName(to)}`).execute(trx);
  for (const { name, kind } of ours) {
    await relocate(trx, { kind: KINDS[kind] ?? 'table', from, name: quotedName(name) });
  }
  for (const name of signatures) await relocate(trx, { kind: 'routine', from, name });
  await setPath(trx, to);
  for (const { definition } of routines) await sql.raw(definition).execute(trx);
  await grantUsage(trx, to);
  return { ...summary, jobs: await moveJobs(trx, { from, to, isCheck }) };
}

const KINDS: Readonly<Record<string, string>> = { v: 'view', S: 'sequence' };

async function setPath(trx: Trx, schema: string): Promise<void> {
  const path = `${quotedName(schema)}, pg_temp`;
  await sql`select set_config('search_path', ${path}, true)`.execute(trx);
}

/** The migrations that the installation has. */
async function requireMovable(trx: Trx, from: string, to: string): Promise<readonly string[]> {
  if (from === to)
    throw new ConfigError(`Forestall is to live in ${to}, where it would be moved from.`);
  const there = await namesIn(trx, to);
  if (there.includes('forestall_migration')) {
    throw new ConfigError(`The schema ${to} holds a Forestall already. Nothing was moved.`);
  }
  if (there.length > 0) {
    throw new ConfigError(
      `The schema ${to} holds ${there.slice(0, 3).join(', ')} of somebody else. Set FORESTALL_DATABASE_SCHEMA to another name.`,
    );
  }
  if (!(await namesIn(trx, from)).includes('forestall_migration')) {
    throw new ConfigError(`The schema ${from} holds no Forestall. Nothing was moved.`);
  }
  // Empty, and perhaps made by somebody who may: it is made again.
  await sql.raw(`drop schema if exists ${quotedName(to)}`).execute(trx);
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.id(from, 'forestall_migration')} order by name`.execute(trx);
  const applied = rows.map(({ name }) => name);
  const own = new Set(await ownMigrations());
  const unknown = applied.filter((name) => !own.has(name));
  if (unknown.length > 0) {
    throw new ConfigError(
      `A later version made ${unknown.join(', ')}. Move the installation with that version.`,
    );
  }
  return applied;
}

async function namesIn(trx: Trx, schema: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'm', 'S') order by 1`.execute(trx);
  return rows.map(({ name }) => name);
}

/** Tables, views and sequences of a schema; a sequence that a column owns goes with it. */
async function relationsOf(trx: Trx, schema: string): Promise<readonly Relation[]> {
  const { rows } = await sql<Relation>`
    select c.relname as name, c.relkind as kind,
      coalesce((select string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attname)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and c.relkind <> 'S'), '') as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p', 'v', 'S')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.deptype in ('a', 'i') and c.relkind = 'S')
    order by c.relname`.execute(trx);
  return rows;
}

async function routinesOf(trx: Trx, schema: string): Promise<readonly Routine[]> {
  await setPath(trx, schema);
  const { rows } = await sql<Routine>`
    select format('%I(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as signature,
      pg_get_functiondef(p.oid) as definition
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${schema} and p.prokind in ('f', 'p') order by 1`.execute(trx);
  return rows;
}

/** Ours in the old schema, with the partitions that were made since. */
async function findRelations(
  trx: Trx,
  from: string,
  wanted: readonly Relation[],
): Promise<readonly Relation[]> {
  await setPath(trx, from);
  const there = new Map((await relationsOf(trx, from)).map((each) => [each.name, each]));
  const strange = wanted.filter(({ name, kind, columns }) => {
    const found = there.get(name);
    return found?.kind !== kind || found.columns !== columns;
  });
  if (strange.length > 0) {
    const named = strange.slice(0, 5).map(({ name }) => `${from}.${name}`);
    throw new ConfigError(
      `${named.join(', ')} ${strange.length === 1 ? 'is' : 'are'} missing, or not as the migrations of Forestall make ${strange.length === 1 ? 'it' : 'them'}. Nothing was moved.`,
    );
  }
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      join pg_class p on p.oid = i.inhparent join pg_namespace n on n.oid = p.relnamespace
    where n.nspname = ${from} and p.relname = any (${wanted.map(({ name }) => name)}::text[])`.execute(
    trx,
  );
  const names = new Set([...wanted, ...rows].map(({ name }) => name));
  return [...there.values()].filter(({ name }) => names.has(name));
}

async function findRoutines(
  trx: Trx,
  from: string,
  wanted: readonly Routine[],
): Promise<readonly string[]> {
  const there = new Set((await routinesOf(trx, from)).map(({ signature }) => signature));
  const missing = wanted.find(({ signature }) => !there.has(signature));
  if (missing === undefined) return wanted.map(({ signature }) => signature);
  throw new ConfigError(`The function ${from}.${missing.signature} is missing. Nothing was moved.`);
}

async function refuseWhileAtWork(trx: Trx, from: string): Promise<void> {
  const { rows } = await sql<{ worker_id: string; role: string }>`
    select worker_id, role from ${sql.id(from, 'worker_heartbeat')}
    where seen_at > now() - ${LIVELY}::interval order by seen_at desc limit 1`.execute(trx);
  const [alive] = rows;
  if (alive === undefined) return;
  throw new ConfigError(
    `A process is at work here (${alive.role} ${alive.worker_id}). End every process of Forestall, wait ${LIVELY}, and run this again. Nothing was moved.`,
  );
}

async function countRows(trx: Trx, from: string, ours: readonly Relation[]): Promise<number> {
  const counts = ours
    // Rows of a partition are its table's.
    .filter(({ kind }) => kind === 'r')
    .map(({ name }) => sql`(select count(*) from ${sql.id(from, name)})`);
  const { rows } = await sql<{
    rows: number;
  }>`select (${sql.join(counts, sql` + `)})::bigint as rows`.execute(trx);
  return Number(rows[0]?.rows ?? 0);
}

interface Located {
  readonly kind: string;
  readonly from: string;
  /** As it is written in SQL: a routine's is quoted where it was read. */
  readonly name: string;
}

async function relocate(trx: Trx, { kind, from, name }: Located): Promise<void> {
  const to = quotedName(schemaOf(trx));
  await sql.raw(`alter ${kind} ${quotedName(from)}.${name} set schema ${to}`).execute(trx);
}

/** Members of the roles go on; roles.sql says the rest again. */
async function grantUsage(trx: Trx, to: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select rolname as name from pg_roles where rolname in ('forestall_owner', 'forestall_app', 'forestall_console')`.execute(
    trx,
  );
  for (const { name } of rows) {
    await sql.raw(`grant usage on schema ${quotedName(to)} to ${name}`).execute(trx);
  }
}
