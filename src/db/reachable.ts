/**
 * Says in one line that the database cannot be used: at a start this is no defect of ours, and a
 * supervisor that starts the process again needs no stack.
 */
import { sql } from 'kysely';
import { DatabaseError } from '../kernel/errors.ts';
import type { OpenDatabase } from './connect.ts';
import { ReadOnlyDatabaseError } from './writable.ts';

/**
 * Asks the database one question.
 *
 * @throws {DatabaseError} when it does not answer, or lets this user not in; the pool is closed then
 * @throws {ReadOnlyDatabaseError} when it takes no writes; likewise
 */
export async function requireReachable(database: OpenDatabase): Promise<void> {
  try {
    await sql`select 1`.execute(database.db);
  } catch (error) {
    await database.close();
    if (error instanceof ReadOnlyDatabaseError) throw error;
    throw new DatabaseError(
      'The database cannot be used. Check DATABASE_URL, and that the server runs and lets this user in.',
      { cause: error },
    );
  }
}
