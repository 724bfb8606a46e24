/**
 * Column types that several tables share.
 *
 * Postgres `timestamptz` arrives as a `Date`, which keeps milliseconds only: compare times in SQL,
 * never by reading them out. `bigint` arrives as a number (see connect.ts, which refuses an unsafe
 * one). A JSON column is written as text, because the driver turns an array into a Postgres array.
 */
import type { ColumnType, Generated } from 'kysely';

/** A required moment. */
export type Timestamp = ColumnType<Date, Date | string, Date | string>;
/** A moment that may be absent. */
export type NullableTimestamp = ColumnType<
  Date | null,
  Date | string | null | undefined,
  Date | string | null
>;
/** JSON: read as a value, written as text. */
export type Json<Value = unknown> = ColumnType<Value, string, string>;
/** JSON that may be absent. */
export type NullableJson<Value = unknown> = ColumnType<
  Value | null,
  string | null | undefined,
  string | null
>;
/** A column the database numbers by itself. */
export type Identity = Generated<number>;
/** A column with a default. */
export type Defaulted<Value> = ColumnType<Value, Value | undefined, Value>;
/** A column that may be null and may be left out on insert. */
export type Nullable<Value> = ColumnType<Value | null, Value | null | undefined, Value | null>;
