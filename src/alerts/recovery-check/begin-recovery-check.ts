/** How a recovery check begins, no matter who asks for it. */

import { writeAudit } from '../../base/audit/audit.store.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { lockAlive } from '../guard/recovery-check.store.ts';
import { readRecoveryState, writeRecoveryCheck } from '../guard/recovery-check.store.ts';
import type { RecoveryReason } from '../guard/recovery-check-rule.ts';
import { RECOVERY_REASONS } from '../guard/recovery-check-rule.ts';
import { writeUncheckedCharges } from '../guard/unchecked-charges.store.ts';
import { RECONCILE_TOPIC } from '../reconcile/reconcile-request.store.ts';
import { couldRefundBefore } from './could-refund.store.ts';

/** What a check waits for first. */
export const POLL = 'a complete poll of the service';

/** Why a check begins, and what was lost at most. */
export interface RecoveryCheckCause {
  readonly reason: RecoveryReason;
  /** The last sign of life; null when nothing tells. */
  readonly aliveMs: number | null;
  readonly nowMs: number;
}

type Transaction = Parameters<typeof lockAlive>[0];

/** Begins a check: audited, told to people, and the poll is woken. A check under way begins again. */
export async function beginRecoveryCheck(
  trx: Transaction,
  organisationId: string,
  { reason, aliveMs, nowMs }: RecoveryCheckCause,
): Promise<void> {
  const now = new Date(nowMs);
  const since = now.toISOString();
  const before = await readRecoveryState(trx, organisationId);
  // By now a worker may have noted that it has no processor; what was unknown then still is.
  const couldRefund =
    before.check?.couldRefund === true ||
    before.unchecked.size > 0 ||
    (await couldRefundBefore(trx, organisationId));
  // Whatever was held back is asked about again.
  await writeUncheckedCharges(trx, organisationId, { unchecked: new Map(), now });
  const alive = aliveMs === null ? null : new Date(aliveMs).toISOString();
  const check = { since, alive, reason, waitsFor: POLL, couldRefund };
  await writeRecoveryCheck(trx, organisationId, { check, now });
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'system',
    subjectId: 'reconcile_first',
    actor: 'forestall',
    what: 'reconciling first',
    detail: { reason, alive },
  });
  await notify(trx, {
    organisationId,
    dedupeKey: `reconcile_first:${since}`,
    kind: 'reconcile_first',
    severity: reason === 'silence' || reason === 'unknown_past' ? 'info' : 'warning',
    text: `Refunds and answers wait until the service has been polled and the processor asked about every open alert: ${RECOVERY_REASONS[reason]}. This ends by itself; the System page shows what it waits for.`,
    at: now,
  });
  await wake(trx, RECONCILE_TOPIC);
}
