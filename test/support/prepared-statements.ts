/**
 * Prepares each statement once per connection.
 *
 * The tests run a few hundred texts some hundred thousand times on tables of a few rows, where parsing
 * and planning are half of what the database does. Forestall itself prepares what comes a fifth time, and
 * never a `select *`, which fails when a migration adds a column beneath it.
 */
import { createHash } from 'node:crypto';
import pg from 'pg';

type Query = (...args: unknown[]) => unknown;

const PREPARABLE = /^\s*(select|insert|update|delete|with)\b/i;
const MARK = Symbol.for('forestall.test.prepared-statements');

const names = new Map<string, string>();

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `test_${createHash('sha1').update(text).digest('hex')}`;
  names.set(text, name);
  return name;
}

// Files share their process, in which this is loaded for each of them.
const prototype = pg.Client.prototype as unknown as { query: Query; [MARK]?: true };
if (prototype[MARK] !== true) {
  prototype[MARK] = true;
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]): unknown {
    const [text, values, ...rest] = args;
    const isPreparable = typeof text === 'string' && Array.isArray(values) && PREPARABLE.test(text);
    if (!isPreparable) return query.apply(this, args);
    return query.call(this, { name: nameOf(text), text, values }, ...rest);
  };
}
