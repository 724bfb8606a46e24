/** What was sent back for one complaint, as the limit above which two people are needed counts it. Pure. */
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { isOurs, isRefund, mayHaveExecuted } from '../ledger/ledger.ts';

/** Which complaint, and besides what. */
export interface ComplaintScope {
  readonly disputeId: string | null;
  readonly currency: string;
  /** The movement that is judged; undefined: it is none yet. */
  readonly except?: string;
}

/**
 * What went back for the complaint by Forestall, or because a person says so, or may have. What others refunded at
 * the processor needed no person's word here.
 */
export function sentForComplaint(
  { movements }: Ledger,
  { disputeId, currency, except }: ComplaintScope,
): number {
  if (disputeId === null) return 0;
  return movements
    .filter((each) => each.disputeId === disputeId && each.id !== except)
    .filter((each) => each.currency === currency && isRefund(each) && mayHaveExecuted(each))
    .filter((each) => isOurs(each) || isSaid(each))
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** Money outside the processor, known by a person's word. */
function isSaid({ observedFrom }: Movement): boolean {
  return observedFrom?.startsWith('operator:') ?? false;
}
