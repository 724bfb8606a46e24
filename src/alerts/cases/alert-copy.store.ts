/** What the steps after the match need of our own copy of an alert, and which others its charge has. */
import type { Db } from '../../base/db/database.ts';

/** Our copy of an alert, reduced to what decides about money. */
export interface AlertCopy {
  readonly status: string;
  readonly enrolmentType: string | null;
  readonly refundOutcome: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

/** Reads the alert's row, or undefined. */
export async function readAlertCopy(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<AlertCopy | undefined> {
  return await db
    .selectFrom('alert')
    .select(['status', 'currency', 'enrolment_type as enrolmentType'])
    .select(['refund_outcome as refundOutcome', 'amount_minor as amountMinor'])
    .where('organisation_id', '=', organisationId)
    .where('id', '=', alertId)
    .executeTakeFirst();
}
