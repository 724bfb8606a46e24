/**
 * Orders as created: the complete form and the partial form. Strict in names and types. The update is
 * in `order-update.ts`.
 *
 * Whether a programme's fields are there is not checked here: that depends on what is enabled for
 * the integration, and the service answers `MISSING_FIELD`.
 */
import { z } from 'zod';
import { amountMinorOut, currencyCode, dateOrTimestampOut } from './fields.ts';
import { ORDERS_PER_CREATE_MAX } from './limits.ts';
import { ORDER_STATUSES } from './order.ts';
import {
  orderDeliverySchema,
  orderDisputeSchema,
  orderItemSchema,
  orderRefundSchema,
  orderSubscriptionSchema,
  orderTransactionSchema,
} from './order-parts.ts';

const textOut = z.string().min(1);

/** Optional on every order. The shapes of consent and communications are not shown. */
const enrichment = {
  order_tax_amount_in_cents: amountMinorOut.optional(),
  order_phone: textOut.optional(),
  order_view_url: textOut.optional(),
  order_request_refund_url: textOut.optional(),
  order_proof_of_consent: z.json().optional(),
  order_communications: z.json().optional(),
  order_status_other_description: textOut.optional(),
  customer_email: textOut.optional(),
  customer_first_name: textOut.optional(),
  customer_last_name: textOut.optional(),
  customer_account_id: textOut.optional(),
  order_email: textOut.optional(),
  device_ip_address: textOut.optional(),
  device_id: textOut.optional(),
  device_fingerprint: textOut.optional(),
  merchant_name: textOut.optional(),
  merchant_store_name: textOut.optional(),
  merchant_customer_service_email: textOut.optional(),
  merchant_contact_phone: textOut.optional(),
  merchant_url: textOut.optional(),
  transactions: z.array(orderTransactionSchema).optional(),
  deliveries: z.array(orderDeliverySchema).optional(),
  items: z.array(orderItemSchema).optional(),
  subscriptions: z.array(orderSubscriptionSchema).optional(),
  refunds: z.array(orderRefundSchema).optional(),
  disputes: z.array(orderDisputeSchema).optional(),
};

const core = {
  order_datetime: dateOrTimestampOut,
  /** Longer than 25 characters is truncated in receipts of the second network, not refused. */
  order_number: textOut,
  order_subtotal_amount_in_cents: amountMinorOut,
  order_currency: currencyCode,
  order_total_amount_in_cents: amountMinorOut,
  order_status: z.enum(ORDER_STATUSES),
};

const identity = {
  organisation_id: textOut,
  integration_id: textOut,
  /** Unique per integration: the idempotency key. */
  reference_id: textOut,
};

/** A whole order, for a `CUSTOM_ORDERS` integration. */
export const completeOrderSchema = z.strictObject({
  type: z.literal('COMPLETE'),
  ...identity,
  ...core,
  ...enrichment,
});
export type CompleteOrder = z.infer<typeof completeOrderSchema>;

/** At least one of these must be on a partial order. */
export const DEVICE_IDENTITY_FIELDS = [
  'device_ip_address',
  'device_id',
  'device_fingerprint',
] as const;

/** Enrichment of a transaction that a processor integration ingested. `reference_id` names it. */
export const partialOrderSchema = z
  .strictObject({
    type: z.literal('PARTIAL'),
    ...identity,
    ...z.object(core).partial().shape,
    ...enrichment,
  })
  .refine(
    (order) => DEVICE_IDENTITY_FIELDS.some((field) => order[field] !== undefined),
    'must carry device_ip_address, device_id or device_fingerprint',
  );
export type PartialOrder = z.infer<typeof partialOrderSchema>;

export const orderInputSchema = z.discriminatedUnion('type', [
  completeOrderSchema,
  partialOrderSchema,
]);
export type OrderInput = z.infer<typeof orderInputSchema>;

/** Writes `POST /v1/orders/`: always an array. */
export const orderCreateSchema = z.array(orderInputSchema).min(1).max(ORDERS_PER_CREATE_MAX);
export type OrderCreate = z.infer<typeof orderCreateSchema>;
