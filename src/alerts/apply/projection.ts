/**
 * What applying needs to know about each kind of entity: its table, its columns and how an object
 * fills them. One file per kind holds its projection; this file holds their common shape.
 */
import type { EntityKind } from './entity.table.ts';
import type { ServiceObject } from './fields.ts';

/** A value of a typed column. */
export type ColumnValue = string | number | boolean | null;

/** Postgres types that columns have. */
export type ColumnType = 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'bytea';

/** How objects of one kind become rows. */
export interface Projection {
  /** Also the name of its table. */
  readonly entity: EntityKind;
  /** What its ids begin with. */
  readonly idPrefix: string;
  /** Typed columns besides those all kinds share. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /** Fields told in the history when the entity is first seen. */
  readonly headline: readonly string[];
  /** Fields that depend on how the object was fetched, and so are no content. */
  readonly ignored: readonly string[];
  /** Fills the typed columns. */
  project(object: ServiceObject): Readonly<Record<string, ColumnValue>>;
  /**
   * How final the state is. A snapshot of a lower rank never replaces one of a higher rank, however
   * new it is. Kinds whose state may go back have one rank.
   */
  rankOf(object: ServiceObject): number;
}
