/** Tells workers, over the database, that something is due. `wake.ts` listens. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { closingOf, notifyAll } from '../db/closing.store.ts';
import type { Database } from '../db/database.ts';

export { WAKE_CHANNEL } from '../db/closing.store.ts';

/** Tells every listening worker, once this transaction commits, that `topic` has something due. */
export async function wake(db: Kysely<Database>, topic: string): Promise<void> {
  const closing = closingOf(db);
  if (closing === undefined) await sql`select ${notifyAll([topic])}`.execute(db);
  else closing.wake(topic);
}
