/**
 * The service no longer knows an alert that we hold open: its case ends, and a person is
 * notified.
 *
 * Only a case in which no money is under way is moved, and only while no worker holds it: the steps
 * of the saga read the alert themselves before they act and answer for their own states.
 */

import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { openFinding } from '../../base/findings/finding.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { lockCase } from '../cases/case.store.ts';
import type { CaseState } from '../cases/case-state.ts';
import { holdCase } from '../cases/hold-case.ts';

/** States that are held for a person when the alert is gone. */
const HOLDABLE: ReadonlySet<CaseState> = new Set([
  'RECEIVED',
  'MATCHED',
  'UNMATCHED',
  'AMBIGUOUS',
  'DECIDED_REFUND',
  'DECIDED_ACCEPT',
]);

/** The alert that answered 404. */
export interface GoneAlert {
  readonly organisationId: string;
  readonly alertId: string;
  readonly now: Date;
}

/** Holds the case, opens the finding `alert_not_found` and tells a person once. */
export async function holdGoneAlert(db: Db, gone: GoneAlert): Promise<boolean> {
  const { organisationId, alertId, now } = gone;
  return await inTransaction(db, async (trx) => {
    const row = await lockCase(trx, organisationId, alertId);
    const free = row !== undefined && (row.lease_until === null || row.lease_until <= now);
    const held = row !== undefined && free && HOLDABLE.has(row.state);
    // Without a fallback: an answer to an alert that is gone cannot be sent.
    if (held) await holdCase(trx, row, { reason: 'alert_missing', now, fallback: 'none' });
    const opened = await openFinding(trx, {
      organisationId,
      kind: 'alert_not_found',
      severity: 'error',
      subject: 'alert',
      subjectId: alertId,
      evidence: { case_state: row?.state ?? null, deadline_at: row?.deadline_at ?? null },
      nextStep:
        'Look the alert up in the dashboard: it was deleted, or the API key no longer reaches it. Then decide the case by hand.',
      at: now,
    });
    // Holding the case has notified a person already.
    if (opened && !held) {
      await notify(trx, {
        organisationId,
        dedupeKey: `alert_not_found:${alertId}:${now.toISOString()}`,
        kind: 'alert_not_found',
        severity: 'error',
        alertId,
        text: `The service answers 404 to alert ${alertId}, which is open here. Nothing more is done about it automatically. Look it up in the dashboard, then decide the case by hand.`,
        at: now,
      });
    }
    return opened;
  });
}
