/**
 * All SQL of the entity tables: lock what is known, add what is new, replace what changed. Each is one
 * statement for any number of rows of a kind, built once from the kind's projection.
 *
 * Rows travel as one array of texts for each column: PostgreSQL reads them in half of the time of a JSON document.
 */
import type { RawBuilder } from 'kysely';
import { CompiledQuery, sql } from 'kysely';
import type { Reads } from '../../base/db/columns.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { keptText } from '../../base/db/kept-text.ts';
import { textArray } from '../../base/db/text-array.ts';
import { instantOf } from '../../base/kernel/instant.ts';
import type { SnapshotSource } from './entity.table.ts';
import type { NewChange } from './entity-change.store.ts';
import { changeArrays, insertChangesOf } from './entity-change.store.ts';
import type { ServiceObject } from './fields.ts';
import type { EntityState } from './fold.ts';
import type { ColumnType, ColumnValue, Projection } from './projection.ts';
import { project } from './projection.ts';
import type { Snapshot } from './snapshot.ts';

/** A row as it was locked. */
export interface LockedEntity {
  readonly id: string;
  readonly state: EntityState;
  readonly firstSeenAt: Date;
}

/** A row to be written. */
export interface EntityWrite {
  readonly id: string;
  readonly state: EntityState;
}

/** Rows to be written for somebody, and when. */
export interface EntityWrites {
  readonly organisationId: string;
  readonly now: Date;
  readonly rows: readonly EntityWrite[];
}

interface Statements {
  readonly lock: string;
  /** Of one row, as it mostly is: of a list PostgreSQL keeps no plan, because it does not know how long the next one is. */
  readonly lockOne: string;
  readonly insert: string;
  /** What an update sets. */
  readonly set: RawBuilder<unknown>;
  /** The columns that travel. */
  readonly names: RawBuilder<unknown>;
}

/** Columns all kinds have, besides the key and the times of our own. */
const SHARED_COLUMNS: Readonly<Record<string, ColumnType>> = {
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
  snapshot_hash: 'bytea',
  source: 'text',
  read_at: 'timestamptz',
  told_at: 'timestamptz',
  told_as_update: 'boolean',
  needs_read: 'boolean',
};

const statementsByEntity = new Map<string, Statements>();

/** Locks the known rows among `ids`, in the order of their ids. */
export async function lockEntities(
  trx: Trx,
  projection: Projection,
  key: { readonly organisationId: string; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, LockedEntity>> {
  const { lock, lockOne } = statementsOf(projection);
  const [id, ...more] = key.ids;
  const { rows } = await trx.executeQuery<LockedRow>(
    id !== undefined && more.length === 0
      ? CompiledQuery.raw(lockOne, [key.organisationId, id])
      : CompiledQuery.raw(lock, [key.organisationId, key.ids]),
  );
  return new Map(rows.map((row) => [row.id, toLocked(projection, row)]));
}

/** Rows to be added, with what is written of them into the history. */
export interface NewEntities extends EntityWrites {
  readonly source: SnapshotSource;
  readonly changes: readonly NewChange[];
}

/**
 * Adds rows, and the lines of the history about those that it adds; returns their ids. An id that somebody else added
 * meanwhile is left out.
 */
export async function insertEntities(
  trx: Trx,
  projection: Projection,
  write: NewEntities,
): Promise<ReadonlySet<string>> {
  const added = await trx.executeQuery<{ id: string }>(
    CompiledQuery.raw(statementsOf(projection).insert, [
      write.organisationId,
      write.now,
      ...toArrays(projection, write.rows),
      write.source,
      ...changeArrays(write.changes),
    ]),
  );
  return new Set(added.rows.map((row) => row.id));
}

/** Replaces rows that were locked before: a change that others may be written with. */
export function updatingEntities(projection: Projection, write: EntityWrites): RawBuilder<unknown> {
  const arrays = toArrays(projection, write.rows).map((array) => sql`${array}::text[]`);
  const ids = textArray(write.rows.map(({ id }) => id));
  // The ids as a condition of the table's own: where it has no statistics yet, all of its rows would be read.
  const { set, names } = statementsOf(projection);
  return sql`update ${sql.table(projection.entity)} as t set ${set},
      changed_at = case when t.snapshot_hash = r.snapshot_hash::bytea then t.changed_at else ${write.now}::timestamptz end
    from unnest(${sql.join(arrays)}) as r(${names})
    where t.organisation_id = ${write.organisationId} and t.id = r.id and t.id = any(${ids}::text[])`;
}

/** What {@link confirmEntity} found. */
export interface Confirmed<Row> {
  readonly isKnown: boolean;
  /** Of what was read with it. */
  readonly row: Row | undefined;
}

/** A read that may show what is known, and what is read with the same statement. */
interface Confirming<Row> {
  readonly organisationId: string;
  readonly snapshot: Snapshot;
  readonly reads: Reads<Row> | undefined;
}

/**
 * Notes that a later read showed the row as it is, in one statement. Not known: the row is another one, or
 * the read is no later; then it is for `fold` to say.
 */
export async function confirmEntity<Row>(
  db: Db,
  { organisationId, snapshot, reads }: Confirming<Row>,
): Promise<Confirmed<Row>> {
  const { projection, id, contentHash, updatedAt, readAt } = snapshot;
  const { rows } = await sql<Row & { readonly confirmed: number }>`with confirmed as (
    update ${sql.table(projection.entity)} set read_at = ${readAt}::timestamptz, told_at = null,
      told_as_update = false, needs_read = false
    where organisation_id = ${organisationId} and id = ${id} and snapshot_hash = ${`\\x${contentHash}`}::bytea
      and updated_at = ${updatedAt}::timestamptz and (read_at is null or read_at < ${readAt}::timestamptz)
    returning id)
    select (select count(*) from confirmed) as confirmed
      ${reads === undefined ? sql`` : sql`, ${reads.columns.of('read')} from (${reads.query}) as read`}`.execute(
    db,
  );
  const [row] = rows;
  return { isKnown: (row?.confirmed ?? 0) > 0, row };
}

interface LockedRow {
  readonly id: string;
  readonly created_at: string | null;
  readonly updated_at: string;
  readonly read_at: string | null;
  readonly told_at: string | null;
  readonly told_as_update: boolean;
  readonly snapshot: ServiceObject;
  readonly snapshot_hash: Buffer;
  readonly source: SnapshotSource;
  readonly needs_read: boolean;
  readonly first_seen_at: Date;
}

function toLocked(projection: Projection, row: LockedRow): LockedEntity {
  return {
    id: row.id,
    firstSeenAt: row.first_seen_at,
    state: {
      rank: projection.rankOf(row.snapshot),
      updatedAt: row.updated_at,
      readAt: row.read_at,
      toldAt: row.told_at,
      toldAsUpdate: row.told_as_update,
      contentHash: row.snapshot_hash.toString('hex'),
      object: row.snapshot,
      text: undefined,
      createdAt: row.created_at,
      source: row.source,
      needsRead: row.needs_read,
    },
  };
}

/** Names of all columns that come from a state, in the order of {@link toArrays}. */
function namesOf({ columns }: Projection): readonly string[] {
  return ['id', 'snapshot', ...Object.keys(columns), ...Object.keys(SHARED_COLUMNS)];
}

/** The rows, column by column. */
function toArrays(projection: Projection, rows: readonly EntityWrite[]): readonly Buffer[] {
  const records = rows.map(
    ({ id, state }): Readonly<Record<string, ColumnValue>> => ({
      id,
      snapshot: state.text ?? JSON.stringify(state.object),
      ...project(projection, state.object),
      created_at: state.createdAt,
      updated_at: state.updatedAt,
      snapshot_hash: `\\x${state.contentHash}`,
      source: state.source,
      read_at: state.readAt,
      told_at: state.toldAt,
      told_as_update: state.toldAsUpdate,
      needs_read: state.needsRead,
    }),
  );
  return namesOf(projection).map((name) =>
    textArray(
      records.map((record) => {
        const value = record[name];
        return value === null || value === undefined ? null : String(value);
      }),
    ),
  );
}

function statementsOf(projection: Projection): Statements {
  const known = statementsByEntity.get(projection.entity);
  if (known !== undefined) return known;
  const statements = buildStatements(projection);
  statementsByEntity.set(projection.entity, statements);
  return statements;
}

function buildStatements(projection: Projection): Statements {
  const { entity, columns } = projection;
  const names = namesOf(projection);
  const own = Object.entries(columns).map(([name, { type }]) => [name, type]);
  const types: Readonly<Record<string, string>> = {
    ...Object.fromEntries(own),
    ...SHARED_COLUMNS,
    snapshot: 'jsonb',
  };
  const readAs = (name: string): string => `r.${name}::${types[name] ?? 'text'}`;
  const utc = (name: string): string =>
    `to_char(${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${name}`;
  const locked = `select id, ${utc('created_at')}, ${utc('updated_at')}, ${utc('read_at')}, ${utc('told_at')},
      told_as_update, snapshot, snapshot_hash, source, needs_read, first_seen_at
    from ${entity} where organisation_id = $1`;
  return {
    lock: `${locked} and id = any($2::text[]) order by id for update`,
    lockOne: `${locked} and id = $2 for update`,
    insert: `with fresh as (insert into ${entity} (organisation_id, first_seen_at, changed_at, ${names.join(', ')})
      select $1::text, $2::timestamptz, $2::timestamptz, ${names.map(readAs).join(', ')}
      from unnest(${names.map((_, place) => `$${place + 3}::text[]`).join(', ')}) as r(${names.join(', ')})
      on conflict do nothing returning id),
      noted as (${insertChangesOf(entity, 'fresh', names.length + 3)})
      select id from fresh`,
    set: sql.raw(
      names
        .filter((name) => name !== 'id')
        .map((name) => `${name} = ${readAs(name)}`)
        .join(', '),
    ),
    names: keptText(sql.join(names.map((name) => sql.ref(name)))),
  };
}

/** The moment a snapshot counts as read. */
export function readMoment(source: SnapshotSource, now: Date): string | null {
  return source === 'poll' ? instantOf(now) : null;
}
