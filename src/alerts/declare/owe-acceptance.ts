/** `ACCEPT_DISPUTE` is owed, or has to wait: the two ends of a decided acceptance. */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { Hold } from '../cases/hold-case.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { oweDeclaration } from './declaration.store.ts';

const ASK_AGAIN = { baseMs: 2_000, maxMs: 2 * 60_000 };

/** After this many unanswered calls, a minute in all, a person is notified. */
const TRIES_UNTOLD = 5;

/** Everything was asked, and nothing is decided yet. */
export async function examined(): Promise<void> {
  await crashPoint('acceptance.examined');
}

/** Asked again on a ladder of seconds. A person is notified, who can decide otherwise; after the deadline nothing is asked. */
export async function later({ db, clock }: SagaDeps, claim: CaseRow, error: string): Promise<void> {
  const now = nowDate(clock);
  if (claim.deadline_at <= now) {
    const hold: Hold = { reason: 'processor_unavailable', fallback: 'none', now };
    await inTransaction(db, (trx) => holdCase(trx, claim, hold));
    return;
  }
  const retryAt = new Date(now.getTime() + backoffMs(claim.attempts + 1, ASK_AGAIN));
  await inTransaction(db, async (trx) => {
    await postponeCase(trx, claim, { now, retryAt, error });
    if (claim.attempts + 1 === TRIES_UNTOLD) await tellWaiting(trx, claim, now);
  });
}

async function tellWaiting(trx: Trx, claim: CaseRow, now: Date): Promise<void> {
  await notify(trx, {
    organisationId: claim.organisation_id,
    dedupeKey: `accept_waits:${claim.alert_id}`,
    kind: 'accept_waits',
    severity: 'warning',
    alertId: claim.alert_id,
    text: `Alert ${claim.alert_id}, due ${utcWords(claim.deadline_at)}, is to be accepted, but the processor does not say whether its charge was refunded. It is asked again; until it answers you can decide otherwise.`,
    at: now,
  });
}

/** The answer is owed, and said from now on. */
export async function accept(
  trx: Trx,
  claim: CaseRow,
  about: {
    readonly deps: SagaDeps;
    /** Where the case has none of its own. */
    readonly note: string;
    readonly despiteMinor: number;
  },
): Promise<void> {
  const { deps, note, despiteMinor } = about;
  const now = nowDate(deps.clock);
  await oweDeclaration(trx, {
    organisationId: claim.organisation_id,
    alertId: claim.alert_id,
    action: 'ACCEPT_DISPUTE',
    note: claim.answer_note ?? note,
    movementId: null,
    despiteMinor,
    now,
  });
  await moveCase(trx, claim, {
    to: 'DECLARE_ACCEPT',
    now,
    nextActionAt: now,
    what:
      despiteMinor > 0
        ? 'accepted although a part went back'
        : 'no money moved; the answer is owed',
    set: {
      hold_reason: null,
      fallback_action: null,
      fallback_at: null,
    },
  });
}
