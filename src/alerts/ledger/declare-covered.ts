/**
 * The money has gone back, so `REFUND` is owed to the service: stored with the case's move, in the
 * transaction that saw it.
 */
import type { Trx } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { oweDeclaration } from '../declare/declaration.store.ts';
import { refundNote } from './answer-notes.ts';
import type { Ledger } from './ledger.ts';
import { claimOfAlert, isCovered, isOurs, movementBehind } from './ledger.ts';

/** Owes `REFUND` where it is true of the alert as it stands (L4). Undefined: it is not. */
export async function declareIfCovered(
  trx: Trx,
  claim: CaseRow,
  about: { readonly ledger: Ledger; readonly pendingCounts: boolean; readonly now: Date },
): Promise<CaseRow | undefined> {
  const { ledger, pendingCounts, now } = about;
  const own = claimOfAlert(ledger, claim.alert_id);
  if (!isCovered(ledger, own, pendingCounts)) return undefined;
  const movementId = movementBehind(ledger, own)?.id ?? null;
  return await declareCovered(trx, claim, { ledger, movementId, now });
}

/** Owes `REFUND`. */
export async function declareCovered(
  trx: Trx,
  claim: CaseRow,
  covered: { readonly ledger: Ledger; readonly movementId: string | null; readonly now: Date },
): Promise<CaseRow> {
  const { ledger, movementId, now } = covered;
  const movement = ledger.movements.find(({ id }) => id === movementId);
  await oweDeclaration(trx, {
    organisationId: claim.organisation_id,
    alertId: claim.alert_id,
    action: 'REFUND',
    note: refundNote(movement, ledger.chargeReference),
    movementId,
    despiteMinor: 0,
    now,
  });
  const isOwn = movement !== undefined && isOurs(movement);
  return await moveCase(trx, claim, {
    to: 'DECLARE_REFUND',
    now,
    nextActionAt: now,
    what: isOwn ? 'refund stands' : 'refunded by somebody else',
    detail: { movement: movementId },
    set: {
      movement_id: movementId,
      hold_reason: null,
      fallback_action: null,
      fallback_at: null,
    },
  });
}
