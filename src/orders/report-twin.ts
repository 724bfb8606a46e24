/**
 * Decides whether two reports are about one refund, or one dispute: the merchant's system and the
 * refund saga learn of the same money from the same processor, under names of their own.
 *
 * Reported twice, a refund would show the issuer twice the money. Pure.
 */
import type { DisputePart, OrderBody, OrderChange, RefundPart } from './order-body.ts';

/** Two reports of one partial refund lie this close, in milliseconds: both quote the processor's time. */
const SAME_REFUND_MS = 3_600_000;
const DATE_LENGTH = 10;

/** A refund as reported, perhaps without what an update may leave out. */
export type RefundReport = NonNullable<OrderChange['refunds']>[number];

/**
 * Whether `known`, an entry of `order`, is the refund that `report` is about.
 *
 * A full refund happens once. Equal partial refunds of one payment are the same when their moments
 * lie within an hour, or one side names none.
 */
export function isSameRefund(order: OrderBody, known: RefundPart, report: RefundReport): boolean {
  if (known.amount_in_cents !== report.amount_in_cents) return false;
  if (known.currency !== report.currency) return false;
  const transactions = order.transactions ?? [];
  const only = transactions.length === 1 ? transactions[0]?.reference_id : undefined;
  const knownOf = known.original_transaction_reference_id ?? only;
  const reportedOf = report.original_transaction_reference_id ?? only;
  if (knownOf === undefined || knownOf !== reportedOf) return false;
  const paid = transactions.find((entry) => entry.reference_id === knownOf)?.amount_in_cents;
  return paid === known.amount_in_cents || areClose(known.refund_datetime, report.refund_datetime);
}

function areClose(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return true;
  if (a.length === DATE_LENGTH || b.length === DATE_LENGTH) {
    return a.slice(0, DATE_LENGTH) === b.slice(0, DATE_LENGTH);
  }
  return Math.abs(Date.parse(a) - Date.parse(b)) <= SAME_REFUND_MS;
}

/** A dispute as reported. */
export type DisputeReport = NonNullable<OrderChange['disputes']>[number];

/** Whether two reports are about one dispute: same money, and nothing known that tells them apart. */
export function isSameDispute(known: DisputePart, report: DisputeReport): boolean {
  return (
    known.amount_in_cents === report.amount_in_cents &&
    known.currency === report.currency &&
    agree(known.stage, report.stage) &&
    agree(known.type, report.type)
  );
}

function agree(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
