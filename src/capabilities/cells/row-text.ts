/**
 * Rows of a table as texts that mean the same in two databases: PostgreSQL's own text of a whole row, exact for
 * every type. Numbers that a database draws for all its organisations are shifted on the way, where they are drawn and
 * wherever they are named, so that none meets another organisation's at the target.
 */
import type { PoolClient } from 'pg';
import pg from 'pg';
import type { MovedColumn, MovedTable } from './moved-tables.ts';
import { NUMBERED_TABLE, NUMBERS_IN_JSON } from './moved-tables.ts';

/** What is added to a number when a row is read, by the column that it is drawn for. */
export type Offsets = Readonly<Record<string, number>>;

export interface RowScope {
  readonly organisationId: string;
  /** Its number in `payment_evidence` there; undefined: it has none yet. */
  readonly number: number | undefined;
  /** None at the target. */
  readonly offsets: Offsets;
}

/** How values are written as text, in both databases alike. */
const FORMATS = `select set_config('datestyle', 'ISO, YMD', true), set_config('timezone', 'UTC', true),
  set_config('intervalstyle', 'postgres', true), set_config('extra_float_digits', '1', true),
  set_config('bytea_output', 'hex', true)`;

/** Has values written so until the transaction ends. */
export async function setFormats(client: PoolClient): Promise<void> {
  await client.query(FORMATS);
}

const name = (identifier: string): string => pg.escapeIdentifier(identifier);

export function columnList(table: MovedTable): string {
  return written(table)
    .map((column) => name(column.name))
    .join(', ');
}

/** Columns that are written: those that the database makes by itself are not. */
export function written({ columns }: MovedTable): readonly MovedColumn[] {
  return columns.filter(({ isGenerated }) => !isGenerated);
}

/** A value as it is at the target. */
function movedValue(table: MovedTable, column: MovedColumn, offsets: Offsets): string {
  const place = `t.${name(column.name)}`;
  const offset = column.numberOf === undefined ? 0 : (offsets[column.numberOf] ?? 0);
  if (offset !== 0) return `(${place} + ${offset})::${column.type}`;
  const inside = NUMBERS_IN_JSON[`${table.name}.${column.name}`] ?? {};
  const shifted = Object.entries(inside).filter(([, counter]) => (offsets[counter] ?? 0) !== 0);
  if (shifted.length === 0) return place;
  const pairs = shifted.map(([key, counter]) => {
    const found = `${place} -> ${pg.escapeLiteral(key)}`;
    return `${pg.escapeLiteral(key)}, case jsonb_typeof(${found}) when 'number' then (${found})::bigint + ${offsets[counter] ?? 0} end`;
  });
  return `(${place} || jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')})))`;
}

/** The row, as an expression of `t`. */
export function rowText(table: MovedTable, offsets: Offsets): string {
  return `row(${table.columns.map((column) => movedValue(table, column, offsets)).join(', ')})::text`;
}

/** What names the row, as the target names it; an array of texts. */
export function keyTexts(table: MovedTable, offsets: Offsets): string {
  const columns = keyColumns(table);
  return `array[${columns.map((column) => `${movedValue(table, column, offsets)}::text`).join(', ')}]`;
}

export function keyColumns({ columns, key }: MovedTable): readonly MovedColumn[] {
  return key.flatMap((each) => columns.find((column) => column.name === each) ?? []);
}

/** That a row is the organisation's: the condition, with `$1` for {@link ownerOf}. */
export function isOwn(table: MovedTable, owner = '$1'): string {
  return `t.${name(table.owner)} = ${owner}`;
}

/** Whose rows, as the table names it; undefined: there are none. */
export function ownerOf(
  table: MovedTable,
  { organisationId, number }: RowScope,
): string | number | undefined {
  return table.owner === NUMBERED_TABLE.owner ? number : organisationId;
}

/** The rows whose keys are in arrays of texts, one for each column of the key, from `$2` on. */
export function joinOfKeys(table: MovedTable): { readonly from: string; readonly on: string } {
  const columns = keyColumns(table);
  const arrays = columns.map(({ type }, place) => `$${place + 2}::text[]::${type}[]`);
  const names = columns.map((_, place) => `k${place}`);
  const on = columns.map((column, place) => `t.${name(column.name)} = k.k${place}`);
  return { from: `unnest(${arrays.join(', ')}) as k (${names.join(', ')})`, on: on.join(' and ') };
}
