import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';

/**
 * Every table of the database. A table joins this type in the `x.table.ts` beside the code that owns it, so that
 * this folder knows none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled where the tables live
export interface Database {}

/** A connection, or a transaction, to every table. */
export type Db = Kysely<Database>;
/** Where the statements must be in one transaction. */
export type Trx = Transaction<Database>;

/** What everything is given that works for one installation: its database, its time, its log, whose rows these are, and who this process is. */
export interface Installation {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The organisation that it is pinned to: what is of another one is not ours. */
  readonly organisationId: string;
  /** Names this process as a holder of leases. */
  readonly workerId: string;
}

/*
 * Column types that several tables share. Postgres `timestamptz` arrives as a `Date`, which keeps milliseconds
 * only: compare times in SQL, never by reading them out. `bigint` arrives as a number (see connect.ts, which
 * refuses an unsafe one). A JSON column is written as text, because the driver turns an array into a Postgres array.
 */

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
