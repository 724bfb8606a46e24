/**
 * What is done about the time that a restored database, or the standby that took over, may have lost: once
 * the check is over everything of it that has a list is read again, and people are notified of what has none.
 */

import type { Trx } from '../../base/db/database.ts';
import { openFinding } from '../../base/findings/finding.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { RecoveryCheck } from '../guard/recovery-check.store.ts';
import type { RecoveryReason } from '../guard/recovery-check-rule.ts';
import { addPass } from '../reconcile/reconcile-request.store.ts';

/** A silence loses nothing that was stored. */
const LOSES: ReadonlySet<RecoveryReason> = new Set(['forgotten', 'other_database']);

/** Asks for the pass and tells people, where the check was about lost time. */
export async function reportLostTime(
  trx: Trx,
  organisationId: string,
  { check, now }: { readonly check: RecoveryCheck; readonly now: Date },
): Promise<void> {
  const { alive, reason, since } = check;
  if (alive === null || !LOSES.has(reason)) return;
  await addPass(trx, {
    organisationId,
    since: new Date(alive),
    orders: 0,
    by: 'forestall',
    at: now,
  });
  const text = `What arrived from ${alive} to ${since} may not be in this database, although it was answered 200. Alerts, lookups and enrolments of that time are read again from the service. Representments and scheme notices have no list to read: look in the dashboard for those of that time.`;
  await openFinding(trx, {
    organisationId,
    kind: 'unlisted_period',
    severity: 'warning',
    subject: 'period',
    subjectId: alive,
    evidence: { from: alive, to: since },
    nextStep: text,
    at: now,
  });
  await notify(trx, {
    organisationId,
    dedupeKey: `lost_time:${since}`,
    kind: 'lost_time',
    severity: 'warning',
    text,
    at: now,
  });
}
