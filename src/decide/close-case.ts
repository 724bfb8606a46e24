/**
 * Ends a case whose alert is no longer open at the service, before we answered it.
 */
import type { Kysely } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import { closeRemote, conflictCase } from '../cases/hold-case.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import type { RefundState } from '../refund/refund-state.ts';
import type { DecisionFacts } from './facts.ts';

/** Money of ours has moved, or may have. */
const OUR_MONEY: ReadonlySet<RefundState> = new Set(['SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED']);

/**
 * Closes the case as the service ended it. An alert that was resolved without a refund, while a
 * refund of ours stands on its charge, is a contradiction: a person must look.
 */
export async function closeHeldCase(
  deps: { readonly db: Kysely<Database>; readonly clock: Clock },
  claim: CaseRow,
  { alert, ownRefund }: Pick<DecisionFacts, 'alert' | 'ownRefund'>,
): Promise<void> {
  const now = nowDate(deps.clock);
  const moved = ownRefund !== null && OUR_MONEY.has(ownRefund.state);
  await inTransaction(deps.db, async (trx) => {
    if (moved && alert.status === 'RESOLVED' && alert.refundOutcome === 'NOT_REFUNDED') {
      await conflictCase(trx, claim, {
        now,
        text: `Alert ${alert.id} was resolved at the service without a refund, but refund ${ownRefund.id} stands on its charge: it may be paid twice. Check the charge at the processor.`,
        detail: { refund_id: ownRefund.id, outcome: alert.refundOutcome },
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
