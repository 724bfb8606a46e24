/** Ends a case whose alert is no longer open at the service, before we answered it. */
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { closeRemote, conflictCase } from '../cases/hold-case.ts';
import type { DecideDeps } from './decide-deps.ts';
import type { CaseFacts } from './facts.ts';
import { accountOf } from './money-state.ts';

/**
 * Closes the case as the service ended it. An alert that was resolved and does not show a refund, while there
 * is one of ours on its charge, is a contradiction: a person must look.
 */
export async function closeHeldCase(
  deps: Pick<DecideDeps, 'db' | 'clock' | 'rematch'>,
  { claim, facts }: { readonly claim: CaseRow; readonly facts: CaseFacts },
  signal: AbortSignal,
): Promise<void> {
  const { alert } = facts;
  // Its programme or its status was not known before: what the network refunded is money on the charge.
  if (alert.enrolmentType === 'NETB_RDR' && alert.status === 'RESOLVED') {
    await deps.rematch(claim, signal);
    return;
  }
  const now = nowDate(deps.clock);
  const { underWay, refundedBy, reference } = accountOf(facts);
  const moved = underWay !== null || refundedBy === 'us';
  const movement = underWay?.id ?? reference ?? 'of ours';
  const shown =
    alert.refundOutcome === 'NOT_REFUNDED' ? 'without a refund' : 'and says nothing of a refund';
  await inTransaction(deps.db, async (trx) => {
    if (moved && alert.status === 'RESOLVED' && alert.refundOutcome !== 'REFUNDED') {
      await conflictCase(trx, claim, {
        now,
        text: `Alert ${alert.id} was resolved at the service ${shown}, but refund ${movement} stands on its charge: it may be paid twice. Check the charge at the processor.`,
        detail: { movement_id: movement, outcome: alert.refundOutcome },
      });
      return;
    }
    await closeRemote(trx, claim, {
      status: alert.status,
      refundOutcome: alert.refundOutcome,
      now,
      refundStands: moved && alert.status === 'INVALID',
    });
  });
}
