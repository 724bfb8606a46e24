/** What a connection's `query` is called with, and a statement that travels behind its settings. */
import type pg from 'pg';
import type { QueryCallback } from './driver-query.ts';
import { DriverQuery } from './driver-query.ts';
import type { Carrier } from './session-limits.ts';

/** A connection that can act for an organisation. */
export interface ActingClient {
  /** Whose rows its statements see from now on. Undefined: again those of whom it was made for. */
  actFor(organisation: string | undefined): void;
}

/** Whether a connection is such a one. */
export function isActing<Some extends object>(client: Some): client is Some & ActingClient {
  return 'actFor' in client && typeof client.actFor === 'function';
}

const PLAIN = /^\s*(?:select|insert|update|delete|with)\b/i;
const BEGIN = /^\s*(?:begin|start\s+transaction)\b/i;

/** Whether it reads or changes rows: it can be prepared, and share a transaction with what travels in front. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Whether it is several statements: those are sent in a protocol that nothing can travel in front of. */
export function isSeveral(text: string): boolean {
  return text.includes(';') && /;\s*\S/.test(text.replaceAll(QUOTED, ''));
}

/** A text, a quoted name, and a comment to the end of its line: what is in them is no part of the statement's form. */
const QUOTED = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*/g;

/**
 * Whether the columns of the answer may change with a table: a `*` outside of all brackets. Those of a subquery, of `with`, and
 * of `count(*)` are in brackets, and the answer names its columns. Pure.
 */
export function namesAllColumns(text: string): boolean {
  let depth = 0;
  for (const [token] of text.replaceAll(QUOTED, '').matchAll(/[()*]/g)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0) return true;
  }
  return false;
}

/** Ends a transaction; not `rollback to` a savepoint. */
const END = /^\s*(?:commit|end|abort|rollback(?!\s+(?:work\s+|transaction\s+)?to\b))\b/i;

/** Whether it ends a transaction. */
export function isEnd(text: string): boolean {
  return END.test(text);
}

/** Whether it begins a transaction. */
export function isBegin(text: string): boolean {
  return BEGIN.test(text);
}

/** What is distinguished of the many ways to call `query`; anything else stays as it is. */
export interface Statement {
  readonly config: pg.QueryConfig & { readonly isFixed?: boolean };
  readonly callback: QueryCallback | undefined;
}

function isCallback(value: unknown): value is QueryCallback {
  return typeof value === 'function';
}

function isConfig(value: unknown): value is Statement['config'] {
  return (
    typeof value === 'object' &&
    value !== null &&
    'text' in value &&
    !('name' in value) &&
    !('submit' in value)
  );
}

/** Undefined: a cursor, or something named already. */
export function statementOf(args: readonly unknown[]): Statement | undefined {
  const [first, second] = args;
  const callback = args.find(isCallback);
  const values: { values?: unknown[] } = Array.isArray(second) ? { values: second } : {};
  if (typeof first === 'string') return { config: { text: first, ...values }, callback };
  return isConfig(first) ? { config: { ...first, ...values }, callback } : undefined;
}

/**
 * Asks a statement behind what sets something for it, or begins its transaction, in one round trip; or by itself, where
 * nothing is sent in front.
 */
export function askBehind(
  ask: (query: DriverQuery) => unknown,
  { config, callback }: Statement,
  carriers: readonly Carrier[] = [],
): unknown {
  if (callback !== undefined) return void ask(new DriverQuery(config, carriers, callback));
  return new Promise((resolve, reject) => {
    const settle: QueryCallback = (error, result) =>
      error instanceof Error ? reject(error) : resolve(result);
    ask(new DriverQuery(config, carriers, settle));
  });
}
