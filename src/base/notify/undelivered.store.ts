/** Messages to people that have not arrived. */
import type { Db } from '../db/database.ts';

/** Messages that are shown. */
const MESSAGES_MAX = 50;

export interface UndeliveredMessage {
  readonly createdAt: Date;
  readonly severity: string;
  readonly text: string;
  readonly attempts: number;
  /** Null: given up. */
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
}

/** Messages that wait or were given up, newest first. */
export async function listUndelivered(
  db: Db,
  organisationId: string,
): Promise<UndeliveredMessage[]> {
  return await db
    .selectFrom('notification')
    .select(['severity', 'text', 'attempts'])
    .select([
      'created_at as createdAt',
      'next_attempt_at as nextAttemptAt',
      'last_error as lastError',
    ])
    .where('organisation_id', '=', organisationId)
    .where('sent_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(MESSAGES_MAX)
    .execute();
}
