/**
 * The columns of a table by their names, for statements that come with every alert.
 *
 * Only a statement that names its columns keeps its plan (`preparing-client.ts`): planning the largest ones takes
 * several times as long as running them. The compiler sees to it that a list is whole, and a test compares it with the tables.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { keptText } from './kept-text.ts';

/** All columns of a table, or of a query. */
export interface Columns<Name extends string> {
  /** For `select` and `returning`. */
  readonly names: readonly Name[];
  /** The same as SQL, of what is in the statement under that name. */
  of(source: string): RawBuilder<unknown>;
}

/** A query as a part of another statement. */
export interface Reads<Row> {
  readonly query: RawBuilder<Row>;
  readonly columns: Columns<keyof Row & string>;
}

type Words<Text extends string, Found = never> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, Found | Word>
  : Found | Text;

/** What is wrong with the list: left out, or not of the table. */
type Wrong<Table, Texts extends readonly string[]> =
  | Exclude<keyof Table, Words<Texts[number]>>
  | Exclude<Words<Texts[number]>, keyof Table>;

/** Takes the names, with one space between two: each of the table, and no other. */
export function columnsOf<Table>(): <const Texts extends readonly string[]>(
  ...texts: [Wrong<Table, Texts>] extends [never] ? Texts : readonly Wrong<Table, Texts>[]
) => Columns<keyof Table & string> {
  return (...texts) => {
    const names = texts
      .flatMap((text) => String(text).split(' '))
      .filter((name): name is keyof Table & string => name !== '');
    const lists = new Map<string, RawBuilder<unknown>>();
    return {
      names,
      of(source): RawBuilder<unknown> {
        const list =
          lists.get(source) ??
          keptText(sql.join(names.map((name) => sql.ref(`${source}.${name}`))));
        lists.set(source, list);
        return list;
      },
    };
  };
}
