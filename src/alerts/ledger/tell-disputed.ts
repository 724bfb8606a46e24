/**
 * The bank takes money that was refunded: the one moment in which the merchant must act. Told in the transaction that
 * reads it, with the proof to send (A8).
 */
import type { Trx } from '../../base/db/database.ts';
import { closeFinding, openFinding } from '../../base/findings/finding.store.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { Ledger, Movement } from './ledger.ts';
import { isRefund, isReleased, isSettled, isWhollyReturned } from './ledger.ts';

/** The kind of its finding. */
export const DISPUTED_AFTER_REFUND = 'disputed_after_refund' as const;

/** Refunds that answer a complaint about the charge, or gave all of it back: the proof that it is paid. */
export function proofOfRefund(ledger: Ledger): readonly Movement[] {
  const settled = ledger.movements.filter((each) => isRefund(each) && isSettled(each, true));
  const isWhole = isWhollyReturned(ledger, true) || isReleased(ledger);
  return settled.filter((each) => isWhole || each.covers.length > 0);
}

/** Tells of a dispute that was opened after the charge went back for it; closes the finding once it is over. */
export async function tellDisputed(
  trx: Trx,
  change: {
    readonly charge: ChargeKey;
    readonly before: Ledger;
    readonly after: Ledger;
    readonly now: Date;
  },
): Promise<void> {
  const { charge, before, after, now } = change;
  const { organisationId, chargeReference } = charge;
  const key = {
    ...{ organisationId, kind: DISPUTED_AFTER_REFUND },
    ...{ subject: 'charge', subjectId: chargeReference },
  };
  if (after.isDisputed !== true) {
    if (before.isDisputed === true) await closeFinding(trx, key, now);
    return;
  }
  // One that was open before anything went back is known to anyone who refunded as well.
  if (before.isDisputed === true) return;
  const proof = proofOfRefund(before);
  if (proof.length === 0) return;
  const parts = proof.map(
    (each) => `${formatMoney(each)} ${each.kind} ${each.reference ?? each.id}`,
  );
  const nextStep = `The bank disputes charge ${chargeReference}, which went back already. Answer the dispute at the processor before it is due, with these refunds as proof: ${parts.join(', ')}.`;
  await openFinding(trx, {
    ...key,
    severity: 'error',
    evidence: {
      refunds: proof.map(({ id, reference }) => reference ?? id),
      returned_in_cents: proof.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
    },
    nextStep,
    at: now,
  });
  const alertId = proof.find((each) => each.alertId !== null)?.alertId;
  await notify(trx, {
    organisationId,
    dedupeKey: `${DISPUTED_AFTER_REFUND}:${chargeReference}:${now.toISOString()}`,
    kind: DISPUTED_AFTER_REFUND,
    severity: 'error',
    ...(alertId == null ? {} : { alertId }),
    text: nextStep,
    at: now,
  });
}
