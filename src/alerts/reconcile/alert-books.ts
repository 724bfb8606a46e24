/** Our rows about one alert, for a comparison, and the questions it asks them. Pure. */
import type { CaseState } from '../cases/case-state.ts';
import type { Claim, Ledger, Movement } from '../ledger/ledger.ts';
import { isOurs, mayHaveExecuted, surplusMinor } from '../ledger/ledger.ts';

/** Our rows about one alert, with the alert as the service last showed it. */
export interface AlertBooks {
  readonly alertId: string;
  readonly chargeReference: string;
  readonly caseState: CaseState;
  readonly isOpen: boolean;
  /** Null: it is not known to which dispute of the charge it belongs. */
  readonly disputeId: string | null;
  /** The movement its case names. */
  readonly movementId: string | null;
  readonly alert: {
    readonly status: string;
    readonly enrolmentType: string | null;
    readonly refundOutcome: string | null;
    readonly amountMinor: number | null;
    readonly currency: string | null;
  };
  /** The charge's ledger, with the network's refunds as their alerts say it now. */
  readonly ledger: Ledger;
  /** When a refund of ours on the charge was last confirmed, in milliseconds since 1970. */
  readonly confirmedAtMs: number | null;
  /** The answer of ours that the service took. */
  readonly declared: 'REFUND' | 'ACCEPT_DISPUTE' | undefined;
}

/**
 * Movements of ours that answer the alert's dispute, the one the case names first; where the dispute
 * of one of them is not known, it may be this one.
 */
export function ownFor({ ledger, disputeId, alertId, movementId }: AlertBooks): Movement[] {
  return ledger.movements
    .filter(isOurs)
    .filter(
      (each) => each.disputeId === null || each.disputeId === disputeId || each.alertId === alertId,
    )
    .sort((a, b) => Number(b.id === movementId) - Number(a.id === movementId));
}

export function claimOf({ disputeId, alert }: AlertBooks): Claim {
  return { disputeId, amountMinor: alert.amountMinor, currency: alert.currency };
}

/** What answers no dispute that is known: it may be an alert's without a dispute. */
export function unplacedMinor({ movements }: Ledger): number {
  return movements
    .filter((each) => mayHaveExecuted(each) && each.kind !== 'chargeback')
    .reduce((sum, each) => sum + surplusMinor(each), 0);
}

/** Whether the service shows `REFUNDED` for an alert that is not the network's own refund. */
export function isRefundDeclared({ alert, declared }: AlertBooks): boolean {
  if (alert.enrolmentType === 'NETB_RDR' || alert.status === 'INVALID') return false;
  return declared === 'REFUND' || alert.refundOutcome === 'REFUNDED';
}
