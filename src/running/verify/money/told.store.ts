/** Whether people were told about an alert in time. */
import type { Kysely } from 'kysely';
import type { Database } from '../../../base/db/database.ts';

/** Whether a message about the alert was written by `before`. */
export async function wasToldBefore(
  db: Kysely<Database>,
  alertId: string,
  before: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('notification')
    .select('id')
    .where('alert_id', '=', alertId)
    .where('created_at', '<=', before)
    .executeTakeFirst();
  return row !== undefined;
}
