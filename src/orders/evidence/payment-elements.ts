/**
 * Reads out of an order what can be compared with a later, disputed payment: per payment the credential,
 * who paid from where on what, and the day. Pure, and lenient: what cannot be read is not known.
 */
import { z } from 'zod';
import { ERASED } from '../../base/seal/redact.ts';
import { utcMoment } from '../charge-record.ts';
import {
  countryCode,
  descriptorHead,
  normaliseAddress,
  normaliseEmail,
  normaliseIdentifier,
  normaliseIp,
  normaliseLogin,
} from './normalise.ts';
import type { Traits } from './traits.ts';
import { NO_TRAITS } from './traits.ts';

/** What is stored of it as a hash. */
export const HASHED_ELEMENTS = [
  'credential',
  'account',
  'email',
  'ip',
  'address',
  'device',
  'fingerprint',
  'subscription',
] as const;
export type HashedElement = (typeof HASHED_ELEMENTS)[number];

/** One payment of an order; values in their one spelling, null for what is not said. */
export interface PaymentElements {
  readonly reference: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly values: Readonly<Record<HashedElement, string | null>>;
  readonly descriptor: string | null;
  readonly country: string | null;
  readonly traits: Traits;
}

const text = z
  .string()
  .trim()
  .min(1)
  .refine((value) => value !== ERASED)
  .nullable()
  .catch(null)
  .default(null);
const listOf = <Item extends z.ZodType>(item: Item): z.ZodType<z.output<Item>[]> =>
  z.array(item).catch([]).default([]);

const transactionSchema = z.looseObject({
  reference_id: text,
  amount_in_cents: z.number().nullable().catch(null).default(null),
  authorisation_status: text,
  payment_method_reference_id: text,
  authorised_at: text,
  settlement_datetime: text,
  descriptor: text,
  three_d_secure_verified: z.boolean().nullable().catch(null).default(null),
  billing_address: z.looseObject({ country: text }).nullable().catch(null).default(null),
});
type Transaction = z.output<typeof transactionSchema>;

const deliverySchema = z.looseObject({
  type: text,
  physical_shipping_tracking_number: text,
  physical_shipping_datetime_delivered: text,
  physical_shipping_status: text,
  physical_shipping_address: z.unknown().optional(),
});

const orderSchema = z.looseObject({
  order_datetime: text,
  customer_account_id: text,
  customer_email: text,
  order_email: text,
  device_ip_address: text,
  device_id: text,
  device_fingerprint: text,
  transactions: listOf(transactionSchema),
  deliveries: listOf(deliverySchema),
  items: listOf(z.looseObject({ name: text })),
  subscriptions: listOf(z.looseObject({ reference_id: text })),
  disputes: listOf(z.looseObject({ reference_id: text })),
});
type Order = z.output<typeof orderSchema>;

/** Beginnings of states in which no money was taken. */
const FAILED = /^(?:DECLIN|FAIL|REFUS|REJECT|VOID|CANCEL|REVERS|EXPIR|ERROR)/i;
const SETTLED = /^(?:SETTLED|CAPTURED|CLEARED|PAID)$/i;

/** The payments of an order as it stands in the interface; none for anything that is no order. */
export function paymentsOfOrder(order: unknown): PaymentElements[] {
  const parsed = orderSchema.safeParse(order);
  if (!parsed.success) return [];
  const { data } = parsed;
  return data.transactions.flatMap((transaction) => paymentOf(data, transaction) ?? []);
}

function paymentOf(order: Order, transaction: Transaction): PaymentElements | undefined {
  const { reference_id: reference } = transaction;
  const settledAt = utcMoment(transaction.settlement_datetime);
  const moment =
    settledAt ?? utcMoment(transaction.authorised_at) ?? utcMoment(order.order_datetime);
  if (reference === null || moment === null) return undefined;
  const address = order.deliveries
    .map((delivery) => normaliseAddress(delivery.physical_shipping_address))
    .find((each) => each !== null);
  // Only when there is one can it be said which subscription a payment belongs to.
  const subscription = order.subscriptions.length === 1 ? order.subscriptions[0] : undefined;
  const device = read(order.device_id, normaliseIdentifier);
  const fingerprint = read(order.device_fingerprint, normaliseIdentifier);
  const status = transaction.authorisation_status ?? '';
  return {
    reference,
    day: moment.slice(0, 10),
    values: {
      credential: read(transaction.payment_method_reference_id, normaliseIdentifier),
      account: read(order.customer_account_id, normaliseLogin),
      email: read(order.customer_email ?? order.order_email, normaliseEmail),
      ip: read(order.device_ip_address, normaliseIp),
      address: address ?? null,
      device,
      fingerprint,
      subscription: subscription?.reference_id ?? null,
    },
    descriptor: read(transaction.descriptor, descriptorHead),
    country: read(transaction.billing_address?.country ?? null, countryCode),
    traits: {
      ...NO_TRAITS,
      settled: settledAt !== null || SETTLED.test(status),
      failed: FAILED.test(status) || transaction.amount_in_cents === 0,
      product: order.items.some(({ name }) => name !== null),
      threeDSecure: transaction.three_d_secure_verified === true,
      delivery: order.deliveries.some(isProven),
      authorisedDay: settledAt === null,
      disputed: order.disputes.length > 0,
      deviceLength: device?.length ?? 0,
      fingerprintLength: fingerprint?.length ?? 0,
    },
  };
}

function read(value: string | null, normalise: (text: string) => string | null): string | null {
  return value === null ? null : normalise(value);
}

function isProven(delivery: z.output<typeof deliverySchema>): boolean {
  return (
    delivery.physical_shipping_tracking_number !== null ||
    delivery.physical_shipping_datetime_delivered !== null ||
    delivery.physical_shipping_status === 'DELIVERED' ||
    Object.entries(delivery).some(
      ([name, value]) =>
        name.startsWith('digital_') && value !== null && value !== '' && value !== ERASED,
    )
  );
}
