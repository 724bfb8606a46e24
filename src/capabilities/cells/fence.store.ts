/**
 * The fence: at the installation that an organisation leaves, triggers refuse every change of its rows, no matter who makes it,
 * also a process that was frozen meanwhile, or that runs an older version. Other organisations' rows pay one
 * comparison.
 *
 * Making a trigger waits for every transaction that has written to the table, and is committed before the next table is
 * locked: when all are there, no transaction is left that wrote a row of the organisation unseen.
 */
import { hash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import pg from 'pg';
import { sqlStateOf } from '../../base/db/transaction.ts';
import { DatabaseError } from '../../base/kernel/errors.ts';
import type { MovedTable } from './moved-tables.ts';
import { NUMBERED_TABLE } from './moved-tables.ts';
import type { RowScope } from './row-text.ts';

/** How long a table's lock is waited for, in milliseconds: others queue behind. The last waits end an autovacuum. */
const WAITS_MS = [100, 200, 400, 1_500, 1_500, 3_000] as const;

/** lock_not_available. */
const LOCKED = '55P03';

const nameOf = (organisationId: string): string =>
  `moved_${hash('sha256', organisationId).slice(0, 16)}`;

/** Puts it up around the tables that move; what of it is there stays. */
export async function raiseFence(
  pool: Pool,
  tables: readonly MovedTable[],
  scope: RowScope,
): Promise<void> {
  const standing = await standingFence(pool, scope.organisationId);
  for (const table of tables) {
    const owner = ownerLiteral(table, scope);
    if (owner === undefined || standing.has(table.name)) continue;
    await changeTable(pool, table, triggersOf(table, scope.organisationId, owner));
  }
}

/** Takes it down. */
export async function dropFence(
  pool: Pool,
  tables: readonly MovedTable[],
  organisationId: string,
): Promise<void> {
  const standing = await standingFence(pool, organisationId);
  const trigger = nameOf(organisationId);
  for (const table of tables.filter(({ name }) => standing.has(name))) {
    await changeTable(pool, table, [
      `drop trigger if exists ${trigger} on ${table.name}`,
      `drop trigger if exists ${trigger}_gone on ${table.name}`,
    ]);
  }
}

async function standingFence(pool: Pool, organisationId: string): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_trigger g join pg_class c on c.oid = g.tgrelid
     where g.tgname = $1 and c.relnamespace = current_schema()::regnamespace and not c.relispartition`,
    [nameOf(organisationId)],
  );
  return new Set(rows.map(({ name }) => name));
}

function ownerLiteral(table: MovedTable, { organisationId, number }: RowScope): string | undefined {
  if (table.owner !== NUMBERED_TABLE.owner) return pg.escapeLiteral(organisationId);
  return number === undefined ? undefined : String(number);
}

function triggersOf(table: MovedTable, organisationId: string, owner: string): readonly string[] {
  const trigger = nameOf(organisationId);
  const refuse = `for each row when (%.${table.owner} = ${owner}) execute function refuse_moved(${pg.escapeLiteral(organisationId)})`;
  return [
    `create trigger ${trigger} before insert or update on ${table.name} ${refuse.replace('%', 'new')}`,
    `create trigger ${trigger}_gone before delete on ${table.name} ${refuse.replace('%', 'old')}`,
  ];
}

async function changeTable(
  pool: Pool,
  table: MovedTable,
  statements: readonly string[],
): Promise<void> {
  for (const waitMs of WAITS_MS) {
    const client = await pool.connect();
    try {
      if (await tryChange(client, waitMs, statements)) return;
    } finally {
      client.release();
    }
  }
  throw new DatabaseError(
    `The table ${table.name} has been locked by others for too long. See pg_stat_activity for what holds it, end it, and run the command again: it goes on here.`,
  );
}

async function tryChange(
  client: PoolClient,
  waitMs: number,
  statements: readonly string[],
): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${waitMs}`);
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    if (sqlStateOf(error) !== LOCKED) throw error;
    return false;
  }
}
