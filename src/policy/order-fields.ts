/** What a condition can ask about the order: its items, deliveries and subscription. */
import { DELIVERY_KINDS } from '../alerts/decide/order-facts.ts';
import { ORDER_STATUSES } from '../service/wire/order.ts';
import type { FieldTable } from './field-kinds.ts';
import { between, moneyOf } from './field-kinds.ts';

export const ORDER_FIELDS = {
  order_known: {
    kind: 'flag',
    label: 'order known',
    about: 'We hold the order of the charge.',
    read: ({ order }) => order !== null,
  },
  order_reference: {
    kind: 'text',
    label: 'order reference',
    about: 'The order’s reference.',
    read: ({ order }) => order?.reference ?? null,
  },
  order_number: {
    kind: 'text',
    label: 'order number',
    about: 'The order’s number, as customers see it.',
    read: ({ order }) => order?.number ?? null,
  },
  order_status: {
    kind: 'word',
    label: 'order status',
    about: 'The order’s status.',
    words: ORDER_STATUSES,
    read: ({ order }) => order?.status ?? null,
  },
  order_age: {
    kind: 'duration',
    label: 'age of the order',
    about: 'Time since the purchase.',
    read: ({ now, order }) => between(order?.placedAt, now),
  },
  order_total: {
    kind: 'amount',
    label: 'total of the order',
    about: 'The order’s total, which may be more than one charge.',
    read: ({ order }) => moneyOf(order?.totalMinor, order?.currency),
  },
  order_refunds: {
    kind: 'number',
    label: 'refunds of the order',
    about: 'How many refunds the order lists.',
    read: ({ order }) => order?.refunds ?? null,
  },
  order_disputes: {
    kind: 'number',
    label: 'disputes of the order',
    about: 'How many disputes the order lists.',
    read: ({ order }) => order?.disputes ?? null,
  },
  item_name: {
    kind: 'text',
    label: 'item',
    about: 'The name of any item.',
    read: ({ order }) => namesOf(order?.items?.map(({ name }) => name)),
  },
  item_sku: {
    kind: 'text',
    label: 'SKU',
    about: 'The SKU of any item.',
    read: ({ order }) => namesOf(order?.items?.map(({ sku }) => sku)),
  },
  item_count: {
    kind: 'number',
    label: 'number of items',
    about: 'How many pieces were ordered: the sum of all quantities.',
    read: ({ order }) => order?.units ?? null,
  },
  delivery: {
    kind: 'word',
    label: 'delivery',
    about: 'How the order reaches the customer.',
    words: DELIVERY_KINDS,
    read: ({ order }) => order?.delivery ?? null,
  },
  carrier: {
    kind: 'text',
    label: 'carrier',
    about: 'The carrier of any delivery.',
    read: ({ order }) => order?.carriers ?? null,
  },
  dispatched: {
    kind: 'flag',
    label: 'dispatched',
    about: 'Something physical has left the house.',
    read: ({ order }) => order?.dispatched ?? null,
  },
  dispatched_age: {
    kind: 'duration',
    label: 'time since dispatch',
    about: 'Time since the first dispatch.',
    read: ({ now, order }) => between(order?.dispatchedAt, now),
  },
  delivered: {
    kind: 'flag',
    label: 'delivered',
    about: 'The carrier says it was delivered.',
    read: ({ order }) => order?.delivered ?? null,
  },
  delivered_age: {
    kind: 'duration',
    label: 'time since delivery',
    about: 'Time since the last delivery.',
    read: ({ now, order }) => between(order?.deliveredAt, now),
  },
  shipping_country: {
    kind: 'text',
    label: 'shipping country',
    about: 'The country of any delivery, as the order writes it.',
    read: ({ order }) => order?.shippingCountries ?? null,
  },
  billing_country: {
    kind: 'text',
    label: 'billing country',
    about: 'The country of any billing address, as the order writes it.',
    read: ({ order }) => order?.billingCountries ?? null,
  },
  three_d_secure: {
    kind: 'flag',
    label: '3-D Secure',
    about: 'Every payment of the order was authenticated with 3-D Secure.',
    read: ({ order }) => order?.threeDSecure ?? null,
  },
  cvc_verified: {
    kind: 'flag',
    label: 'CVC verified',
    about: 'The card’s security code was verified on every payment of the order.',
    read: ({ order }) => order?.cvcVerified ?? null,
  },
  subscription: {
    kind: 'flag',
    label: 'subscription',
    about: 'The order holds a subscription.',
    read: ({ order }) => order?.subscription ?? null,
  },
  subscription_status: {
    kind: 'text',
    label: 'subscription status',
    about: 'The status of any subscription of the order.',
    read: ({ order }) => order?.subscriptionStatuses ?? null,
  },
  subscription_interval: {
    kind: 'text',
    label: 'subscription interval',
    about: 'The interval of any subscription of the order.',
    read: ({ order }) => order?.subscriptionIntervals ?? null,
  },
  subscription_cancelled: {
    kind: 'flag',
    label: 'subscription cancelled',
    about: 'A subscription of the order was cancelled.',
    read: ({ order }) => order?.subscriptionCancelled ?? null,
  },
} as const satisfies FieldTable;

/** The names that are given; null when there are items and none has one. */
function namesOf(names: readonly (string | null)[] | undefined): readonly string[] | null {
  if (names === undefined) return null;
  const given = names.filter((name) => name !== null);
  return given.length === 0 && names.length > 0 ? null : given;
}
