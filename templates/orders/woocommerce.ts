/**
 * A WooCommerce order as an order of the service's: from the `order.updated` webhook or the REST API.
 *
 * WooCommerce keeps the gateway's reference in `transaction_id` and no card data; your gateway's
 * plugin may store card digits in `meta_data`, under names of its own: map them in `known`.
 * https://woocommerce.github.io/woocommerce-rest-api-docs/#order-properties
 */
import type { OrderInput } from 'forestall';
import { minorUnitDigits, uncheckedOrder } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import { fromDecimal, integerAt, objectsAt, textAt, valueAt } from 'forestall/adapter';

/** What WooCommerce's order does not hold. */
export interface BesideWooCommerce {
  /** What you know of the payment, for example its card. */
  readonly known?: JsonObject;
  /** The list of `/orders/{id}/refunds`: the order itself names its refunds without their dates. */
  readonly refunds?: readonly unknown[];
}

/** The order, or the reason why this makes none. */
export function orderFromWooCommerce(
  order: unknown,
  { known = {}, refunds: listed = [] }: BesideWooCommerce = {},
): OrderInput | string {
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
  const refunds = refundsOf(listed, { transaction, currency });
  if (refunds === null) return 'one of its refunds cannot be read';
  const reference = `woo-${id}`;
  return uncheckedOrder({
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
        billing_address: billingOf(order),
        ...known,
      },
    ],
    refunds,
    items: objectsAt(order, 'line_items').map((item) => itemOf(item, reference, currency)),
  });
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

function billingOf(order: unknown): JsonObject {
  return {
    line_1: textAt(order, 'billing', 'address_1'),
    city: textAt(order, 'billing', 'city'),
    country_subdivision: textAt(order, 'billing', 'state'),
    postal_code: textAt(order, 'billing', 'postcode'),
    country: textAt(order, 'billing', 'country'),
  };
}

/**
 * Refunds that WooCommerce made through the gateway; one that somebody only wrote down may not have happened.
 * Null when an amount cannot be read.
 */
function refundsOf(
  listed: readonly unknown[],
  { transaction, currency }: { readonly transaction: string; readonly currency: string },
): JsonObject[] | null {
  const refunds: JsonObject[] = [];
  for (const refund of listed) {
    if (valueAt(refund, 'refunded_payment') !== true) continue;
    const amount = fromDecimal(textAt(refund, 'amount'), currency);
    if (amount === null) return null;
    refunds.push({
      reference_id: `woo-refund-${integerAt(refund, 'id')}`,
      amount_in_cents: amount,
      currency,
      status: 'SUCCEEDED',
      original_transaction_reference_id: transaction,
      refund_datetime: gmtAt(refund, 'date_created_gmt'),
    });
  }
  return refunds;
}

/**
 * The price of one, to the nearest minor unit: WooCommerce divides the line's total by its quantity, and
 * writes as many decimals as that gives.
 */
function unitPriceOf(item: JsonObject, currency: string): number | null {
  // A number in newer versions, although every other amount is text.
  const price = valueAt(item, 'price');
  const text = typeof price === 'number' ? String(price) : textAt(item, 'price');
  if (text === null) return null;
  // Shifted as text: 9.995 times 100 is less than 999.5 in floating point.
  const minor = Math.round(Number(`${text}e${minorUnitDigits(currency)}`));
  return Number.isSafeInteger(minor) && minor >= 0 ? minor : null;
}

function itemOf(item: JsonObject, reference: string, currency: string): JsonObject {
  return {
    reference_id: `${reference}:${integerAt(item, 'id')}`,
    name: textAt(item, 'name'),
    price_in_cents: unitPriceOf(item, currency),
    quantity: integerAt(item, 'quantity'),
    sku: textAt(item, 'sku'),
  };
}
