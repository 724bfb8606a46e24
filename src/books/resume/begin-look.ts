/** How a look before acting begins, whoever asks for it. */
import type { lockAlive } from '../../alerts/guard/resume.store.ts';
import { readResume, writeLook } from '../../alerts/guard/resume.store.ts';
import type { ResumeReason } from '../../alerts/guard/resume-rule.ts';
import { RESUME_REASONS } from '../../alerts/guard/resume-rule.ts';
import { writeWithheld } from '../../alerts/guard/withheld.store.ts';
import { writeAudit } from '../../base/audit/audit.store.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { couldRefundBefore } from '../insights/health.store.ts';
import { RECONCILE_TOPIC } from '../reconcile/reconcile-request.store.ts';

/** What a look waits for first. */
export const POLL = 'a complete poll of the service';

/** Why a look begins, and what was lost at most. */
export interface LookBeginning {
  readonly reason: ResumeReason;
  /** The last sign of life; null when nothing tells. */
  readonly aliveMs: number | null;
  readonly nowMs: number;
}

type Transaction = Parameters<typeof lockAlive>[0];

/** Begins a look: audited, told to people, and the poll is woken. A look under way begins anew. */
export async function beginLook(
  trx: Transaction,
  organisationId: string,
  { reason, aliveMs, nowMs }: LookBeginning,
): Promise<void> {
  const now = new Date(nowMs);
  const since = now.toISOString();
  const before = await readResume(trx, organisationId);
  // By now a worker may have noted that it has no processor; what was unknown then still is.
  const couldRefund =
    before.look?.couldRefund === true ||
    before.withheld.size > 0 ||
    (await couldRefundBefore(trx, organisationId));
  // Whatever was held back is asked about anew.
  await writeWithheld(trx, organisationId, { withheld: new Map(), now });
  const alive = aliveMs === null ? null : new Date(aliveMs).toISOString();
  const look = { since, alive, reason, waitsFor: POLL, couldRefund };
  await writeLook(trx, organisationId, { look, now });
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
    text: `Refunds and answers wait until the service has been polled and the processor asked about every open alert: ${RESUME_REASONS[reason]}. This ends by itself; the System page shows what it waits for.`,
    at: now,
  });
  await wake(trx, RECONCILE_TOPIC);
}
