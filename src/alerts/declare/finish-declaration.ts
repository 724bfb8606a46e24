/**
 * Ends a case by what its alert shows: declared, closed by somebody else, contradicting, or unclear.
 */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { AlertSnapshot, RemoteAlert } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { isClaimId } from '../cases/claim.ts';
import { closeRemote, conflictCase, holdCase } from '../cases/hold-case.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import type { AlertMeaning } from './classify-answer.ts';
import type { DeclarationRow } from './declaration.store.ts';
import { settleDeclaration } from './declaration.store.ts';

/** The answer that ends, with the case that owes it. */
interface Ending {
  readonly claim: CaseRow;
  readonly declaration: DeclarationRow;
}

/** Whose outcome the alert shows: ours if we sent it and the note does not say otherwise. */
function isOurs(declaration: DeclarationRow, alert: RemoteAlert): boolean {
  return declaration.attempts > 0 && (alert.note === null || alert.note === declaration.note);
}

type Meaning = Exclude<AlertMeaning, 'send'>;

/** What the alert shows. */
interface Found {
  readonly alert: RemoteAlert;
  readonly meaning: Meaning;
  /** The alert as our answer was answered with it: not on its row yet. */
  readonly object?: AlertSnapshot['object'];
}

/** Writes the end in one transaction: alert, declaration, case, audit, and the page where one is due. */
export async function finishDeclaration(
  deps: SagaDeps,
  ending: Ending,
  found: Found,
): Promise<void> {
  const { claim, declaration } = ending;
  const { alert, meaning, object } = found;
  await crashPoint('declaration.understood');
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    if (object !== undefined) await deps.applyAlertSnapshot(object, { trx });
    if (meaning === 'unclear') {
      await holdCase(trx, claim, { reason: 'alert_status_unknown', fallback: 'none', now });
      return;
    }
    const ours = meaning === 'declared' && isOurs(declaration, alert);
    await settleDeclaration(trx, declaration, {
      state: ours ? 'DONE' : 'ELSEWHERE',
      remoteOutcome: alert.refundOutcome,
      // The answer to a claim of our own says nothing about the service's key.
      keyAccepted: object !== undefined && !isClaimId(claim.alert_id),
      now,
    });
    await endCase(trx, ending, { alert, meaning, ours, now });
  });
  await crashPoint('declaration.finished');
}

interface End {
  readonly alert: RemoteAlert;
  readonly meaning: Exclude<Meaning, 'unclear'>;
  readonly ours: boolean;
  readonly now: Date;
}

async function endCase(
  trx: Trx,
  { claim, declaration }: Ending,
  { alert, meaning, ours, now }: End,
): Promise<void> {
  const { status, refundOutcome } = alert;
  switch (meaning) {
    case 'declared':
      await moveCase(trx, claim, {
        to: declaration.action === 'REFUND' ? 'DECLARED_REFUND' : 'DECLARED_ACCEPT',
        now,
        what: ours ? 'declared' : 'shows our outcome, declared by somebody else',
        detail: { outcome: refundOutcome, note: declaration.note },
      });
      return;
    case 'conflict':
      await conflictCase(trx, claim, {
        now,
        text: `Alert ${claim.alert_id} shows ${refundOutcome ?? 'no outcome'}, but our books say ${declaration.action} (${declaration.note}). Check the charge at the processor and the alert in the service's dashboard.`,
        detail: { status, outcome: refundOutcome, owed: declaration.action },
      });
      return;
    case 'closed_remote':
    case 'closed_invalid': {
      const refundStands = declaration.action === 'REFUND';
      await closeRemote(trx, claim, { status, refundOutcome, now, refundStands });
      return;
    }
  }
}

/** The service will not take the answer: no more sending, the timer runs on, a person is paged. */
export async function refuseDeclaration(
  deps: SagaDeps,
  { claim, declaration }: Ending,
  code: string,
): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const end = { state: 'REFUSED', remoteOutcome: null, keyAccepted: false, now } as const;
    await settleDeclaration(trx, declaration, end);
    const detail = { code };
    await holdCase(trx, claim, { reason: 'declaration_refused', fallback: 'none', now, detail });
    await notify(trx, {
      organisationId: claim.organisation_id,
      dedupeKey: `declaration_refused:${claim.alert_id}:${code}`,
      kind: 'declaration_refused',
      severity: 'error',
      alertId: claim.alert_id,
      text: `The service refuses ${declaration.action} on alert ${claim.alert_id} (${code}). Answer it in the service's dashboard before ${utcWords(claim.deadline_at)}, or decide again.`,
      at: now,
    });
  });
}
