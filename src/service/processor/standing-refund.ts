/** Which of several refunds under one key a request of ours means. Pure. */
import type { ProcessorRefund } from '../wire/processor.ts';

/**
 * The one that the request was settled by, where `reference` names one; else one that moved money; a failed
 * attempt only where there is no other. The rest of what moved money went back besides.
 */
export function standingAmong(
  refunds: readonly ProcessorRefund[],
  reference: string | null,
): ProcessorRefund | undefined {
  const made = refunds.filter(({ status }) => status !== 'failed');
  return (
    made.find((refund) => refund.reference === reference) ??
    made.find(({ status }) => status === 'succeeded') ??
    made[0] ??
    refunds[0]
  );
}
