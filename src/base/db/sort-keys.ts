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
