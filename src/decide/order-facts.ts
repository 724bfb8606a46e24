/**
 * What a policy may ask about an order, read leniently out of the order as stored.
 */
import { z } from 'zod';

/** How an order reaches the customer. */
export const DELIVERY_KINDS = ['physical', 'digital', 'mixed', 'none'] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export interface OrderFacts {
  readonly reference: string | null;
  readonly status: string | null;
  /** ISO 8601, as the order says it. */
  readonly placedAt: string | null;
  readonly delivery: DeliveryKind;
  /** Something physical left the house: a carrier's date or status says so. */
  readonly dispatched: boolean;
  readonly delivered: boolean;
  readonly subscription: boolean;
}

const text = z.string().min(1).nullable().catch(null).default(null);

const deliverySchema = z.looseObject({
  type: text,
  physical_shipping_status: text,
  physical_shipping_datetime_shipped: text,
  physical_shipping_datetime_delivered: text,
});

const orderSchema = z.looseObject({
  reference_id: text,
  order_status: text,
  order_datetime: text,
  deliveries: z.array(deliverySchema).catch([]).default([]),
  subscriptions: z.array(z.unknown()).catch([]).default([]),
});

type Delivery = z.infer<typeof deliverySchema>;

/** Reads the facts; null when `order` is no object. Pure. */
export function orderFactsOf(order: unknown): OrderFacts | null {
  const parsed = orderSchema.safeParse(order);
  if (!parsed.success) return null;
  const { deliveries, subscriptions } = parsed.data;
  const delivered = deliveries.some(isDelivered);
  return {
    reference: parsed.data.reference_id,
    status: parsed.data.order_status,
    placedAt: parsed.data.order_datetime,
    delivery: deliveryKind(deliveries),
    dispatched: delivered || deliveries.some(isDispatched),
    delivered,
    subscription: subscriptions.length > 0,
  };
}

function deliveryKind(deliveries: readonly Delivery[]): DeliveryKind {
  const physical = deliveries.some(({ type }) => type === 'PHYSICAL');
  const digital = deliveries.some(({ type }) => type === 'DIGITAL');
  if (physical && digital) return 'mixed';
  if (physical) return 'physical';
  return digital ? 'digital' : 'none';
}

function isDispatched(delivery: Delivery): boolean {
  return (
    delivery.physical_shipping_datetime_shipped !== null ||
    delivery.physical_shipping_status === 'SHIPPED'
  );
}

function isDelivered(delivery: Delivery): boolean {
  return (
    delivery.physical_shipping_datetime_delivered !== null ||
    delivery.physical_shipping_status === 'DELIVERED'
  );
}
