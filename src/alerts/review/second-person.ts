/**
 * A statement about money above the limit for one person: it takes effect when a second person says the
 * same.
 */
import type { Transaction } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { isApproved } from '../guard/approval.store.ts';
import { needsApproval } from '../guard/check-movement.ts';
import type { OperatorDecision } from './operator-decision.ts';

/** What is said. */
export interface Statement extends Money {
  readonly decision: OperatorDecision;
  /** What two people must agree on, besides the amount. */
  readonly about: string;
}

/** Whether it takes effect now. Otherwise the person's word is noted. */
export async function isAgreed(
  trx: Transaction<Database>,
  current: CaseRow,
  { decision, about, amountMinor, currency }: Statement,
): Promise<boolean> {
  const limits = decision.approvalAboveMinor;
  if (!needsApproval({ kind: 'refund', amountMinor, currency }, limits)) return true;
  return await isApproved(trx, {
    organisationId: decision.organisationId,
    alertId: decision.alertId,
    movementId: about,
    chargeReference: current.charge_reference ?? '',
    amountMinor,
    currency,
    endsAt: current.deadline_at,
    operator: decision.operator,
    now: decision.now,
  });
}
