/**
 * The update of an order as sent: seven fields, and of each entry only what changes.
 *
 * An entry is found by its `reference_id`; a status alone is a whole update of it. Entries take fields
 * that the specification does not list, because its list is not complete; the client warns of each.
 * At the top there is nothing to add: everything else is fixed when the order is created.
 */
import { z } from 'zod';
import { anyJson } from './fields.ts';
import { ORDER_STATUSES } from './order.ts';
import {
  DIGITAL_FAMILY,
  orderAddressSchema,
  orderDeliverySchema,
  orderDisputeSchema,
  orderRefundSchema,
  orderSubscriptionSchema,
  TRIAL_FAMILY,
} from './order-parts.ts';
import { namedByFamily } from './unlisted-fields.ts';

const textOut = z.string().min(1);
const named = { reference_id: textOut };

/** Created with the order; its `type` cannot change and may be left out. */
export const orderDeliveryUpdateSchema = z
  .looseObject({
    ...z.object(orderDeliverySchema.shape).partial().shape,
    physical_shipping_address: z.looseObject(orderAddressSchema.shape).optional(),
    ...named,
  })
  .register(namedByFamily, { family: DIGITAL_FAMILY });
export type OrderDeliveryUpdate = z.infer<typeof orderDeliveryUpdateSchema>;

/** Created with the order. */
export const orderSubscriptionUpdateSchema = z
  .looseObject({ ...z.object(orderSubscriptionSchema.shape).partial().shape, ...named })
  .register(namedByFamily, { family: TRIAL_FAMILY });
export type OrderSubscriptionUpdate = z.infer<typeof orderSubscriptionUpdateSchema>;

/** Known or new; a new one needs its amount and currency, a known one keeps them. */
export const orderRefundUpdateSchema = z.looseObject({
  ...orderRefundSchema.partial().shape,
  ...named,
});
export type OrderRefundUpdate = z.infer<typeof orderRefundUpdateSchema>;

/** Known or new; a new one needs its amount and currency, a known one keeps them and its type. */
export const orderDisputeUpdateSchema = z.looseObject({
  ...orderDisputeSchema.partial().shape,
  ...named,
});
export type OrderDisputeUpdate = z.infer<typeof orderDisputeUpdateSchema>;

/** Writes `PATCH /v1/orders/{order_id}`: these fields and no others. */
export const orderUpdateSchema = z
  .strictObject({
    order_status: z.enum(ORDER_STATUSES).optional(),
    order_status_other_description: textOut.optional(),
    order_communications: anyJson.optional(),
    deliveries: z.array(orderDeliveryUpdateSchema).optional(),
    subscriptions: z.array(orderSubscriptionUpdateSchema).optional(),
    refunds: z.array(orderRefundUpdateSchema).optional(),
    disputes: z.array(orderDisputeUpdateSchema).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
export type OrderUpdate = z.infer<typeof orderUpdateSchema>;

/** Top-level fields that an update can say; everything else was sent at creation and stays. */
export const UPDATABLE_FIELDS = orderUpdateSchema.keyof().options;
