/** Whether people were notified of an alert in time. */
import type { Db } from '../../../base/db/database.ts';

/** Whether a message about the alert was written by `before`. */
export async function wasNotifiedBefore(
  db: Db,
  { organisationId, alertId }: { readonly organisationId: string; readonly alertId: string },
  before: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('notification')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .where('created_at', '<=', before)
    .executeTakeFirst();
  return row !== undefined;
}
