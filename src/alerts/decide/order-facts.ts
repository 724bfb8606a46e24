/** What a policy may ask about an order, read leniently out of the order as stored. */
import { z } from 'zod';
import { SUBSCRIPTION_CANCELLED } from '../../service/wire/order-parts.ts';

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
  readonly number?: string | null;
  readonly totalMinor?: number | null;
  readonly currency?: string | null;
  /** At most {@link ITEMS_MAX}. */
  readonly items?: readonly ItemFacts[];
  /** The sum of the quantities of all items; one without a quantity counts once. */
  readonly units?: number;
  readonly carriers?: readonly string[];
  /** The first dispatch and the last delivery, as the order says them. */
  readonly dispatchedAt?: string | null;
  readonly deliveredAt?: string | null;
  readonly shippingCountries?: readonly string[];
  readonly billingCountries?: readonly string[];
  /** Every transaction says so; null when one does not say. */
  readonly threeDSecure?: boolean | null;
  readonly cvcVerified?: boolean | null;
  readonly subscriptionStatuses?: readonly string[];
  readonly subscriptionIntervals?: readonly string[];
  /** A subscription has a status or a date that says it was cancelled. */
  readonly subscriptionCancelled?: boolean;
  /** How many the order lists. */
  readonly refunds?: number;
  readonly disputes?: number;
}

export interface ItemFacts {
  readonly name: string | null;
  readonly sku: string | null;
}

/** Items kept with a decision; of longer orders the first ones. */
export const ITEMS_MAX = 50;

const text = z.string().min(1).nullable().catch(null).default(null);
const whole = z.int().nullable().catch(null).default(null);
const flag = z.boolean().nullable().catch(null).default(null);
const address = z
  .looseObject({ country: text })
  .catch({ country: null })
  .default({ country: null });
const listOf = <Item extends z.ZodType>(item: Item): z.ZodType<z.output<Item>[]> =>
  z.array(item).catch([]).default([]);

const deliverySchema = z.looseObject({
  type: text,
  physical_shipping_carrier: text,
  physical_shipping_status: text,
  physical_shipping_datetime_shipped: text,
  physical_shipping_datetime_delivered: text,
  physical_shipping_address: address,
});

const orderSchema = z.looseObject({
  reference_id: text,
  order_status: text,
  order_datetime: text,
  order_number: text,
  order_total_amount_in_cents: whole,
  order_currency: text,
  deliveries: listOf(deliverySchema),
  items: listOf(
    z.looseObject({ name: text, sku: text, quantity: z.number().min(0).catch(1).default(1) }),
  ),
  transactions: listOf(
    z.looseObject({ billing_address: address, three_d_secure_verified: flag, cvc_verified: flag }),
  ),
  subscriptions: listOf(
    z
      .looseObject({ status: text, interval: text, cancellation_date: text })
      .catch({ status: null, interval: null, cancellation_date: null }),
  ),
  refunds: listOf(z.unknown()),
  disputes: listOf(z.unknown()),
});

type Order = z.infer<typeof orderSchema>;
type Delivery = z.infer<typeof deliverySchema>;

/** Reads the facts; null when `order` is no object. Pure. */
export function orderFactsOf(order: unknown): OrderFacts | null {
  const parsed = orderSchema.safeParse(order);
  if (!parsed.success) return null;
  const { data } = parsed;
  const { deliveries, items, transactions } = data;
  const delivered = deliveries.some(isDelivered);
  return {
    reference: data.reference_id,
    status: data.order_status,
    placedAt: data.order_datetime,
    delivery: deliveryKind(deliveries),
    dispatched: delivered || deliveries.some(isDispatched),
    delivered,
    number: data.order_number,
    totalMinor: data.order_total_amount_in_cents,
    currency: data.order_currency,
    items: items.slice(0, ITEMS_MAX).map(({ name, sku }) => ({ name, sku })),
    units: items.reduce((sum, { quantity }) => sum + quantity, 0),
    carriers: known(deliveries.map((each) => each.physical_shipping_carrier)),
    dispatchedAt:
      sorted(deliveries.map((each) => each.physical_shipping_datetime_shipped))[0] ?? null,
    deliveredAt:
      sorted(deliveries.map((each) => each.physical_shipping_datetime_delivered)).at(-1) ?? null,
    shippingCountries: known(deliveries.map((each) => each.physical_shipping_address.country)),
    billingCountries: known(transactions.map((each) => each.billing_address.country)),
    threeDSecure: everyOf(transactions.map((each) => each.three_d_secure_verified)),
    cvcVerified: everyOf(transactions.map((each) => each.cvc_verified)),
    ...subscriptionFacts(data),
    refunds: data.refunds.length,
    disputes: data.disputes.length,
  };
}

function subscriptionFacts({
  subscriptions,
}: Order): Pick<
  OrderFacts,
  'subscription' | 'subscriptionStatuses' | 'subscriptionIntervals' | 'subscriptionCancelled'
> {
  return {
    subscription: subscriptions.length > 0,
    subscriptionStatuses: known(subscriptions.map(({ status }) => status)),
    subscriptionIntervals: known(subscriptions.map(({ interval }) => interval)),
    subscriptionCancelled: subscriptions.some(
      ({ status, cancellation_date: cancelledAt }) =>
        cancelledAt !== null || status?.toUpperCase() === SUBSCRIPTION_CANCELLED,
    ),
  };
}

function known(texts: readonly (string | null)[]): string[] {
  return [...new Set(texts.filter((each) => each !== null))];
}

/** Moments in their order; what is no moment is left out. */
function sorted(moments: readonly (string | null)[]): string[] {
  return known(moments)
    .filter((moment) => Number.isFinite(Date.parse(moment)))
    .sort((a, b) => Date.parse(a) - Date.parse(b));
}

/** True when all are, false when one is not, null when nothing or not everything is said. */
function everyOf(flags: readonly (boolean | null)[]): boolean | null {
  if (flags.includes(false)) return false;
  return flags.length === 0 || flags.includes(null) ? null : true;
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
