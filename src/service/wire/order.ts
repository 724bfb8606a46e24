/**
 * An order as read: whatever was submitted comes back with an `id`, and nothing else is promised.
 * What we send is in `order-request.ts`; its nested parts in `order-parts.ts`.
 */
import { z } from 'zod';
import { maybeAmountMinor, maybeDate, maybeText, openEnum, text } from './fields.ts';

export const ORDER_TYPES = ['COMPLETE', 'PARTIAL'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

export const ORDER_STATUSES = [
  'OPEN_PENDING',
  'OPEN_PENDING_RETURN',
  'CLOSED_COMPLETE',
  'CLOSED_CANCELLED',
  'OTHER',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** A nested entry as read: its reference if it has one, the rest untyped. */
const partSchema = z.looseObject({ reference_id: maybeText });

/** A nested entry that carries money, as read. */
const moneyPartSchema = z.looseObject({
  reference_id: maybeText,
  amount_in_cents: maybeAmountMinor,
  currency: maybeText,
  status: maybeText,
});

/** Reads an order. */
export const orderSchema = z.looseObject({
  id: text,
  type: openEnum(ORDER_TYPES).nullish(),
  organisation_id: maybeText,
  integration_id: maybeText,
  reference_id: maybeText,
  order_datetime: maybeDate,
  order_number: maybeText,
  order_subtotal_amount_in_cents: maybeAmountMinor,
  order_tax_amount_in_cents: maybeAmountMinor,
  order_total_amount_in_cents: maybeAmountMinor,
  order_currency: maybeText,
  order_status: openEnum(ORDER_STATUSES).nullish(),
  transactions: z.array(moneyPartSchema).nullish(),
  deliveries: z.array(partSchema).nullish(),
  items: z.array(partSchema).nullish(),
  subscriptions: z.array(partSchema).nullish(),
  refunds: z.array(moneyPartSchema).nullish(),
  disputes: z.array(moneyPartSchema).nullish(),
});
export type Order = z.infer<typeof orderSchema>;

/** One refused order of a create request; `index` is its place in the request. */
export const orderErrorSchema = z.looseObject({
  index: z.int().min(0),
  reference_id: maybeText,
  code: text,
  message: z.string().nullish(),
  field: maybeText,
});
export type OrderError = z.infer<typeof orderErrorSchema>;

/** Reads the answer of `POST /v1/orders/`: 200 and 400 share this shape. */
export const orderCreateResultSchema = z.looseObject({
  created: z.int().min(0),
  failed: z.int().min(0),
  results: z.array(orderSchema),
  errors: z.array(orderErrorSchema),
});
export type OrderCreateResult = z.infer<typeof orderCreateResultSchema>;
