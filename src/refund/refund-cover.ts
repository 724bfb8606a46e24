/**
 * Whether a refund row is money enough to say `REFUND` about an alert (I2). Pure.
 */
import type { RefundRow } from './refund.store.ts';

/** Whether the refund may be declared in its state; `pendingCounts` is the processor's word. */
export function isDeclarable(refund: RefundRow, pendingCounts: boolean): boolean {
  return (
    refund.state === 'CONFIRMED' ||
    refund.state === 'EXTERNAL' ||
    (refund.state === 'PENDING' && pendingCounts)
  );
}

/** Whether what went back to the cardholder reaches the alert's amount. */
export function coversAlert(refund: RefundRow, alertMinor: number | null): boolean {
  // A released authorisation charges nobody, whatever the amount was.
  if (refund.kind === 'void') return true;
  return alertMinor !== null && refund.amount_minor + refund.external_minor >= alertMinor;
}
