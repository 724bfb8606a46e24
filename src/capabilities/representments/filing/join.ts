/** Which representment of the service is about a dispute at the processor. Pure. */
import type { ProcessorDispute } from '../../../service/wire/processor-dispute.ts';

export interface JoinCandidate {
  readonly id: string;
  readonly disputeReference: string | null;
  readonly chargeReference: string | null;
  readonly acquirerReferenceNumber: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** ISO 8601. */
  readonly disputedAt: string | null;
}

/** Days between the moments at which two systems learn of one dispute. */
const APART_MS = 14 * 86_400_000;

/**
 * Those that may be about it. The dispute's own reference decides alone; else the charge or the acquirer reference
 * number must be the same, and nothing that both name may differ.
 */
export function representmentsOf(
  dispute: ProcessorDispute,
  candidates: readonly JoinCandidate[],
): readonly JoinCandidate[] {
  const named = candidates.filter((each) => each.disputeReference === dispute.reference);
  if (named.length > 0) return named;
  return candidates.filter((each) => isSameCharge(dispute, each) && mayBe(dispute, each));
}

function isSameCharge(dispute: ProcessorDispute, candidate: JoinCandidate): boolean {
  if (candidate.chargeReference !== null) {
    return candidate.chargeReference === dispute.chargeReference;
  }
  const arn = candidate.acquirerReferenceNumber;
  return arn !== null && arn === dispute.acquirerReferenceNumber;
}

function mayBe(dispute: ProcessorDispute, candidate: JoinCandidate): boolean {
  const { amountMinor, currency, disputedAt, acquirerReferenceNumber: arn } = candidate;
  // Captures of one charge have numbers of their own.
  const shown = dispute.acquirerReferenceNumber;
  if (arn !== null && shown !== null && arn !== shown) return false;
  if (currency !== null && currency !== dispute.currency) return false;
  if (amountMinor !== null && amountMinor !== dispute.amountMinor) return false;
  if (disputedAt === null || dispute.openedAt === null) return true;
  return Math.abs(Date.parse(disputedAt) - Date.parse(dispute.openedAt)) <= APART_MS;
}
