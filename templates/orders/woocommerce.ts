/**
 * A WooCommerce order as an order of the service's: from the `order.updated` webhook or the REST API.
 *
 * WooCommerce keeps the gateway's reference in `transaction_id` and no card data; your gateway's
 * plugin may store card digits in `meta_data`, under names of its own: map them in `known`.
 * https://woocommerce.github.io/woocommerce-rest-api-docs/#order-properties
 */
import { fromDecimal } from '../shared/amounts.ts';
import type { JsonObject } from '../shared/json.ts';
import { integerAt, objectsAt, textAt, valueAt } from '../shared/json.ts';

/** The order, or the reason why this makes none. `known` adds to the transaction. */
export function orderFromWooCommerce(order: unknown, known: JsonObject = {}): JsonObject | string {
  const id = integerAt(order, 'id');
  const currency = textAt(order, 'currency');
  const paidAt = gmtAt(order, 'date_paid_gmt');
  if (id === null || currency === null) return 'it is no order';
  if (paidAt === null) return 'it is not paid';
  const transaction = textAt(order, 'transaction_id');
  if (transaction === null) return 'its gateway left no transaction_id';
  const total = fromDecimal(textAt(order, 'total'), currency);
  if (total === null) return 'its total cannot be read';
  const tax = fromDecimal(textAt(order, 'total_tax'), currency);
  const reference = `woo-${id}`;
  return {
    reference_id: reference,
    order_datetime: gmtAt(order, 'date_created_gmt') ?? paidAt,
    order_number: textAt(order, 'number') ?? String(id),
    order_subtotal_amount_in_cents: total - (tax ?? 0),
    order_total_amount_in_cents: total,
    order_tax_amount_in_cents: tax,
    order_currency: currency,
    order_status: STATUSES[textAt(order, 'status') ?? ''] ?? 'OPEN_PENDING',
    order_email: textAt(order, 'billing', 'email'),
    order_phone: textAt(order, 'billing', 'phone'),
    customer_email: textAt(order, 'billing', 'email'),
    customer_first_name: textAt(order, 'billing', 'first_name'),
    customer_last_name: textAt(order, 'billing', 'last_name'),
    customer_account_id: accountOf(order),
    device_ip_address: textAt(order, 'customer_ip_address'),
    transactions: [
      {
        reference_id: transaction,
        amount_in_cents: total,
        currency,
        authorisation_status: 'SETTLED',
        authorised_at: paidAt,
        ...known,
      },
    ],
    items: objectsAt(order, 'line_items').map((item) => itemOf(item, reference, currency)),
  };
}

const STATUSES: Readonly<Record<string, string>> = {
  completed: 'CLOSED_COMPLETE',
  refunded: 'CLOSED_COMPLETE',
  cancelled: 'CLOSED_CANCELLED',
  failed: 'CLOSED_CANCELLED',
};

/** WooCommerce writes GMT without saying so. */
function gmtAt(order: unknown, field: string): string | null {
  const epochMs = Date.parse(`${textAt(order, field) ?? ''}Z`);
  return Number.isFinite(epochMs) ? new Date(epochMs).toISOString() : null;
}

/** Guests are customer 0. */
function accountOf(order: unknown): string | null {
  const customer = integerAt(order, 'customer_id');
  return customer === null || customer === 0 ? null : String(customer);
}

function itemOf(item: JsonObject, reference: string, currency: string): JsonObject {
  const price = valueAt(item, 'price');
  return {
    reference_id: `${reference}:${integerAt(item, 'id')}`,
    name: textAt(item, 'name'),
    // A number here, although every other amount is text.
    price_in_cents: fromDecimal(typeof price === 'number' ? String(price) : null, currency),
    quantity: integerAt(item, 'quantity'),
    sku: textAt(item, 'sku'),
  };
}
