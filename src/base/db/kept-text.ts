/**
 * A part of a statement that never changes, made into text once.
 *
 * For each reference, and for each part in it, the compiler makes several objects, every time that a statement is put together. In
 * statements that come with every alert, long lists of columns cost more than everything else about them.
 */
import type { RawBuilder } from 'kysely';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { InvariantError } from '../kernel/errors.ts';

/** Only writes SQL. */
const writer = new Kysely<unknown>({
  dialect: new PostgresDialect({
    pool: async (): Promise<never> => {
      throw new InvariantError('What only writes SQL has no connection.');
    },
  }),
});

/** The same part as text. @throws {InvariantError} when it holds a value */
export function keptText<Value>(part: RawBuilder<Value>): RawBuilder<Value> {
  const { sql: text, parameters } = part.compile(writer);
  if (parameters.length > 0) throw new InvariantError('A part with values cannot be kept as text.');
  return sql.raw<Value>(text);
}
