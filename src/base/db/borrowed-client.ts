/**
 * A connection of a pool that its owner brought, ours until it is given back. It reads as we do, and its statements
 * run under our search path and for our organisation; nothing of that is ever set in the owner's session. It travels
 * in front of each lone statement, in the same round trip, and with the beginning of each transaction, and ends with
 * them, whatever happens meanwhile. So it does behind a pooler, too.
 */
import type pg from 'pg';
import { DatabaseError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Settings } from './session-limits.ts';
import { carrierOf, limitedBegin, ORGANISATION_SETTING, PATH_SETTING } from './session-limits.ts';
import type { ActingClient } from './statement.ts';
import { askBehind, isBegin, isEnd, isPlain, statementOf } from './statement.ts';

/** PostgreSQL's number of `bigint`, and how we read it. */
export interface Reading {
  readonly oid: number;
  readonly parse: (text: string) => unknown;
}

/** What travels with the statements, and what else does. */
export interface BorrowOptions {
  readonly log: Log;
  readonly searchPath: string;
  readonly reading: Reading;
}

/** May be sent alone on a foreign connection: it names its schema by itself, or needs none. */
const NEEDS_NO_PATH = /^\s*(?:set|show|discard|savepoint|rollback|commit|release)\b|"\./i;

/** Takes the connection over until its `release`. */
export function borrow(
  client: pg.PoolClient,
  { log, searchPath, reading }: BorrowOptions,
): pg.PoolClient & ActingClient {
  // One that is cut between two statements of a transaction would end the process.
  const onError = (error: Error): void => log.debug({ err: error }, 'database connection cut');
  const before = client.getTypeParser(reading.oid, 'text');
  const own = Object.getOwnPropertyDescriptor(client, 'query');
  const { query } = client;
  const ask = (...args: unknown[]): unknown => Reflect.apply(query, client, args);
  let hasBegun = false;
  // Clients of older versions do not say it.
  const isInTransaction = (): boolean =>
    'getTransactionStatus' in client ? client.getTransactionStatus() !== 'I' : hasBegun;
  let organisation: string | undefined;
  const settings = (): Settings => [
    [PATH_SETTING, searchPath],
    ...(organisation === undefined ? [] : [[ORGANISATION_SETTING, organisation] as const]),
  ];
  const run = (args: readonly unknown[]): unknown => {
    const statement = statementOf(args);
    if (statement === undefined) return ask(...args);
    const { config, callback } = statement;
    const { text } = config;
    if (isBegin(text)) {
      const begun = ask(limitedBegin(text, settings()), callback);
      // A beginning that failed is told to the one who asked.
      if (begun instanceof Promise) begun.then(() => (hasBegun = true)).catch(() => undefined);
      return begun;
    }
    const isOpen = isInTransaction();
    if (isEnd(text)) hasBegun = false;
    if (isOpen) return ask(...args);
    if (isPlain(text)) return askBehind((each) => ask(each), statement, [carrierOf(settings())]);
    if (NEEDS_NO_PATH.test(text)) return ask(...args);
    throw new DatabaseError('A statement of this kind must be part of a transaction.');
  };
  client.on('error', onError);
  client.setTypeParser(reading.oid, 'text', reading.parse);
  // The pool makes this function again each time it hands a connection out.
  const giveBack = client.release;
  const borrowed = Object.assign(client, {
    query: (...args: unknown[]): unknown => run(args),
    actFor(acting: string | undefined): void {
      organisation = acting;
    },
    release(problem?: Error | boolean): void {
      client.off('error', onError);
      client.setTypeParser(reading.oid, 'text', before);
      Reflect.deleteProperty(client, 'actFor');
      Reflect.deleteProperty(client, 'query');
      if (own !== undefined) Object.defineProperty(client, 'query', own);
      giveBack(problem);
    },
  });
  return borrowed;
}
