/**
 * The parts of an order that can still change after it was created, each with a name under which it
 * is marked as due: `order_status`, `order_communications`, `refunds/R-1`.
 *
 * A part is the smallest thing an update can be split into. The status goes with its description,
 * because `OTHER` means nothing without it.
 */
import type { OrderUpdate } from '../service/wire/order-update.ts';
import type { OrderBody } from './order-body.ts';

/** Arrays whose entries can be updated, or added. */
export const PART_ARRAYS = ['deliveries', 'subscriptions', 'refunds', 'disputes'] as const;
export type UpdatableArray = (typeof PART_ARRAYS)[number];

const STATUS_PART = 'order_status';
const COMMUNICATIONS_PART = 'order_communications';

/** The part that a top-level field belongs to; undefined for one that no update takes. */
export function partName(field: string): string | undefined {
  if (field === 'order_status' || field === 'order_status_other_description') return STATUS_PART;
  return field === COMMUNICATIONS_PART ? COMMUNICATIONS_PART : undefined;
}

/** The name of one entry of an array. */
export function entryPart(array: UpdatableArray, reference: string): string {
  return `${array}/${reference}`;
}

/** The update that brings the named parts to what the order says now. Parts that are gone are left out. */
export function updateFor(body: OrderBody, parts: readonly string[]): OrderUpdate {
  const wanted = new Set(parts);
  const update: OrderUpdate = {};
  if (wanted.has(STATUS_PART)) {
    if (body.order_status !== undefined) update.order_status = body.order_status;
    if (body.order_status_other_description !== undefined) {
      update.order_status_other_description = body.order_status_other_description;
    }
  }
  if (wanted.has(COMMUNICATIONS_PART) && body.order_communications !== undefined) {
    update.order_communications = body.order_communications;
  }
  const deliveries = chosen('deliveries', body.deliveries, wanted);
  const subscriptions = chosen('subscriptions', body.subscriptions, wanted);
  const refunds = chosen('refunds', body.refunds, wanted);
  const disputes = chosen('disputes', body.disputes, wanted);
  return {
    ...update,
    ...(deliveries.length === 0 ? {} : { deliveries }),
    ...(subscriptions.length === 0 ? {} : { subscriptions }),
    ...(refunds.length === 0 ? {} : { refunds }),
    ...(disputes.length === 0 ? {} : { disputes }),
  };
}

function chosen<Entry extends { reference_id: string }>(
  array: UpdatableArray,
  entries: readonly Entry[] | undefined,
  wanted: ReadonlySet<string>,
): Entry[] {
  return (entries ?? []).filter((entry) => wanted.has(entryPart(array, entry.reference_id)));
}
