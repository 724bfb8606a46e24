/**
 * A Shopify order's fulfilments as deliveries. Only what has left is shipped: a fulfilment that waits for
 * its service is a delivery without a status, and one that failed or was cancelled is none.
 * https://shopify.dev/docs/api/admin-rest/latest/resources/fulfillment
 */
import type { JsonObject } from 'forestall/adapter';
import { integerAt, objectsAt, textAt, utcAt } from 'forestall/adapter';
import { addressAt } from './shopify-money.ts';

export function deliveriesOf(order: unknown, reference: string): JsonObject[] {
  return objectsAt(order, 'fulfillments')
    .filter((fulfilment) => EXISTING.has(textAt(fulfilment, 'status') ?? ''))
    .map((fulfilment) => deliveryOf(order, fulfilment, reference));
}

/** `cancelled`, `error` and `failure` are missing: nothing was or will be sent by them. */
const EXISTING: ReadonlySet<string> = new Set(['pending', 'open', 'success']);

function deliveryOf(order: unknown, fulfilment: JsonObject, reference: string): JsonObject {
  const delivery = { reference_id: `${reference}:f${integerAt(fulfilment, 'id')}` };
  if (isDigital(fulfilment)) return { ...delivery, type: 'DIGITAL' };
  const status = shippingStatusOf(fulfilment);
  return {
    ...delivery,
    type: 'PHYSICAL',
    physical_shipping_carrier: textAt(fulfilment, 'tracking_company'),
    physical_shipping_tracking_number: textAt(fulfilment, 'tracking_number'),
    physical_shipping_status: status,
    physical_shipping_datetime_shipped: status === null ? null : utcAt(fulfilment, 'created_at'),
    physical_shipping_address: addressAt(order, 'shipping_address'),
  };
}

/** Nothing in it has to be shipped. */
function isDigital(fulfilment: JsonObject): boolean {
  const items = objectsAt(fulfilment, 'line_items');
  return items.length > 0 && items.every((item) => item['requires_shipping'] === false);
}

/** What the carrier says; without a carrier that reports, what the shop says. */
function shippingStatusOf(fulfilment: JsonObject): string | null {
  if (textAt(fulfilment, 'status') !== 'success') return null;
  const reported = textAt(fulfilment, 'shipment_status');
  return reported === null ? 'SHIPPED' : (SHIPMENT_STATUSES[reported] ?? null);
}

/** A printed label has not left, and of a failed delivery it is not known where it is. */
const SHIPMENT_STATUSES: Readonly<Record<string, string>> = {
  in_transit: 'SHIPPED',
  out_for_delivery: 'SHIPPED',
  attempted_delivery: 'SHIPPED',
  delivered: 'DELIVERED',
};
