/**
 * Asks the processor what became of a refund of ours. A void is asked for through its charge, in the
 * same terms, so that the rules for a missing answer are one.
 */

import { lookUpOwnRefund } from './examine.ts';
import type { Answer, ProcessorRefund } from './processor.ts';
import type { RefundRow } from './refund.store.ts';
import type { SagaDeps } from './saga-deps.ts';
import { releaseOf, requestOf } from './send-refund.ts';

/** What the processor shows of the refund. */
export async function lookUp(
  deps: SagaDeps,
  refund: RefundRow,
  signal: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  if (refund.kind === 'refund') return await lookUpOwnRefund(deps, requestOf(refund), signal);
  const charge = await deps.processor.readCharge(refund.charge_reference, signal);
  if (charge.kind !== 'found') return charge.kind === 'absent' ? { kind: 'not_offered' } : charge;
  switch (charge.value.status) {
    case 'voided':
      return { kind: 'found', value: releaseOf(refund) };
    case 'authorised':
      return { kind: 'absent' };
    case 'captured':
    case 'declined':
      return {
        kind: 'found',
        value: { ...releaseOf(refund), status: 'failed', failureCode: 'void_failed' },
      };
    default:
      return { kind: 'not_offered' };
  }
}
