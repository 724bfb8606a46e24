/** The two databases of a move, and the transactions in which it reads and writes them. */
import type { Pool, PoolClient } from 'pg';
import { DatabaseError } from '../../base/kernel/errors.ts';
import type { Held } from './move.store.ts';
import { holdArrival } from './move.store.ts';
import type { RowScope } from './row-text.ts';

export interface Side {
  readonly pool: Pool;
  readonly scope: RowScope;
}

export interface Sides {
  readonly source: Side;
  readonly target: Side;
  readonly held: Held;
}

/** Rows have met their triggers and foreign keys where they were made. */
const NO_TRIGGERS = `set local session_replication_role = 'replica'`;

export async function reading<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return await within(pool, 'begin isolation level repeatable read read only', work);
}

/**
 * Writes at the target, without the triggers and foreign keys that the rows have met at the source already.
 *
 * @throws {DatabaseError} when another command carries the move on
 */
export async function writing<Result>(
  { target, held }: Sides,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return await within(target.pool, 'begin', async (client) => {
    await client.query(NO_TRIGGERS);
    if (!(await holdArrival(client, held))) throw new DatabaseError(LOST);
    return await work(client);
  });
}

/** Another command has the move by now. */
export const LOST =
  'Another command carries this move on, or has ended it. "forestall organisations move … --status" shows where it is.';

async function within<Result>(
  pool: Pool,
  begin: string,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    client.release(true);
    throw error;
  }
}

export async function pastTheFence<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return await within(pool, 'begin', async (client) => {
    await client.query(NO_TRIGGERS);
    return await work(client);
  });
}
