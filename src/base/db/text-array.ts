/**
 * Array parameters in PostgreSQL's binary form.
 *
 * The driver writes arrays as text, quoting and escaping every element, and PostgreSQL undoes that
 * byte by byte: of reading rows with their snapshots, that was a quarter of the time.
 */
import { Buffer } from 'node:buffer';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Dimensions, has-nulls, element type, length, lower bound: 4 bytes each. */
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
/** PostgreSQL's numbers of the types. */
const TEXT_OID = 25;
const INT4_OID = 23;
const FLOAT8_OID = 701;

/** A `text[]` parameter. Write it with a cast: `${textArray(values)}::text[]`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  const bytesOf = (value: string | null): number => (value === null ? 0 : Buffer.byteLength(value));
  const size = values.reduce((sum, value) => sum + LENGTH_BYTES + bytesOf(value), HEAD_BYTES);
  const array = Buffer.allocUnsafe(size);
  let at = writeHead(array, [1, values.includes(null) ? 1 : 0, TEXT_OID, values.length, 1]);
  for (const value of values) {
    const written = value === null ? 0 : array.write(value, at + LENGTH_BYTES);
    at = array.writeInt32BE(value === null ? NULL_LENGTH : written, at) + written;
  }
  return array;
}

/** An `int4[]` parameter, to be cast in the same way. */
export function int4Array(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(HEAD_BYTES + values.length * (LENGTH_BYTES + 4));
  let at = writeHead(array, [1, 0, INT4_OID, values.length, 1]);
  for (const value of values) at = array.writeInt32BE(value, array.writeInt32BE(4, at));
  return array;
}

/** A `float8[]` parameter, to be cast in the same way. */
export function float8Array(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(HEAD_BYTES + values.length * (LENGTH_BYTES + 8));
  let at = writeHead(array, [1, 0, FLOAT8_OID, values.length, 1]);
  for (const value of values) at = array.writeDoubleBE(value, array.writeInt32BE(8, at));
  return array;
}

function writeHead(array: Buffer, fields: readonly number[]): number {
  return fields.reduce((at, field) => array.writeInt32BE(field, at), 0);
}

/** One of several organisations, as a value that a column is compared with: one text, however many there are. */
export function anyOf(organisationIds: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${textArray(organisationIds)}::text[])`;
}

/**
 * Organisations as rows with one column, for a `from`. Of one alone the planner knows that it is one, so that it keeps
 * the plan instead of making one for every array.
 */
export function eachOf(organisationIds: readonly string[]): RawBuilder<unknown> {
  const [only] = organisationIds;
  return only !== undefined && organisationIds.length === 1
    ? sql`(values (${only}::text))`
    : sql`unnest(${textArray(organisationIds)}::text[])`;
}
