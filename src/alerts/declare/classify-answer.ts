/**
 * What the alert's state means for an answer we owe: one pure table (faults 2.5, "422 INVALID_ACTION"
 * and its neighbours).
 */
import type { DeclaredAction, RemoteAlert } from '../cases/alert-service.ts';

/** What follows from the alert as it is now. */
export type AlertMeaning =
  /** Still open: the answer is still owed. */
  | 'send'
  /** Shows the outcome we owe. */
  | 'declared'
  /** Somebody resolved it before we sent anything, in a way our books allow. */
  | 'closed_remote'
  | 'closed_invalid'
  /** Shows an outcome our books contradict. */
  | 'conflict'
  /** Neither open nor readable: a person looks. */
  | 'unclear';

/** The outcome that each action leads to (specification, Alert status). */
const OUTCOME_OF = { REFUND: 'REFUNDED', ACCEPT_DISPUTE: 'NOT_REFUNDED' } as const;

/**
 * Reads the alert against the action we owe.
 *
 * @param sent whether we sent that action at least once
 */
export function meaningOf(alert: RemoteAlert, action: DeclaredAction, sent: boolean): AlertMeaning {
  // INVALID outranks any outcome the alert may carry.
  if (alert.status === 'INVALID') return 'closed_invalid';
  if (alert.status === 'ACTION_REQUIRED') return 'send';
  if (alert.status !== 'RESOLVED') return 'unclear';
  const { refundOutcome } = alert;
  if (action === 'REFUND') {
    if (refundOutcome === OUTCOME_OF.REFUND) return 'declared';
    return refundOutcome === OUTCOME_OF.ACCEPT_DISPUTE ? 'conflict' : 'unclear';
  }
  if (!sent) return 'closed_remote';
  if (refundOutcome === OUTCOME_OF.ACCEPT_DISPUTE) return 'declared';
  // We refunded nothing and said so, yet it shows a refund.
  return refundOutcome === OUTCOME_OF.REFUND ? 'conflict' : 'unclear';
}
