/**
 * Asks the processor what became of a movement of ours: by key where it can, among the charge's refunds
 * where it cannot. A void is asked for through its charge, in the same terms, so that the rules for a
 * missing answer are one.
 *
 * Only a look-up by key can answer `absent`; a processor that did not say what it offers has not
 * answered. Nor has one that does not know the charge itself: the request went to another account, or to
 * the processor that was set before, and may have executed there.
 */

import { standingAmong } from '../../service/processor/standing-refund.ts';
import type { Answer, ProcessorRefund } from '../../service/wire/processor.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { releaseOf, requestOf } from '../ledger/movement-request.ts';
import type { SagaDeps } from './saga-deps.ts';

/** What the processor shows of the movement. */
export async function lookUp(
  deps: SagaDeps,
  movement: OurMovementRow,
  signal: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  if (movement.kind !== 'refund') return await lookUpVoid(deps, movement, signal);
  const capabilities = await deps.processor.capabilities(signal);
  if (capabilities === undefined) {
    return { kind: 'unavailable', reason: 'the processor did not say what it offers' };
  }
  if (capabilities.canLookupByReference) {
    const answer = await deps.processor.findRefund(requestOf(movement), signal);
    if (answer.kind === 'absent') return await absentOn(deps, movement, signal);
    const isElsewhere =
      answer.kind === 'found' && answer.value.chargeReference !== movement.charge_reference;
    return isElsewhere ? ANOTHER_CHARGE : answer;
  }
  const charge = await deps.processor.readCharge(movement.charge_reference, signal);
  if (charge.kind === 'unavailable') return charge;
  const refunds = charge.kind === 'found' ? charge.value.refunds : [];
  const shown = refunds.filter((refund) => refund.idempotencyKey === movement.idempotency_key);
  const own = standingAmong(shown, movement.processor_reference);
  return own === undefined ? { kind: 'not_offered' } : { kind: 'found', value: own };
}

/** There is no refund under the key: that says something only where the charge is known. */
async function absentOn(
  { processor }: SagaDeps,
  { charge_reference: reference }: OurMovementRow,
  signal: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const charge = await processor.readCharge(reference, signal);
  if (charge.kind === 'unavailable') return charge;
  return charge.kind === 'absent' ? { kind: 'unavailable', reason: CHARGE_GONE } : ABSENT;
}

const ABSENT = { kind: 'absent' } as const;

const ANOTHER_CHARGE = {
  kind: 'unavailable',
  reason: 'the processor shows a refund of another charge under our key',
} as const;

const CHARGE_GONE =
  'the processor does not know the charge any more: the request may have gone to another account';

async function lookUpVoid(
  deps: SagaDeps,
  movement: OurMovementRow,
  signal: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const charge = await deps.processor.readCharge(movement.charge_reference, signal);
  if (charge.kind !== 'found') return charge.kind === 'absent' ? { kind: 'not_offered' } : charge;
  switch (charge.value.status) {
    case 'voided':
      return { kind: 'found', value: releaseOf(movement) };
    case 'authorised':
      return { kind: 'absent' };
    case 'captured':
    case 'declined':
      return {
        kind: 'found',
        value: {
          ...releaseOf(movement),
          status: 'failed',
          failureCode: 'void_failed',
          failureClass: 'final',
        },
      };
    default:
      return { kind: 'not_offered' };
  }
}
