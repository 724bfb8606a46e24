/**
 * The nested parts of an order as created: address, transactions, deliveries, items, subscriptions,
 * refunds and disputes. Strict, except where the specification names a family of fields without
 * listing it (`digital_*` of deliveries, the trial fields of subscriptions). As updated, they are in
 * `order-update.ts`.
 */
import { z } from 'zod';
import { amountMinorOut, currencyCode, dateOrTimestampOut } from './fields.ts';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from './limits.ts';

/** The two kinds of delivery; a delivery cannot change its kind. */
export const DELIVERY_TYPES = ['PHYSICAL', 'DIGITAL'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];

/** Values seen; others pass. */
export const PAYMENT_METHOD_CARD = 'CARD';
export const SUBSCRIPTION_CANCELLED = 'CANCELLED';

/** Fields that the specification names by their beginning, or by a word in them. */
export const DIGITAL_FAMILY = /^digital_[a-z0-9_]+$/;
export const TRIAL_FAMILY = /^(?:[a-z0-9_]+_)?trial(?:_[a-z0-9_]+)?$/;

const textOut = z.string().min(1);
const referenceId = textOut;

export const orderAddressSchema = z.strictObject({
  line_1: z.string().optional(),
  city: z.string().optional(),
  country_subdivision: z.string().optional(),
  postal_code: z.string().optional(),
  country: z.string().optional(),
});
export type OrderAddress = z.infer<typeof orderAddressSchema>;

export const orderTransactionSchema = z.strictObject({
  reference_id: referenceId,
  amount_in_cents: amountMinorOut,
  currency: currencyCode,
  payment_method_type: textOut.optional(),
  authorisation_status: textOut.optional(),
  payment_method_reference_id: textOut.optional(),
  authorised_at: dateOrTimestampOut.optional(),
  descriptor: textOut.optional(),
  acquirer_reference_number: z.string().length(ARN_LENGTH).optional(),
  authorisation_code: z.string().length(AUTHORISATION_CODE_LENGTH).optional(),
  settlement_datetime: dateOrTimestampOut.optional(),
  cvc_verified: z.boolean().optional(),
  three_d_secure_verified: z.boolean().optional(),
  payment_method_card_brand: textOut.optional(),
  payment_method_card_last_4: z
    .string()
    .regex(/^\d{4}$/, 'must be four digits')
    .optional(),
  payment_method_card_bin: z
    .string()
    .regex(/^\d{6,8}$/, 'must be six to eight digits')
    .optional(),
  billing_address: orderAddressSchema.optional(),
});
export type OrderTransaction = z.infer<typeof orderTransactionSchema>;

export const orderDeliverySchema = openFamily(
  z.looseObject({
    reference_id: referenceId,
    type: z.enum(DELIVERY_TYPES),
    physical_shipping_carrier: textOut.optional(),
    physical_shipping_tracking_number: textOut.optional(),
    physical_shipping_status: textOut.optional(),
    physical_shipping_datetime_shipped: dateOrTimestampOut.optional(),
    physical_shipping_datetime_delivered: dateOrTimestampOut.optional(),
    physical_shipping_address: orderAddressSchema.optional(),
  }),
  DIGITAL_FAMILY,
);
export type OrderDelivery = z.infer<typeof orderDeliverySchema>;

export const orderItemSchema = z.strictObject({
  reference_id: referenceId,
  name: textOut.optional(),
  price_in_cents: amountMinorOut.optional(),
  quantity: z.number().min(0).optional(),
  sku: textOut.optional(),
  product_url: textOut.optional(),
  delivery_reference_id: textOut.optional(),
  subscription_reference_id: textOut.optional(),
});
export type OrderItem = z.infer<typeof orderItemSchema>;

export const orderSubscriptionSchema = openFamily(
  z.looseObject({
    reference_id: referenceId,
    interval: textOut.optional(),
    interval_price_in_cents: amountMinorOut.optional(),
    interval_currency: currencyCode.optional(),
    status: textOut.optional(),
    cancellation_date: dateOrTimestampOut.optional(),
  }),
  TRIAL_FAMILY,
);
export type OrderSubscription = z.infer<typeof orderSubscriptionSchema>;

export const orderRefundSchema = z.strictObject({
  reference_id: referenceId,
  amount_in_cents: amountMinorOut,
  currency: currencyCode,
  status: textOut.optional(),
  original_transaction_reference_id: textOut.optional(),
  refund_datetime: dateOrTimestampOut.optional(),
});
export type OrderRefund = z.infer<typeof orderRefundSchema>;

export const orderDisputeSchema = z.strictObject({
  reference_id: referenceId,
  amount_in_cents: amountMinorOut,
  currency: currencyCode,
  stage: textOut.optional(),
  status: textOut.optional(),
  type: textOut.optional(),
  network_reason_code: textOut.optional(),
  payment_method_type: textOut.optional(),
  card_brand: textOut.optional(),
});
export type OrderDispute = z.infer<typeof orderDisputeSchema>;

/** Lets through the named fields and those of one family; anything else is refused as a slip. */
function openFamily<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape, z.core.$loose>,
  family: RegExp,
): z.ZodObject<Shape, z.core.$loose> {
  const named = new Set(Object.keys(schema.shape));
  return schema.check((context) => {
    const strangers = Object.keys(context.value).filter(
      (key) => !named.has(key) && !family.test(key),
    );
    if (strangers.length === 0) return;
    context.issues.push({
      code: 'unrecognized_keys',
      keys: strangers,
      input: context.value,
      path: [],
    });
  });
}
