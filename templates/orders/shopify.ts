/**
 * A Shopify order as an order of the service's: from the `orders/paid` webhook or the REST resource.
 *
 * Shopify's order does not hold its payments: read `/orders/{id}/transactions.json` and hand both over.
 * https://shopify.dev/docs/api/admin-rest/latest/resources/order
 */
import { fromDecimal } from '../shared/amounts.ts';
import type { JsonObject } from '../shared/json.ts';
import { integerAt, objectsAt, textAt, utcAt, valueAt } from '../shared/json.ts';

/** The order, or the reason why this makes none. */
export function orderFromShopify(
  order: unknown,
  transactions: readonly unknown[],
): JsonObject | string {
  const id = integerAt(order, 'id');
  const currency = textAt(order, 'currency');
  if (id === null || currency === null) return 'it is no order';
  const total = fromDecimal(textAt(order, 'total_price'), currency);
  const subtotal = fromDecimal(textAt(order, 'subtotal_price'), currency);
  if (total === null || subtotal === null) return 'its prices cannot be read';
  const reference = `shopify-${id}`;
  return {
    reference_id: reference,
    order_datetime: utcAt(order, 'created_at'),
    order_number: textAt(order, 'name') ?? reference,
    order_subtotal_amount_in_cents: subtotal,
    order_total_amount_in_cents: total,
    order_tax_amount_in_cents: fromDecimal(textAt(order, 'total_tax'), currency),
    order_currency: currency,
    order_status: statusOf(order),
    order_view_url: textAt(order, 'order_status_url'),
    order_email: textAt(order, 'email'),
    customer_email: textAt(order, 'customer', 'email') ?? textAt(order, 'email'),
    customer_first_name: textAt(order, 'customer', 'first_name'),
    customer_last_name: textAt(order, 'customer', 'last_name'),
    customer_account_id: integerAt(order, 'customer', 'id')?.toString() ?? null,
    device_ip_address: textAt(order, 'client_details', 'browser_ip'),
    transactions: transactions.filter(isSale).map(transactionOf),
    items: objectsAt(order, 'line_items').map((item) => itemOf(item, reference, currency)),
    deliveries: deliveriesOf(order, reference),
  };
}

function statusOf(order: unknown): string {
  if (textAt(order, 'cancelled_at') !== null) return 'CLOSED_CANCELLED';
  return textAt(order, 'fulfillment_status') === 'fulfilled' ? 'CLOSED_COMPLETE' : 'OPEN_PENDING';
}

/** What took money: a sale, or the capture of an authorisation. */
function isSale(transaction: unknown): boolean {
  const kind = textAt(transaction, 'kind');
  return textAt(transaction, 'status') === 'success' && (kind === 'sale' || kind === 'capture');
}

function transactionOf(transaction: unknown): JsonObject {
  const currency = textAt(transaction, 'currency') ?? '';
  return {
    // The gateway's own reference, which your processor adapter refunds by.
    reference_id: textAt(transaction, 'authorization') ?? `shopify-${integerAt(transaction, 'id')}`,
    amount_in_cents: fromDecimal(textAt(transaction, 'amount'), currency),
    currency,
    payment_method_type: valueAt(transaction, 'payment_details') === undefined ? null : 'CARD',
    authorisation_status: 'SETTLED',
    authorised_at: utcAt(transaction, 'processed_at'),
    payment_method_card_brand: textAt(transaction, 'payment_details', 'credit_card_company'),
    payment_method_card_bin: textAt(transaction, 'payment_details', 'credit_card_bin'),
    payment_method_card_last_4: lastDigits(
      textAt(transaction, 'payment_details', 'credit_card_number'),
    ),
  };
}

/** Shopify shows `•••• •••• •••• 4242`. */
function lastDigits(shown: string | null): string | null {
  return /(\d{4})$/.exec(shown ?? '')?.[1] ?? null;
}

function itemOf(item: JsonObject, reference: string, currency: string): JsonObject {
  return {
    reference_id: `${reference}:${integerAt(item, 'id')}`,
    name: textAt(item, 'name'),
    price_in_cents: fromDecimal(textAt(item, 'price'), currency),
    quantity: integerAt(item, 'quantity'),
    sku: textAt(item, 'sku'),
  };
}

function deliveriesOf(order: unknown, reference: string): JsonObject[] {
  return objectsAt(order, 'fulfillments').map((fulfilment) => ({
    reference_id: `${reference}:f${integerAt(fulfilment, 'id')}`,
    type: 'PHYSICAL',
    physical_shipping_carrier: textAt(fulfilment, 'tracking_company'),
    physical_shipping_tracking_number: textAt(fulfilment, 'tracking_number'),
    physical_shipping_status:
      textAt(fulfilment, 'shipment_status') === 'delivered' ? 'DELIVERED' : 'SHIPPED',
    physical_shipping_datetime_shipped: utcAt(fulfilment, 'created_at'),
    physical_shipping_address: {
      line_1: textAt(order, 'shipping_address', 'address1'),
      city: textAt(order, 'shipping_address', 'city'),
      postal_code: textAt(order, 'shipping_address', 'zip'),
      country: textAt(order, 'shipping_address', 'country_code'),
    },
  }));
}
