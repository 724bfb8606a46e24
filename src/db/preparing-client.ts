/**
 * Has PostgreSQL keep the plan of a statement that comes again and again, per connection.
 *
 * Forestall runs few texts very often, on rows found by their keys: parsing and planning such a
 * statement takes longer than running it. A text is prepared from its fifth use on, which leaves out
 * what is made up on the spot, and only so many of them, because a connection keeps them for its life.
 *
 * A text with a `*` stays as it is: while versions are exchanged, a migration may add a column to its
 * table, and PostgreSQL refuses a prepared statement whose columns have changed.
 */
import pg from 'pg';

/** The use of a text from which on it is prepared. */
export const PREPARED_FROM_USE = 5;

/** Most texts prepared by a pool: every connection keeps the plans of those it has run. */
export const PREPARED_TEXTS_MAX = 300;

/** Texts whose uses are counted at once; beyond, counting begins anew. */
const COUNTED_TEXTS_MAX = 2_000;

const PREPARABLE = /^\s*(?:select|insert|update|delete|with)\b/i;

/** Decides for each use of a text whether it is prepared, and under which name. */
export type StatementNames = (text: string) => string | undefined;

/** Makes the names of one pool. */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size >= PREPARED_TEXTS_MAX) return name;
    const count = (uses.get(text) ?? 0) + 1;
    if (count < PREPARED_FROM_USE) {
      if (uses.size >= COUNTED_TEXTS_MAX) uses.clear();
      uses.set(text, count);
      return undefined;
    }
    if (text.includes('*') || !PREPARABLE.test(text)) return undefined;
    uses.delete(text);
    const made = `forestall_${names.size + 1}`;
    names.set(text, made);
    return made;
  };
}

/** A client for a pool, which prepares as the file's opening says. */
export function preparingClient(): typeof pg.Client {
  const nameOf = createStatementNames();
  class PreparingClient extends pg.Client {}
  // Its many signatures stay as they are: what is told apart here is only a text with its values.
  Object.defineProperty(PreparingClient.prototype, 'query', {
    value(...args: unknown[]): unknown {
      const [text, values, ...rest] = args;
      const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined;
      const given = name === undefined ? args : [{ name, text, values }, ...rest];
      return Reflect.apply(pg.Client.prototype.query, this, given);
    },
  });
  return PreparingClient;
}
