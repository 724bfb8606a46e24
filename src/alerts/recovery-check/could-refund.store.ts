/** Whether money may have been sent before this process began. */
import type { Db } from '../../base/db/database.ts';
import { readWorkerSettings } from '../cases/worker-settings.store.ts';

/**
 * Whether a worker before this one could refund. Where none has noted its settings, a movement of ours
 * tells.
 */
export async function couldRefundBefore(db: Db, organisationId: string): Promise<boolean> {
  const noted = await readWorkerSettings(db, organisationId);
  return noted?.hasProcessor ?? (await hasOurMovement(db, organisationId));
}

/** Whether Forestall has ever moved money, or may have. */
async function hasOurMovement(db: Db, organisationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('movement')
    .select('id')
    .where('organisation_id', '=', organisationId)
    .where('idempotency_key', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
