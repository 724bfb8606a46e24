/** Tells workers, over the database, that something is due. `wake.ts` listens. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';

/** Channel on which the database tells workers that something is due. The payload is a topic. */
export const WAKE_CHANNEL = 'forestall';

/** Tells every listening worker, once this transaction commits, that `topic` has something due. */
export async function wake(db: Kysely<Database>, topic: string): Promise<void> {
  await sql`select pg_notify(${WAKE_CHANNEL}, ${topic})`.execute(db);
}
