/**
 * The shape of an order as the feed accepts, stores and sends it.
 *
 * Open, unlike the client's own writer: the interface's full list of order fields is not shown, so a
 * field we do not know passes through to the service. What we do know must have the right type.
 * Lengths of ARN and authorisation code are judged in readiness.ts, where an order can be held and
 * corrected, rather than here, where it could only be refused. What is bounded here could not be stored.
 */
import { z } from 'zod';
import { amountMinorOut, currencyCode, dateOrTimestampOut } from '../service/wire/fields.ts';
import {
  orderAddressSchema,
  orderDeliverySchema,
  orderDisputeSchema,
  orderItemSchema,
  orderRefundSchema,
  orderSubscriptionSchema,
  orderTransactionSchema,
} from '../service/wire/order-parts.ts';
import { completeOrderSchema, partialOrderSchema } from '../service/wire/order-request.ts';
import { orderUpdateSchema } from '../service/wire/order-update.ts';

/**
 * What is in an index has to fit into one, together with what it becomes: a nested reference can
 * grow to `<order>:<reference>#9`. An index entry holds 2,704 bytes.
 */
const REFERENCE_BYTES_MAX = 255;
/** A little more, because `<order>:<line>` is one. */
const NESTED_BYTES_MAX = 300;

function boundedText(bytesMax: number): z.ZodString {
  return z
    .string()
    .min(1)
    .refine(
      (text) => Buffer.byteLength(text) <= bytesMax,
      `must be at most ${bytesMax} bytes long`,
    );
}

const reference = boundedText(REFERENCE_BYTES_MAX);
const nested = { reference_id: boundedText(NESTED_BYTES_MAX) };
const address = z.looseObject(orderAddressSchema.shape).optional();

/** What PostgreSQL takes for a moment and JavaScript writes with four digits. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');
const moment = dateOrTimestampOut.refine((value) => {
  const epochMs = Date.parse(value);
  return epochMs >= FIRST_MOMENT && epochMs <= LAST_MOMENT;
}, 'must lie between the years 1 and 9999');

const transaction = z.looseObject({
  ...orderTransactionSchema.shape,
  ...nested,
  acquirer_reference_number: reference.optional(),
  authorisation_code: reference.optional(),
  authorised_at: moment.optional(),
  settlement_datetime: moment.optional(),
  billing_address: address,
});
const delivery = z.looseObject({
  ...orderDeliverySchema.shape,
  ...nested,
  physical_shipping_datetime_shipped: moment.optional(),
  physical_shipping_datetime_delivered: moment.optional(),
  physical_shipping_address: address,
});
const item = z.looseObject({ ...orderItemSchema.shape, ...nested });
const subscription = z.looseObject({
  ...orderSubscriptionSchema.shape,
  ...nested,
  cancellation_date: moment.optional(),
});
const refund = z.looseObject({
  ...orderRefundSchema.shape,
  ...nested,
  refund_datetime: moment.optional(),
});
const dispute = z.looseObject({ ...orderDisputeSchema.shape, ...nested });

const parts = {
  transactions: z.array(transaction).optional(),
  deliveries: z.array(delivery).optional(),
  items: z.array(item).optional(),
  subscriptions: z.array(subscription).optional(),
  refunds: z.array(refund).optional(),
  disputes: z.array(dispute).optional(),
};

const identity = { reference_id: reference, integration_id: reference };

const completeBody = z.looseObject({
  ...completeOrderSchema.shape,
  ...identity,
  order_datetime: moment,
  ...parts,
});
const partialBody = z.looseObject({
  ...partialOrderSchema.shape,
  ...identity,
  order_datetime: moment.optional(),
  ...parts,
});

/** Reads one order. Unknown fields stay. */
export const orderBodySchema = z.discriminatedUnion('type', [completeBody, partialBody]);

/** An order as the feed holds it. */
export type OrderBody = z.infer<typeof orderBodySchema>;
export type TransactionPart = z.infer<typeof transaction>;
export type DeliveryPart = z.infer<typeof delivery>;
export type ItemPart = z.infer<typeof item>;
export type RefundPart = z.infer<typeof refund>;
export type DisputePart = z.infer<typeof dispute>;

/** What may be in the arrays that an update changes: fields left out keep their value. */
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

/** Fields of this order that the specification does not name, as paths; they are sent anyway. */
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
