/**
 * What applying needs to know about each kind of entity: its table, its columns and how an object
 * fills them. One file per kind holds its projection; this file holds their common shape.
 */
import type { EntityKind } from './entity.table.ts';
import type { ServiceObject } from './fields.ts';
import { amountMinor, flag, instant, longText, text } from './fields.ts';

/** A value of a typed column. */
export type ColumnValue = string | number | boolean | null;

/** Postgres types that columns have. */
export type ColumnType = 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'bytea';

/** A typed column, and how an object fills it. */
export interface Column {
  readonly type: ColumnType;
  read(object: ServiceObject): ColumnValue;
}

function columnOf(
  type: ColumnType,
  read: (object: ServiceObject, field: string) => ColumnValue,
): (field: string) => Column {
  return (field) => ({ type, read: (object) => read(object, field) });
}

// Each makes a column out of a field.
export const textOf = columnOf('text', text);
export const longTextOf = columnOf('text', longText);
export const amountOf = columnOf('bigint', amountMinor);
export const instantOf = columnOf('timestamptz', instant);
export const flagOf = columnOf('boolean', flag);

/** How objects of one kind become rows. */
export interface Projection {
  /** Also the name of its table. */
  readonly entity: EntityKind;
  /** What its ids begin with. */
  readonly idPrefix: string;
  /** Typed columns besides those all kinds share. */
  readonly columns: Readonly<Record<string, Column>>;
  /** Fields told in the history when the entity is first seen. */
  readonly headline: readonly string[];
  /** Fields that depend on how the object was fetched, and so are no content. */
  readonly ignored: readonly string[];
  /**
   * How final the state is. A snapshot of a lower rank never replaces one of a higher rank, however
   * new it is. Kinds whose state may go back have one rank.
   */
  rankOf(object: ServiceObject): number;
}

/** Fills the typed columns. */
export function project(
  { columns }: Projection,
  object: ServiceObject,
): Readonly<Record<string, ColumnValue>> {
  const row: Record<string, ColumnValue> = {};
  // For every event: by pairs it took half as long again.
  for (const name in columns) {
    const column = columns[name];
    if (column !== undefined) row[name] = column.read(object);
  }
  return row;
}
