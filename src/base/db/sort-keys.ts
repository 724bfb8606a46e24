/** Orders of lists that people choose: each row's key is text, so that a page can begin after any row. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

export interface Directed {
  readonly direction: RawBuilder<unknown>;
  /** Between the key of a row and that of the row before. */
  readonly sign: RawBuilder<unknown>;
}

/** @param sort the word of an order, with a minus where it runs from the latest or largest */
export function directed(sort: string): Directed {
  const isDown = sort.startsWith('-');
  return { direction: isDown ? sql`desc` : sql`asc`, sign: isDown ? sql`<` : sql`>` };
}

/** By time; what has none comes last. */
export function momentKey(at: string): RawBuilder<string> {
  return sql`coalesce(to_char(${sql.ref(at)} at time zone 'UTC', 'YYYYMMDDHH24MISSUS'), '9') collate "C"`;
}

/** By currency, and then by size. */
export function moneyKey(table: string): RawBuilder<string> {
  const [currency, minor] = [sql.ref(`${table}.currency`), sql.ref(`${table}.amount_minor`)];
  return sql`(coalesce(${currency}, '') || ' ' || lpad(coalesce(${minor}, 0)::text, 20, '0')) collate "C"`;
}

/** A moment in microseconds since 1970, so that nothing is lost between the database and a cursor; `infinity` and `-infinity` as they are. */
export function cursorOfMoment(moment: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case when isfinite(${moment}) then (extract(epoch from ${moment}) * 1000000)::bigint::text else (${moment})::text end`;
}

/** The moment that {@link cursorOfMoment} wrote; of any other text the last of all. */
export function momentOfCursor(text: string): RawBuilder<unknown> {
  if (/^-?\d{1,18}$/.test(text))
    return sql`to_timestamp(0) + ${text}::bigint * interval '1 microsecond'`;
  return text === '-infinity' ? sql`'-infinity'::timestamptz` : sql`'infinity'::timestamptz`;
}
