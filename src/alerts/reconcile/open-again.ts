/**
 * Alerts that the service lists as open although their case has ended here: answered by us, in the dashboard, or
 * withdrawn. The specification knows no way back from there, so no rule of the flow expects it; without this an
 * alert could run out unseen.
 *
 * One read by itself settles it: a list, or a copy of the service's database, may be older than our answer. People are
 * told at once, the answer that was given is given again, and nothing is refunded.
 */

import { inTransaction } from '../../base/db/transaction.ts';
import { openFinding } from '../../base/findings/finding.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { toInstant, utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type { RemoteAlert } from '../cases/alert-service.ts';
import { deadlineMsOf } from '../cases/claim.ts';
import { remoteAlertOf } from '../cases/client-alert-service.ts';
import { recordMissed } from '../cases/deadline-sweep.ts';
import { hasAnswer } from '../declare/answer-again.ts';
import type { EndedCase } from './open-again.store.ts';
import { OPEN_AGAIN, readEndedCases } from './open-again.store.ts';
import type { RoundContext } from './poll-round.ts';
import { readOne } from './poll-round.ts';

/** A copy of the alert as it was before its end is taken for one until so long after it, in milliseconds. */
const LATE_COPY_MS = 10 * 60_000;

/** One that stays open is looked at, and answered, this often, in milliseconds. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** Read one by one in a round: hardly ever one, and the other single reads of the round need the endpoint more. */
const READ_MAX = 10;

/** People are told a second time when this is left, in milliseconds. */
const LAST_CALL_MS = 60 * 60_000;

/** Looks after listed alerts whose case has ended. */
export async function pollOpenAgain(round: RoundContext, listed: readonly string[]): Promise<void> {
  const { db, clock, organisationId, answerAgain } = round;
  const now = nowDate(clock);
  const seenBefore = new Date(now.getTime() - LOOK_AGAIN_MS);
  const found = { organisationId, listed, seenBefore, now, limit: READ_MAX };
  for (const ended of await readEndedCases(db, found)) {
    const end = await readOne(round, ended.alert_id);
    if (end.kind !== 'read' || !isOpenAgain(ended, end.alert, now)) continue;
    const alert = remoteAlertOf(end.alert);
    await tell(round, ended, alert);
    await answerAgain(ended, alert);
  }
}

function isOpenAgain(ended: EndedCase, { status, updated_at: at }: Alert, now: Date): boolean {
  if (status !== 'ACTION_REQUIRED') return false;
  const isNews = (toInstant(at) ?? '') > ended.alert_updated_at;
  return isNews || now.getTime() - (ended.closed_at?.getTime() ?? 0) >= LATE_COPY_MS;
}

/** A finding, a page when it is new and before the deadline, and `missed` when it has run out since. */
async function tell(
  { db, clock }: RoundContext,
  ended: EndedCase,
  alert: RemoteAlert,
): Promise<void> {
  const { organisation_id: organisationId, alert_id: alertId, state } = ended;
  const now = nowDate(clock);
  const deadlineAt = new Date(deadlineMsOf(alert, ended));
  const nextStep = hasAnswer(state)
    ? `Forestall gives its answer again while that is still true, and refunds nothing again. If the alert stays open, answer it in the service's dashboard before ${utcWords(deadlineAt)}.`
    : `Nothing is done about it automatically. Answer it in the service's dashboard before ${utcWords(deadlineAt)}, as "refunded" only if the money has gone back.`;
  await inTransaction(db, async (trx) => {
    const isNew = await openFinding(trx, {
      organisationId,
      kind: OPEN_AGAIN,
      severity: 'error',
      subject: 'case',
      subjectId: alertId,
      evidence: { case_state: state, closed_at: ended.closed_at, deadline_at: deadlineAt },
      nextStep,
      at: now,
    });
    const leftMs = deadlineAt.getTime() - now.getTime();
    if (isNew || (leftMs > 0 && leftMs <= LAST_CALL_MS)) {
      await notify(trx, {
        organisationId,
        dedupeKey: `${OPEN_AGAIN}:${alertId}:${isNew ? now.toISOString() : deadlineAt.toISOString()}`,
        kind: OPEN_AGAIN,
        severity: 'error',
        alertId,
        text: `Alert ${alertId} ended here as ${state}, and the service shows it as open again. ${nextStep}`,
        at: now,
      });
    }
    if (isNew || leftMs > 0 || ended.missed_at !== null) return;
    await recordMissed(trx, [ended], { organisationId, now });
  });
}
