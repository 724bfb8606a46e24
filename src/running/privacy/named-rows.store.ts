/**
 * All SQL that reads the values of a column slice by slice and puts others in their places.
 *
 * Tables and columns come from the inventory and from the database's own catalogue, never from outside.
 */
import { randomBytes } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { Sharing } from '../../base/db/for-organisation.ts';
import { ALL_ORGANISATIONS, ENTERED_FOR_ALL } from '../../base/db/for-organisation.ts';
import type { ColumnKind } from '../../base/db/table-entry.ts';
import { BODY_TABLES } from './sealed-row.store.ts';

/** A column whose values are looked at. */
export interface Column {
  readonly table: string;
  readonly column: string;
  readonly kind: ColumnKind;
}

/** Where a value is, and how long it is, in bytes. */
export interface Place {
  readonly place: string;
  readonly part: string;
  readonly size: number;
}

/** A value as text, or as the bytes that it is. */
export interface Found extends Pick<Place, 'place' | 'part'> {
  readonly value: string | Buffer;
}

export interface PageRange {
  readonly fromPage: number;
  readonly toPage: number;
}

/**
 * A part of a column: what of it belongs to the organisation; all, where rows belong to none. Without pages it is found along
 * the index of organisations.
 */
export type Slice = Column & Partial<PageRange> & { readonly organisationId: string | undefined };

/** Tables of history: only the owner's function changes them (`migrations/0050_erasure.sql`). */
export const HISTORY: ReadonlySet<string> = new Set(['audit', 'entity_change', 'policy_version']);

/** In the place of an organisation: what people wrote for the whole installation names customers of any. */
export const SHARED: readonly string[] = [ALL_ORGANISATIONS, ENTERED_FOR_ALL];

/** Behind the wall such rows are seen where the session says so. */
export const SEEING_SHARED: Sharing = { reason: 'erasure', organisationIds: [ENTERED_FOR_ALL] };

/** Every delivery is one organisation's, and no index of it begins with that. */
const NEVER_SHARED: ReadonlySet<string> = new Set(['inbox_event']);

/** Which of these tables, each with an organisation in its rows, hold such rows; in a transaction that sees them. */
export async function tablesWithShared(
  trx: Trx,
  tables: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(tables)].filter((table) => !NEVER_SHARED.has(table));
  if (asked.length === 0) return new Set();
  const each = asked.map(
    (table) =>
      sql`select ${table} as name where exists (select from ${sql.table(table)} where organisation_id in (${sql.join(SHARED)}))`,
  );
  const { rows } = await sql<{ name: string }>`${sql.join(each, sql` union all `)}`.execute(trx);
  return new Set(rows.map(({ name }) => name));
}

/** How many pages the table, or its longest partition, has. */
export async function pagesOfTable(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select coalesce(max(pg_relation_size(part)), 0) / current_setting('block_size')::bigint as pages
    from (
      select ${table}::regclass as part union select relid from pg_partition_tree(${table}::regclass)
    ) as parts`.execute(db);
  return rows[0]?.pages ?? 0;
}

/** Where the values of a slice are. What is sealed is looked at elsewhere. */
export async function placesOf(db: Db, slice: Slice): Promise<Place[]> {
  const value = sql.ref(slice.column);
  const size = slice.kind === 'bytes' ? sql`octet_length(${value})` : sql`pg_column_size(${value})`;
  const { rows } = await sql<Place>`
    select ctid::text as place, tableoid::text as part, ${size} as size
    from ${sql.table(slice.table)}
    where ${withinPages(slice)} and ${value} is not null ${ofOrganisation(slice)} ${inClear(slice)}`.execute(
    db,
  );
  return rows;
}

/** Values of these places; with `lock`, locked until the transaction ends. Rows changed meanwhile are absent. */
export async function valuesAt(
  db: Db,
  column: Column,
  {
    places,
    lock,
  }: { readonly places: readonly Pick<Place, 'place' | 'part'>[]; readonly lock: boolean },
): Promise<Found[]> {
  const value = sql.ref(column.column);
  const pairs = places.map(({ part, place }) => `${part}/${place}`);
  const { rows } = await sql<Found>`
    select ctid::text as place, tableoid::text as part, ${column.kind === 'bytes' ? value : sql`${value}::text`} as value
    from ${sql.table(column.table)}
    where ctid = any(${places.map(({ place }) => place)}::tid[])
      and tableoid::text || '/' || ctid::text = any(${pairs}::text[]) and ${value} is not null
    ${lock && !HISTORY.has(column.table) ? sql`for update` : sql``}`.execute(db);
  return rows;
}

/** Puts the value in its place. History is changed by its owner, and only where it says less. */
export async function replaceValue(
  trx: Trx,
  at: Column & Pick<Place, 'place' | 'part'> & { readonly organisationId: string },
  value: string | Buffer,
): Promise<void> {
  const { table, column, place, part } = at;
  if (HISTORY.has(table)) {
    await sql`select erase_value(${at.organisationId}, ${table}, ${column}, ${place}::tid, ${part}::oid, ${value})`.execute(
      trx,
    );
    return;
  }
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${value}${CASTS[at.kind]}
    where ctid = ${place}::tid and tableoid = ${part}::oid`.execute(trx);
}

const CASTS: Readonly<Record<ColumnKind, RawBuilder<unknown>>> = {
  text: sql`::text`,
  json: sql`::jsonb`,
  bytes: sql`::bytea`,
};

function withinPages({ fromPage, toPage }: Partial<PageRange>): RawBuilder<boolean> {
  if (fromPage === undefined || toPage === undefined) return sql<boolean>`true`;
  return sql<boolean>`ctid >= ${`(${fromPage},0)`}::tid and ctid < ${`(${toPage},0)`}::tid`;
}

function ofOrganisation({ organisationId }: Slice): RawBuilder<unknown> {
  return organisationId === undefined ? sql`` : sql`and organisation_id = ${organisationId}`;
}

function inClear({ table, column }: Column): RawBuilder<unknown> {
  return column === 'body' && BODY_TABLES.includes(table) ? sql`and key_id is null` : sql``;
}

/**
 * Whether it is the text of the version that two people put in force in the console: workers load it, and refuse it when
 * it is not what they agreed to.
 */
export async function isInForce(
  db: Db,
  organisationId: string,
  { place, part }: Pick<Place, 'place' | 'part'>,
): Promise<boolean> {
  const { rows } = await sql<{ yes: boolean }>`
    select exists (
      select from policy_version v join (
        select version, approved_by from policy_activation where organisation_id = ${organisationId} order by id desc limit 1
      ) as latest on latest.version = v.version and latest.approved_by is not null
      where v.organisation_id = ${organisationId} and v.ctid = ${place}::tid and v.tableoid = ${part}::oid) as yes`.execute(
    db,
  );
  return rows[0]?.yes ?? false;
}

/** Columns in which no value may be twice. */
export async function uniqueColumns(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname || '.' || a.attname as name
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
    where i.indisunique and pg_table_is_visible(c.oid)`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Replaces a whole value of a column in which none may be twice. */
export function uniqueMark(): string {
  return `[erased ${randomBytes(6).toString('hex')}]`;
}
