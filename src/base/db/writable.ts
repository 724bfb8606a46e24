/**
 * Keeps connections to a read-only server out of a pool: a standby, or a primary that was made one.
 *
 * Behind an address that moves at a failover, such a server may answer for a while. Work on it can only fail,
 * what is read there may be old, and a connection that is kept would stay with it after the address has
 * moved on. So each new connection is asked, and one that turns out read-only later is not used again.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import { KitError } from '../kernel/errors.ts';
import type { Db } from './database.ts';
import { sqlStateOf } from './transaction.ts';

/** The database answers, and takes no writes. */
export class ReadOnlyDatabaseError extends KitError {
  readonly code = 'DATABASE_READ_ONLY';
  readonly retryable = true;
}

/** What to do about it. */
export const READ_ONLY_STEP =
  'Let DATABASE_URL lead to the primary, or promote the standby that it leads to.';

/** read_only_sql_transaction. */
const READ_ONLY_STATE = '25006';

interface Answer {
  readonly read_only: string;
}

const QUESTION = `select current_setting('transaction_read_only') as read_only`;

/** For a pool's `verify`: refuses a connection that cannot be written to. */
export function requireWritable(client: pg.PoolClient, done: (error?: Error) => void): void {
  void client.query<Answer>(QUESTION, (error: Error | null, result) => {
    done(error ?? refusalOf(result.rows));
  });
}

/**
 * The same for a connection that is open already: a server can be made read-only under it, and one that only
 * reads would not notice.
 *
 * @throws {ReadOnlyDatabaseError}
 */
export async function requireStillWritable(connection: Db): Promise<void> {
  const { rows } = await sql.raw<Answer>(QUESTION).execute(connection);
  const refusal = refusalOf(rows);
  if (refusal !== undefined) throw refusal;
}

function refusalOf([answer]: readonly Answer[]): ReadOnlyDatabaseError | undefined {
  if (answer?.read_only !== 'on') return undefined;
  return new ReadOnlyDatabaseError(`The database is read-only. ${READ_ONLY_STEP}`);
}

/** Whether a failure says that the database takes no writes. */
export function isReadOnlyError(error: unknown): boolean {
  return error instanceof ReadOnlyDatabaseError || sqlStateOf(error) === READ_ONLY_STATE;
}

/** How pg says that its own time limit for an answer is over. The answer is still to come on that connection. */
export const READ_TIMEOUT = 'Query read timeout';

const spent = new WeakSet<object>();

/** invalid_sql_statement_name and duplicate_prepared_statement: the session has not prepared what its client believes. */
const UNPREPARED_STATES: ReadonlySet<string | undefined> = new Set(['26000', '42P05']);

/** Remembers the client when the failure means that nothing more can come of it. */
export function noteFault(client: object, error: unknown): void {
  const isLate = error instanceof Error && error.message === READ_TIMEOUT;
  if (isLate || isReadOnlyError(error) || UNPREPARED_STATES.has(sqlStateOf(error))) {
    spent.add(client);
  }
}

/** Whether it was. */
export function isSpent(client: object): boolean {
  return spent.has(client);
}
