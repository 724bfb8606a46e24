/**
 * Makes a claim a case: its row among the alerts, and its charge in the index, so that it is matched, decided
 * and refunded as an alert is, past the same reservation and the same guard rails.
 */

import { applySnapshots } from '../../alerts/apply/apply-snapshots.ts';
import { isRouted } from '../../alerts/cases/routed-processor.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { recordCharges } from '../../orders/charge.store.ts';
import { recordOfProcessorCharge } from '../../orders/charge-record.ts';
import type { RefundClaimRow } from './refund-claim.store.ts';
import { planClaim } from './refund-claim.store.ts';
import type { SignalDeps } from './signal-deps.ts';

/** Opens its case. Run again it finds its row, and changes nothing. @returns why it must be tried again */
export async function takeClaim(
  deps: SignalDeps,
  claim: RefundClaimRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { db, organisationId, processor, clock } = deps;
  const answer = await processor.readCharge(claim.charge_reference, signal);
  if (answer.kind === 'unavailable') return answer.reason;
  const merchantId = isRouted(processor)
    ? await processor.merchantThatKnows(claim.charge_reference, signal)
    : null;
  await crashPoint('claim.examined');
  const now = nowDate(clock);
  await inTransaction(db, async (trx) => {
    if (answer.kind === 'found') {
      // Under the name that the claim gives it: that is what its case is matched by.
      const shown = recordOfProcessorCharge(answer.value);
      const charges = [{ ...shown, reference: claim.charge_reference }];
      await recordCharges(trx, organisationId, { charges, now });
    }
    const snapshots = [
      { entity: 'alert', object: objectOf(claim, merchantId), eventId: null },
    ] as const;
    await applySnapshots(trx, { organisationId, source: 'poll', snapshots, now });
    await planClaim(trx, claim, null);
  });
  await crashPoint('claim.taken');
  return undefined;
}

/** The claim in the words of an alert. */
function objectOf(claim: RefundClaimRow, merchantId: string | null): Record<string, unknown> {
  return {
    id: claim.id,
    organisation_id: claim.organisation_id,
    ...(merchantId === null ? {} : { merchant_id: merchantId }),
    enrolment_type: claim.source,
    status: 'ACTION_REQUIRED',
    action_required_deadline: claim.due_at.toISOString(),
    transaction_amount_in_cents: claim.amount_minor,
    transaction_currency_code: claim.currency,
    integration_transaction_id: claim.charge_reference,
    created_at: claim.claimed_at.toISOString(),
    updated_at: claim.opened_at.toISOString(),
  };
}
