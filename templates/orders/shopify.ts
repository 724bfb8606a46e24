/**
 * A Shopify order as an order of the service's: from the `orders/paid` webhook or the REST resource.
 *
 * Shopify's order does not hold its payments: read `/orders/{id}/transactions.json` and hand both over,
 * authorisations included. Refunds are in that list and in the order itself; each counts once.
 * https://shopify.dev/docs/api/admin-rest/latest/resources/order
 */
import type { OrderInput } from 'forestall';
import { uncheckedOrder } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import { fromDecimal, integerAt, objectsAt, textAt, utcAt } from 'forestall/adapter';
import { deliveriesOf } from './shopify-deliveries.ts';
import type { ShopifyReferences } from './shopify-money.ts';
import { paymentsOf, refundsOf, transactionsOf } from './shopify-money.ts';

/** Which processor refunds: the one behind Shopify's gateway, or Shopify itself (`processors/shopify`). */
export interface ShopifyMapping {
  /** Whose reference a transaction carries. @default 'gateway' */
  readonly references?: ShopifyReferences;
}

/** The order, or the reason why this makes none. */
export function orderFromShopify(
  order: unknown,
  transactions: readonly unknown[],
  { references = 'gateway' }: ShopifyMapping = {},
): OrderInput | string {
  const id = integerAt(order, 'id');
  const currency = textAt(order, 'currency');
  if (id === null || currency === null) return 'it is no order';
  const total = fromDecimal(textAt(order, 'total_price'), currency);
  const subtotal = fromDecimal(textAt(order, 'subtotal_price'), currency);
  if (total === null || subtotal === null) return 'its prices cannot be read';
  const moved = transactionsOf(order, transactions);
  const refunds = refundsOf(moved, references);
  if (refunds === null) return 'one of its refunds cannot be read';
  const reference = `shopify-${id}`;
  return uncheckedOrder({
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
    order_phone: phoneOf(order),
    customer_email: textAt(order, 'customer', 'email') ?? textAt(order, 'email'),
    customer_first_name: textAt(order, 'customer', 'first_name'),
    customer_last_name: textAt(order, 'customer', 'last_name'),
    customer_account_id: integerAt(order, 'customer', 'id')?.toString() ?? null,
    device_ip_address: textAt(order, 'client_details', 'browser_ip'),
    transactions: paymentsOf(order, moved, references),
    refunds,
    items: objectsAt(order, 'line_items').map((item) => itemOf(item, reference, currency)),
    deliveries: deliveriesOf(order, reference),
  });
}

/** The order's own number; shops that do not ask for one may have it elsewhere. */
function phoneOf(order: unknown): string | null {
  return (
    textAt(order, 'phone') ??
    textAt(order, 'customer', 'phone') ??
    textAt(order, 'billing_address', 'phone')
  );
}

function statusOf(order: unknown): string {
  if (textAt(order, 'cancelled_at') !== null) return 'CLOSED_CANCELLED';
  return textAt(order, 'fulfillment_status') === 'fulfilled' ? 'CLOSED_COMPLETE' : 'OPEN_PENDING';
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
