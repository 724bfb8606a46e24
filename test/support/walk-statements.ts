/**
 * Has every statement of the program that a test file runs looked at: it names the organisation of its rows, or
 * stands in the list below with its reason. What tests ask by themselves is theirs.
 */
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { unnamedTables } from './organisation-walk.ts';

/** Statements that name no organisation, by the beginning of their text without its spaces, and why. */
export const UNNAMED: Readonly<Record<string, string>> = {
  'with "forgotten" as (delete from "worker_heartbeat"':
    'the row belongs to a process, whose id it made up itself; it may live for every organisation',
  'delete from "worker_heartbeat" where "worker_id" = $1': 'a process takes its own row away',
  'select "organisation_id" from "alert_case" where "organisation_id" <> $1 limit $2':
    'the doctor tells an id that is mistaken from one that is new by the rows of others',
  "select organisation_id, direction, state, other, forward_url from organisation_move where state not in ('COPYING', 'ARRIVED')":
    'a process asks for all its organisations at once which have moved away, before it starts any',
  'with tables as ( select c.oid, c.relname::text as name, c.relrowsecurity':
    'the doctor counts how many organisations it sees',
};

const FOUND = Symbol.for('forestall.test.walked-statements');
const FRAMES = 80;
const TEXTS_MAX = 20_000;

/** What stands against a text, or nothing. Few texts come very often. */
const verdicts = new Map<string, string | undefined>();

function verdictOf(text: string): string | undefined {
  if (verdicts.has(text)) return verdicts.get(text);
  const short = text.replaceAll(/\s+/g, ' ').trim();
  const isListed = Object.keys(UNNAMED).some((start) => short.startsWith(start));
  const tables = isListed ? [] : tablesIn(text);
  const verdict = tables.length === 0 ? undefined : `${tables.join(', ')}: ${short}`;
  if (verdicts.size < TEXTS_MAX) verdicts.set(text, verdict);
  return verdict;
}

/** What the parser does not read, the database will not run. */
function tablesIn(text: string): readonly string[] {
  if (!/\b(?:select|insert|update|delete)\b/i.test(text)) return [];
  try {
    return unnamedTables(text);
  } catch {
    return [];
  }
}

/** Whether the program asks, and no test: the nearest of our files that is not about connections. */
function isProgram(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error('where');
  Error.stackTraceLimit = stackTraceLimit;
  // A migration is about every organisation's rows.
  if (stack.includes('/src/base/db/migrate.ts')) return false;
  const frame = stack
    .split('\n')
    .find(
      (line) =>
        /\/(?:src|test)\//.test(line) &&
        !/node_modules|\/src\/base\/db\/|\/test\/support\/(?:walk|prepared)-statements/.test(line),
    );
  return frame?.includes('/src/') === true;
}

const prototype = pg.Client.prototype as unknown as {
  query: (...args: unknown[]) => unknown;
  [FOUND]?: Set<string>;
};

/** Looks at every statement from now on. Returns those of the program that crossed the wall. */
function watchStatements(): Set<string> {
  const found = new Set<string>();
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]): unknown {
    const [first] = args;
    const text =
      typeof first === 'object' && first !== null && 'text' in first ? first.text : first;
    const verdict = typeof text === 'string' ? verdictOf(text) : undefined;
    if (verdict !== undefined && isProgram()) found.add(verdict);
    return query.apply(this, args);
  };
  return found;
}

// Files share their process, in which this is loaded for each of them: what the first one knows is kept.
prototype[FOUND] ??= watchStatements();
const found = prototype[FOUND];

afterAll(() => {
  const statements = [...found];
  found.clear();
  expect(statements, 'statements that name no organisation').toEqual([]);
});
