/**
 * Orders as the sandbox keeps them. What was submitted is kept whole, because the specification
 * does not list every field.
 */
import { z } from 'zod';
import { amountMinorOut, currencyCode, dateOrTimestampOut } from '../../service/wire/fields.ts';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from '../../service/wire/limits.ts';
import { ORDER_STATUSES, ORDER_TYPES } from '../../service/wire/order.ts';
import { DELIVERY_TYPES } from '../../service/wire/order-parts.ts';

const text = z.string().optional();
const flag = z.boolean().optional();
const amount = amountMinorOut.optional();
const currency = currencyCode.optional();
const moment = dateOrTimestampOut.optional();
const reference = z.string().min(1).optional();

const address = z.looseObject({
  line_1: text,
  city: text,
  country_subdivision: text,
  postal_code: text,
  country: text,
});

export const transactionInput = z.looseObject({
  reference_id: reference,
  amount_in_cents: amount,
  currency,
  payment_method_type: text,
  authorisation_status: text,
  payment_method_reference_id: text,
  authorised_at: moment,
  descriptor: text,
  acquirer_reference_number: z.string().length(ARN_LENGTH).optional(),
  authorisation_code: z.string().length(AUTHORISATION_CODE_LENGTH).optional(),
  settlement_datetime: moment,
  cvc_verified: flag,
  three_d_secure_verified: flag,
  payment_method_card_brand: text,
  payment_method_card_last_4: text,
  payment_method_card_bin: text,
  billing_address: address.optional(),
});

const delivery = z.looseObject({
  reference_id: reference,
  type: z.enum(DELIVERY_TYPES).optional(),
  physical_shipping_carrier: text,
  physical_shipping_tracking_number: text,
  physical_shipping_status: text,
  physical_shipping_datetime_shipped: moment,
  physical_shipping_datetime_delivered: moment,
  physical_shipping_address: address.optional(),
});

const item = z.looseObject({
  reference_id: reference,
  name: text,
  price_in_cents: amount,
  quantity: z.number().min(0).optional(),
  sku: text,
  product_url: text,
  delivery_reference_id: text,
  subscription_reference_id: text,
});

const subscription = z.looseObject({
  reference_id: reference,
  interval: text,
  interval_price_in_cents: amount,
  interval_currency: currency,
  status: text,
  cancellation_date: moment,
});

const refund = z.looseObject({
  reference_id: reference,
  amount_in_cents: amount,
  currency,
  status: text,
  original_transaction_reference_id: text,
  refund_datetime: moment,
});

const dispute = z.looseObject({
  reference_id: reference,
  amount_in_cents: amount,
  currency,
  stage: text,
  status: text,
  type: text,
  network_reason_code: text,
  payment_method_type: text,
  card_brand: text,
});

/** Types only: whether a field must be there depends on the order's type and the programmes. */
export const orderInput = z.looseObject({
  type: z.enum(ORDER_TYPES).optional(),
  organisation_id: text,
  integration_id: text,
  reference_id: reference,
  order_datetime: moment,
  order_number: text,
  order_subtotal_amount_in_cents: amount,
  order_tax_amount_in_cents: amount,
  order_currency: currency,
  order_total_amount_in_cents: amount,
  order_status: z.enum(ORDER_STATUSES).optional(),
  order_status_other_description: text,
  order_phone: text,
  order_view_url: text,
  order_request_refund_url: text,
  customer_email: text,
  customer_first_name: text,
  customer_last_name: text,
  customer_account_id: text,
  order_email: text,
  device_ip_address: text,
  device_id: text,
  device_fingerprint: text,
  merchant_name: text,
  merchant_store_name: text,
  merchant_customer_service_email: text,
  merchant_contact_phone: text,
  merchant_url: text,
  transactions: z.array(transactionInput).optional(),
  deliveries: z.array(delivery).optional(),
  items: z.array(item).optional(),
  subscriptions: z.array(subscription).optional(),
  refunds: z.array(refund).optional(),
  disputes: z.array(dispute).optional(),
});
export type OrderInput = z.infer<typeof orderInput>;
export type OrderTransaction = z.infer<typeof transactionInput>;

/** The body of an order update: the fields that may change. */
export const orderChanges = z.looseObject({
  order_status: z.enum(ORDER_STATUSES).optional(),
  order_status_other_description: text,
  order_communications: z.unknown().optional(),
  deliveries: z.array(delivery).optional(),
  subscriptions: z.array(subscription).optional(),
  refunds: z.array(refund).optional(),
  disputes: z.array(dispute).optional(),
});
export type OrderChanges = z.infer<typeof orderChanges>;

export interface OrderRecord {
  readonly id: string;
  readonly organisation_id: string;
  readonly integration_id: string;
  readonly reference_id: string;
  fields: OrderInput;
  readonly created_at: string;
  updated_at: string;
}

/** A transaction that a processor integration ingested by itself. */
export interface IngestedTransaction {
  readonly integration_id: string;
  readonly fields: OrderTransaction;
}
