/**
 * A statement about money above the limit for one person: it takes effect when a second person says the same, and what
 * they say is one thing, by its name.
 */
import type { Trx } from '../../base/db/database.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { endOf, isOver } from '../cases/claim.ts';
import { isApproved } from '../guard/approval.store.ts';
import { needsApproval } from '../guard/check-movement.ts';
import { sentForComplaint } from '../guard/complaint-sum.ts';
import type { ApprovalKind } from '../guard/guard.table.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OperatorDecision } from './operator-decision.ts';

/** What is said. */
export interface Statement extends Money {
  readonly kind: Exclude<ApprovalKind, 'REFUND'>;
  readonly decision: OperatorDecision;
  readonly ledger: Ledger;
  readonly disputeId: string | null;
  /** What two people must agree on, besides the amount. */
  readonly about: string;
  readonly reference?: string;
  /** The movement whose end it says: that counts no second time. */
  readonly except?: string;
}

/** Whether it takes effect now. Otherwise the person's word is noted. */
export async function isAgreed(trx: Trx, current: CaseRow, statement: Statement): Promise<boolean> {
  const { decision, ledger, kind, about, reference, amountMinor, currency } = statement;
  // An acceptance names the whole sum that went back; anything else is added to it.
  const complaintMinor = kind === 'ACCEPT_DISPUTE' ? 0 : sentForComplaint(ledger, statement);
  const limits = decision.approvalAboveMinor;
  if (!needsApproval({ kind: 'refund', amountMinor, currency, complaintMinor }, limits))
    return true;
  const { organisationId, alertId, operator, now } = decision;
  return await isApproved(trx, {
    organisationId,
    alertId,
    kind,
    movementId: about,
    chargeReference: ledger.chargeReference,
    amountMinor,
    currency,
    reference,
    // What is said after the deadline has no end: otherwise nobody could ever say the same.
    endsAt: isOver(current, now) ? null : endOf(current),
    operator,
    now,
  });
}
