/**
 * A movement of ours in the words of the processor's port.
 */

import type { ProcessorRefund, RefundRequest } from '../../service/wire/processor.ts';
import type { OurMovementRow } from './movement.store.ts';

/** Why the merchant's processor is asked for the refund; shown on its side. */
export const REASON = 'chargeback_alert';

/** The request as it goes out, the same at every repeat of its key. */
export function requestOf(movement: OurMovementRow): RefundRequest {
  return {
    idempotencyKey: movement.idempotency_key,
    chargeReference: movement.charge_reference,
    alertId: movement.alert_id,
    reason: REASON,
    amountMinor: movement.amount_minor,
    currency: movement.currency,
  };
}

/** A released authorisation, in the shape of a refund of nothing. */
export function releaseOf(movement: OurMovementRow): ProcessorRefund {
  return {
    reference: movement.charge_reference,
    idempotencyKey: movement.idempotency_key,
    chargeReference: movement.charge_reference,
    status: 'succeeded',
    failureCode: null,
    amountMinor: 0,
    currency: movement.currency,
    createdAt: null,
  };
}
