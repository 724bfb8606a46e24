/**
 * Ends a case whose alert is no longer open at the service, before we answered it.
 */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { closeRemote, conflictCase } from '../cases/hold-case.ts';
import type { CaseFacts } from './facts.ts';
import { accountOf } from './money-state.ts';

/**
 * Closes the case as the service ended it. An alert that was resolved without a refund, while a
 * refund of ours stands on its charge, is a contradiction: a person must look.
 */
export async function closeHeldCase(
  deps: { readonly db: Db; readonly clock: Clock },
  claim: CaseRow,
  facts: CaseFacts,
): Promise<void> {
  const { alert } = facts;
  const now = nowDate(deps.clock);
  const { underWay, refundedBy, reference } = accountOf(facts);
  const moved = underWay !== null || refundedBy === 'us';
  const movement = underWay?.id ?? reference ?? 'of ours';
  await inTransaction(deps.db, async (trx) => {
    if (moved && alert.status === 'RESOLVED' && alert.refundOutcome === 'NOT_REFUNDED') {
      await conflictCase(trx, claim, {
        now,
        text: `Alert ${alert.id} was resolved at the service without a refund, but refund ${movement} stands on its charge: it may be paid twice. Check the charge at the processor.`,
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
