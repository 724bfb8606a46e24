/** SQL of a move's rows: reading, comparing and writing an organisation's rows of one table. */
import type { Pool, PoolClient } from 'pg';
import { textArray } from '../../base/db/text-array.ts';
import type { MovedTable } from './moved-tables.ts';
import { NUMBERED_TABLE } from './moved-tables.ts';
import type { RowScope } from './row-text.ts';
import {
  columnList,
  isOwn,
  joinOfKeys,
  keyTexts,
  ownerOf,
  rowText,
  setFormats,
  written,
} from './row-text.ts';

/** Part of the rows: how many, and the sum of their hashes. */
export interface PartTotal {
  readonly rows: number;
  readonly checksum: string;
}

/** What names a row, here and at the target, and its hash. */
export interface HashedRow {
  readonly key: readonly string[];
  readonly own: readonly string[];
  readonly hash: string;
}

/** Hexadecimal digits of a hash that are compared: 60 bits, which a sum of bigint holds exactly. */
const HASH_DIGITS = 15;

const hashOf = (table: MovedTable, scope: RowScope): string =>
  `left(md5(${rowText(table, scope.offsets)}), ${HASH_DIGITS})`;

/** In which part a row falls, by its key at the target. A table without keys is one part. */
function partOf(table: MovedTable, scope: RowScope, parts: number): string {
  if (table.key.length === 0 || parts === 1) return '0';
  const key = `array_to_string(${keyTexts(table, scope.offsets)}, chr(31))`;
  return `(('x' || left(md5(${key}), 7))::bit(28)::int & ${parts - 1})`;
}

/** How many rows there are of each table, in one statement. */
export async function countRows(
  pool: Pick<Pool, 'query'>,
  tables: readonly MovedTable[],
  { organisationId, number }: Pick<RowScope, 'organisationId' | 'number'>,
): Promise<ReadonlyMap<string, number>> {
  const counts = tables.map((table) => {
    const owner = isOwn(table, table.owner === NUMBERED_TABLE.owner ? '$2::smallint' : '$1::text');
    return `select '${table.name}' as name, count(*)::int as count from ${table.name} t where ${owner}`;
  });
  const { rows } = await pool.query<{ name: string; count: number }>(
    `select * from (${counts.join(' union all ')}) as counted where $1::text is not null or $2::smallint is not null`,
    [organisationId, number ?? null],
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** The totals of all rows in so many parts; `parts` is a power of two. */
export async function readTotals(
  client: PoolClient,
  table: MovedTable,
  { scope, parts }: { scope: RowScope; parts: number },
): Promise<ReadonlyMap<number, PartTotal>> {
  const owner = ownerOf(table, scope);
  if (owner === undefined) return new Map();
  await setFormats(client);
  const { rows } = await client.query<PartTotal & { part: number }>(
    `select part, count(*)::int as rows, sum(('x' || hash)::bit(60)::bigint)::text as checksum
     from (select ${partOf(table, scope, parts)} as part, ${hashOf(table, scope)} as hash
       from ${table.name} t where ${isOwn(table)}) as hashed
     group by part`,
    [owner],
  );
  return new Map(rows.map(({ part, ...total }) => [part, total]));
}

/** Every row of some parts, by its key and hash. */
export async function readHashes(
  client: PoolClient,
  table: MovedTable,
  { scope, parts, among }: { scope: RowScope; parts: number; among: readonly number[] },
): Promise<readonly HashedRow[]> {
  const owner = ownerOf(table, scope);
  if (owner === undefined) return [];
  await setFormats(client);
  const { rows } = await client.query<HashedRow>(
    `select ${keyTexts(table, scope.offsets)} as key, ${keyTexts(table, {})} as own, ${hashOf(table, scope)} as hash
     from ${table.name} t where ${isOwn(table)} and ${partOf(table, scope, parts)} = any ($2::int[])`,
    [owner, among],
  );
  return rows;
}

/** The texts of rows, by their keys here. */
export async function readRows(
  client: PoolClient,
  table: MovedTable,
  { scope, keys }: { scope: RowScope; keys: readonly (readonly string[])[] },
): Promise<readonly string[]> {
  const owner = ownerOf(table, scope);
  if (owner === undefined || keys.length === 0) return [];
  await setFormats(client);
  const { from, on } = joinOfKeys(table);
  const { rows } = await client.query<{ row: string }>(
    `select ${rowText(table, scope.offsets)} as row from ${table.name} t join ${from} on ${on} where ${isOwn(table)}`,
    [owner, ...columnsOf(table, keys)],
  );
  return rows.map(({ row }) => row);
}

/** Begins to read all rows; {@link fetchRows} goes on. False: there can be none. */
export async function openRows(
  client: PoolClient,
  table: MovedTable,
  scope: RowScope,
): Promise<boolean> {
  const owner = ownerOf(table, scope);
  if (owner === undefined) return false;
  await setFormats(client);
  await client.query(
    `declare moving no scroll cursor for
     select ${rowText(table, scope.offsets)} as row from ${table.name} t where ${isOwn(table)}`,
    [owner],
  );
  return true;
}

/** The next rows of {@link openRows}. */
export async function fetchRows(client: PoolClient, count: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ row: string }>(`fetch forward ${count} from moving`);
  return rows.map(({ row }) => row);
}

export async function insertRows(
  client: PoolClient,
  table: MovedTable,
  rows: readonly string[],
): Promise<void> {
  if (rows.length === 0) return;
  await setFormats(client);
  const values = written(table).map(({ name }) => `(r.v)."${name}"`);
  // Cast once for each row, not once for each column.
  await client.query(
    `insert into ${table.name} (${columnList(table)}) overriding system value
     select ${values.join(', ')} from (select x::${table.name} as v from unnest($1::text[]) as x offset 0) as r`,
    [textArray(rows)],
  );
}

export async function deleteRows(
  client: PoolClient,
  table: MovedTable,
  { scope, keys }: { scope: RowScope; keys: readonly (readonly string[])[] },
): Promise<void> {
  const owner = ownerOf(table, scope);
  if (owner === undefined || keys.length === 0) return;
  const { from, on } = joinOfKeys(table);
  await client.query(`delete from ${table.name} t using ${from} where ${isOwn(table)} and ${on}`, [
    owner,
    ...columnsOf(table, keys),
  ]);
}

/** Takes all its rows away, and says how many they were. */
export async function deleteAllRows(
  client: PoolClient,
  table: MovedTable,
  scope: RowScope,
): Promise<number> {
  const owner = ownerOf(table, scope);
  if (owner === undefined) return 0;
  const { rowCount } = await client.query(`delete from ${table.name} t where ${isOwn(table)}`, [
    owner,
  ]);
  return rowCount ?? 0;
}

/** A table, or each of its partitions, with its size in pages. */
export async function pagesOf(
  pool: Pick<Pool, 'query'>,
  table: MovedTable,
): Promise<readonly { readonly name: string; readonly pages: number }[]> {
  const { rows } = await pool.query<{ name: string; pages: number }>(
    `select c.oid::regclass::text as name,
       ceil(pg_relation_size(c.oid) / current_setting('block_size')::float8)::float8 as pages
     from pg_class c where c.relkind = 'r' and (c.oid = '${table.name}'::regclass
       or c.oid in (select relid from pg_partition_tree('${table.name}'::regclass)))`,
  );
  return rows;
}

/** Takes away its rows that lie in some pages of a table or partition, and says how many. */
export async function deleteFromPages(
  client: PoolClient,
  table: MovedTable,
  copy: {
    readonly scope: RowScope;
    readonly name: string;
    readonly from: number;
    readonly to: number;
  },
): Promise<number> {
  const owner = ownerOf(table, copy.scope);
  if (owner === undefined) return 0;
  const { rowCount } = await client.query(
    `delete from ${copy.name} t where ${isOwn(table)} and t.ctid >= $2::tid and t.ctid < $3::tid`,
    [owner, `(${copy.from},0)`, `(${copy.to},0)`],
  );
  return rowCount ?? 0;
}

/** Keys, as one array for each column. */
function columnsOf(table: MovedTable, keys: readonly (readonly string[])[]): Buffer[] {
  return table.key.map((_, place) => textArray(keys.map((key) => key[place] ?? null)));
}
