/**
 * Notifies people that the service refuses us, and not the orders: one message per code and hour.
 */
import type { Trx } from '../base/db/database.ts';
import { notify } from '../base/notify/notification.store.ts';

/** What the service refused us with. */
export interface AccessTrouble {
  readonly organisationId: string;
  readonly code: string;
  /** In words, with the next step. */
  readonly reason: string;
  readonly now: Date;
}

/** Writes the message. */
export async function alarmNoAccess(
  trx: Trx,
  { organisationId, code, reason, now }: AccessTrouble,
): Promise<void> {
  await notify(trx, {
    organisationId,
    dedupeKey: `feed.access:${code}:${now.toISOString().slice(0, 13)}`,
    kind: 'feed_stopped',
    severity: 'error',
    text: `The service refuses the order feed. Orders and updates wait and are sent once it answers. ${reason}`,
    at: now,
  });
}
