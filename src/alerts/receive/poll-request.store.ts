/**
 * Asks reconcile to read an alert: a delivery about it was authentic but too old or too new to be
 * believed.
 */
import type { Db } from '../../base/db/database.ts';

/** Which alert to read, and why. */
export interface PollRequest {
  readonly organisationId: string;
  readonly alertId: string;
  readonly reason: string;
  readonly at: Date;
}

/** Asks for one read of the alert. A request that still waits is not doubled. */
export async function insertPollRequest(db: Db, request: PollRequest): Promise<void> {
  await db
    .insertInto('poll_request')
    .values({
      organisation_id: request.organisationId,
      alert_id: request.alertId,
      reason: request.reason,
      requested_at: request.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
