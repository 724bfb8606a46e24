/** The idempotency keys of a charge's refunds. Pure. */
import { deriveId } from '../../base/kernel/ids.ts';
import type { ChargeKey } from './charge-key.ts';

/**
 * The idempotency key of a charge's n-th request: the same payment gives the same keys everywhere, so
 * that a second installation or a restored backup meets its own refund at the processor.
 *
 * @param round from 1; raised only after the last key's request is proven to have no effect
 */
export function movementKey({ organisationId, chargeReference }: ChargeKey, round: number): string {
  return deriveId('fst', [organisationId, chargeReference, String(round)]);
}

/** The number that the next new key of a charge carries: above every key that may have left. */
export function nextRound(
  rounds: readonly { readonly round: number; readonly wasSent: boolean }[],
): number {
  return (
    rounds.filter(({ wasSent }) => wasSent).reduce((max, { round }) => Math.max(max, round), 0) + 1
  );
}
