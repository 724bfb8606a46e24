/** What a condition can ask about the order: its items, deliveries and subscription. */
import { DELIVERY_KINDS } from '../alerts/decide/order-facts.ts';
import { ORDER_STATUSES } from '../service/wire/order.ts';
import type { FieldTable } from './field-kinds.ts';
import {
  amount,
  between,
  called,
  duration,
  flag,
  moneyOf,
  number,
  text,
  word,
} from './field-kinds.ts';

export const ORDER_FIELDS: FieldTable = {
  order_known: flag('We hold the order of the charge.', ({ order }) => order !== null),
  order_reference: text('The order’s reference.', ({ order }) => order?.reference),
  order_number: text('The order’s number, as customers see it.', ({ order }) => order?.number),
  order_status: word('The order’s status.', ORDER_STATUSES, ({ order }) => order?.status),
  order_age: called(
    'age of the order',
    duration('Time since the purchase.', ({ now, order }) => between(order?.placedAt, now)),
  ),
  order_total: called(
    'total of the order',
    amount('The order’s total, which may be more than one charge.', ({ order }) =>
      moneyOf(order?.totalMinor, order?.currency),
    ),
  ),
  order_refunds: called(
    'refunds of the order',
    number('How many refunds the order lists.', ({ order }) => order?.refunds),
  ),
  order_disputes: called(
    'disputes of the order',
    number('How many disputes the order lists.', ({ order }) => order?.disputes),
  ),
  item_name: called(
    'item',
    text('The name of any item.', ({ order }) => namesOf(order?.items?.map(({ name }) => name))),
  ),
  item_sku: called(
    'SKU',
    text('The SKU of any item.', ({ order }) => namesOf(order?.items?.map(({ sku }) => sku))),
  ),
  item_count: called(
    'number of items',
    number('How many pieces were ordered: the sum of all quantities.', ({ order }) => order?.units),
  ),
  delivery: word(
    'How the order reaches the customer.',
    DELIVERY_KINDS,
    ({ order }) => order?.delivery,
  ),
  carrier: text('The carrier of any delivery.', ({ order }) => order?.carriers),
  dispatched: flag('Something physical has left the house.', ({ order }) => order?.dispatched),
  dispatched_age: called(
    'time since dispatch',
    duration('Time since the first dispatch.', ({ now, order }) =>
      between(order?.dispatchedAt, now),
    ),
  ),
  delivered: flag('The carrier says it was delivered.', ({ order }) => order?.delivered),
  delivered_age: called(
    'time since delivery',
    duration('Time since the last delivery.', ({ now, order }) => between(order?.deliveredAt, now)),
  ),
  shipping_country: text(
    'The country of any delivery, as the order writes it.',
    ({ order }) => order?.shippingCountries,
  ),
  billing_country: text(
    'The country of any billing address, as the order writes it.',
    ({ order }) => order?.billingCountries,
  ),
  three_d_secure: called(
    '3-D Secure',
    flag(
      'Every payment of the order was authenticated with 3-D Secure.',
      ({ order }) => order?.threeDSecure,
    ),
  ),
  cvc_verified: called(
    'CVC verified',
    flag(
      'The card’s security code was verified on every payment of the order.',
      ({ order }) => order?.cvcVerified,
    ),
  ),
  subscription: flag('The order holds a subscription.', ({ order }) => order?.subscription),
  subscription_status: text(
    'The status of any subscription of the order.',
    ({ order }) => order?.subscriptionStatuses,
  ),
  subscription_interval: text(
    'The interval of any subscription of the order.',
    ({ order }) => order?.subscriptionIntervals,
  ),
  subscription_cancelled: flag(
    'A subscription of the order was cancelled.',
    ({ order }) => order?.subscriptionCancelled,
  ),
};

/** The names that are given; null when there are items and none has one. */
function namesOf(names: readonly (string | null)[] | undefined): readonly string[] | null {
  if (names === undefined) return null;
  const given = names.filter((name) => name !== null);
  return given.length === 0 && names.length > 0 ? null : given;
}
