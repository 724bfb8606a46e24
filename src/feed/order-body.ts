/**
 * The shape of an order as the feed accepts, stores and sends it.
 *
 * Open, unlike the client's own writer: the interface's full list of order fields is not shown, so a
 * field we do not know passes through to the service. What we do know must have the right type.
 * Lengths of ARN and authorisation code are judged in readiness.ts, where an order can be held and
 * corrected, rather than here, where it could only be refused.
 */
import { z } from 'zod';
import { amountMinorOut, currencyCode } from '../wire/fields.ts';
import {
  orderAddressSchema,
  orderDeliverySchema,
  orderDisputeSchema,
  orderItemSchema,
  orderRefundSchema,
  orderSubscriptionSchema,
  orderTransactionSchema,
} from '../wire/order-parts.ts';
import {
  completeOrderSchema,
  orderUpdateSchema,
  partialOrderSchema,
} from '../wire/order-request.ts';

const text = z.string().min(1);
const address = z.looseObject(orderAddressSchema.shape).optional();

const transaction = z.looseObject({
  ...orderTransactionSchema.shape,
  acquirer_reference_number: text.optional(),
  authorisation_code: text.optional(),
  billing_address: address,
});
const delivery = z.looseObject({
  ...orderDeliverySchema.shape,
  physical_shipping_address: address,
});
const item = z.looseObject(orderItemSchema.shape);
const subscription = z.looseObject(orderSubscriptionSchema.shape);
const refund = z.looseObject(orderRefundSchema.shape);
const dispute = z.looseObject(orderDisputeSchema.shape);

const parts = {
  transactions: z.array(transaction).optional(),
  deliveries: z.array(delivery).optional(),
  items: z.array(item).optional(),
  subscriptions: z.array(subscription).optional(),
  refunds: z.array(refund).optional(),
  disputes: z.array(dispute).optional(),
};

const completeBody = z.looseObject({ ...completeOrderSchema.shape, ...parts });
const partialBody = z.looseObject({ ...partialOrderSchema.shape, ...parts });

/** Reads one order. Unknown fields stay. */
export const orderBodySchema = z.discriminatedUnion('type', [completeBody, partialBody]);

/** An order as the feed holds it. */
export type OrderBody = z.infer<typeof orderBodySchema>;
export type TransactionPart = z.infer<typeof transaction>;
export type DeliveryPart = z.infer<typeof delivery>;
export type ItemPart = z.infer<typeof item>;
export type RefundPart = z.infer<typeof refund>;
export type DisputePart = z.infer<typeof dispute>;

/** What may stand in the arrays that an update changes: fields left out keep their value. */
const changedMoney = {
  amount_in_cents: amountMinorOut.optional(),
  currency: currencyCode.optional(),
};

/**
 * Reads a change of an order. Only what the service's update takes: customer, device, items and
 * transactions are fixed at creation (specification, Orders, update rule 4).
 */
export const orderChangeSchema = z
  .strictObject({
    order_status: orderUpdateSchema.shape.order_status,
    order_status_other_description: orderUpdateSchema.shape.order_status_other_description,
    order_communications: orderUpdateSchema.shape.order_communications,
    deliveries: z
      .array(delivery.partial({ type: true }))
      .min(1)
      .optional(),
    subscriptions: z.array(subscription).min(1).optional(),
    refunds: z
      .array(z.looseObject({ ...refund.shape, ...changedMoney }))
      .min(1)
      .optional(),
    disputes: z
      .array(z.looseObject({ ...dispute.shape, ...changedMoney }))
      .min(1)
      .optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'must change at least one field',
  });

/** A change, in the merchant's own nested references or in those that are sent. */
export type OrderChange = z.infer<typeof orderChangeSchema>;

/** Checks the arrays of an order after a change was merged in. */
export const changedPartsSchema = z.looseObject({
  deliveries: parts.deliveries,
  subscriptions: parts.subscriptions,
  refunds: parts.refunds,
  disputes: parts.disputes,
});

/** Writers for the client: what is sent was accepted by {@link orderBodySchema}. */
export const openCreateSchema = z.array(orderBodySchema).min(1);
export const openUpdateSchema = z.looseObject({
  ...orderUpdateSchema.shape,
  ...changedPartsSchema.shape,
});

const KNOWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(completeBody.shape));
const KNOWN_PART_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({ transaction, delivery, item, subscription, refund, dispute }).map(
    ([name, schema]) => [
      name === 'delivery' ? 'deliveries' : `${name}s`,
      new Set(Object.keys(schema.shape)),
    ],
  ),
);

/** Fields of this order that the specification does not name, as paths; they are sent all the same. */
export function unknownFields(order: OrderBody): string[] {
  const unknown = Object.keys(order).filter((name) => !KNOWN_FIELDS.has(name));
  for (const [array, known] of KNOWN_PART_FIELDS) {
    const entries: unknown = Reflect.get(order, array);
    if (!Array.isArray(entries)) continue;
    for (const [index, entry] of entries.entries()) {
      unknown.push(...strangersIn(entry, known).map((name) => `${array}[${index}].${name}`));
    }
  }
  return unknown;
}

/** Families the specification names without listing: `digital_*` and the trial fields. */
const FAMILY = /^digital_|(?:^|_)trial(?:_|$)/;

function strangersIn(entry: unknown, known: ReadonlySet<string>): string[] {
  if (typeof entry !== 'object' || entry === null) return [];
  return Object.keys(entry).filter((name) => !known.has(name) && !FAMILY.test(name));
}
