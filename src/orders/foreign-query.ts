/**
 * How our statements reach a transaction that somebody else began: through Kysely in any of its versions, a client of
 * `pg`, or a function that asks one statement, which every other library can be wrapped in.
 */
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';

/** What is used of a Kysely transaction, whatever its tables and its version. */
export interface KyselyTransactionLike {
  readonly isTransaction: boolean;
  /** A plugin that renames columns would rename ours as well. */
  withoutPlugins(): {
    /** Each version names the type of a statement in its own way; all of them take one that Kysely made. */
    executeQuery(query: never): Promise<KyselyResultLike>;
  };
}

/** What is used of its results. */
export interface KyselyResultLike {
  readonly rows: readonly unknown[];
  readonly numAffectedRows?: bigint | undefined;
}

/** What is used of a connected `pg` client that is inside a transaction. */
export interface PgClientLike {
  query(text: string, values: unknown[]): Promise<PgResultLike>;
}

export interface PgResultLike {
  /** A list; `pg` types its elements as any. */
  readonly rows: unknown;
}

/**
 * Asks one statement inside a transaction, with `$1`, `$2` and so on in its text, and answers with its rows, or with an
 * object that has them as `rows`.
 */
export type QueryFunction = (text: string, values: unknown[]) => PromiseLike<unknown>;

/** A Kysely transaction, a `pg` client on which one was begun, or a function that asks one statement inside of one. */
export type ForeignTransaction = KyselyTransactionLike | PgClientLike | QueryFunction;

/** Asks a statement that Kysely has compiled. */
export type RunQuery = DatabaseConnection['executeQuery'];

/** @throws {TypeError} for a Kysely handle that is no transaction */
export function runOn(transaction: ForeignTransaction): RunQuery {
  if (typeof transaction === 'function') return runOnFunction(transaction);
  if ('isTransaction' in transaction) return runOnKysely(transaction);
  return runOnFunction((text, values) => transaction.query(text, values));
}

function runOnKysely(trx: KyselyTransactionLike): RunQuery {
  if (!trx.isTransaction) {
    throw new TypeError('Orders must be recorded inside a transaction. Pass the transaction.');
  }
  const plain = trx.withoutPlugins();
  return async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const answer: unknown = await Reflect.apply(plain.executeQuery, plain, [query]);
    return { rows: rowsOf<Row>(answer) };
  };
}

function runOnFunction(ask: QueryFunction): RunQuery {
  return async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const answer = await ask(query.sql, [...query.parameters]);
    return { rows: rowsOf<Row>(answer) };
  };
}

/** What a row holds, its statement says. */
function areRows<Row>(value: unknown): value is Row[] {
  return Array.isArray(value);
}

function rowsOf<Row>(answer: unknown): Row[] {
  if (areRows<Row>(answer)) return answer;
  if (typeof answer === 'object' && answer !== null && 'rows' in answer) {
    if (areRows<Row>(answer.rows)) return answer.rows;
  }
  throw new TypeError(
    'The transaction gave no rows. Pass a Kysely transaction, a client of pg, or a function that answers with the rows of its statement.',
  );
}
