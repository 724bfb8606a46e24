/**
 * Reads out of an order what can be compared with a later, disputed payment: per payment the credential,
 * who paid from where on what, and the day. Pure, and lenient: what cannot be read is not known.
 */
import { isRecord } from '../base/kernel/is-record.ts';
import { ERASED } from '../base/seal/redact.ts';
import { isNoMoney, utcMoment } from './charge-record.ts';
import {
  countryCode,
  descriptorHead,
  normaliseAddress,
  normaliseEmail,
  normaliseIdentifier,
  normaliseIp,
  normaliseLogin,
} from './normalise-element.ts';
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

type Fields = Readonly<Record<string, unknown>>;

/** A field's text; null where there is none, or was. */
function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' || text === ERASED ? null : text;
}

/** A field's entries; none where one of them is no entry. */
function entriesOf(order: Fields, name: string): readonly Fields[] {
  const value = order[name];
  return Array.isArray(value) && value.every(isRecord) ? value : [];
}

const SETTLED = /^(?:SETTLED|CAPTURED|CLEARED|PAID)$/i;

/** The payments of an order as it is in the interface; none for anything that is no order. */
export function paymentsOfOrder(order: unknown): PaymentElements[] {
  if (!isRecord(order)) return [];
  const transactions = entriesOf(order, 'transactions');
  return transactions.flatMap((transaction) => paymentOf(order, transaction) ?? []);
}

function paymentOf(order: Fields, transaction: Fields): PaymentElements | undefined {
  const reference = textOf(transaction, 'reference_id');
  const settledAt = utcMoment(textOf(transaction, 'settlement_datetime'));
  const moment =
    settledAt ??
    utcMoment(textOf(transaction, 'authorised_at')) ??
    utcMoment(textOf(order, 'order_datetime'));
  if (reference === null || moment === null) return undefined;
  const deliveries = entriesOf(order, 'deliveries');
  const address = deliveries
    .map((delivery) => normaliseAddress(delivery['physical_shipping_address']))
    .find((each) => each !== null);
  // Only when there is one can it be said which subscription a payment belongs to.
  const [subscription, ...others] = entriesOf(order, 'subscriptions');
  const isOnly = subscription !== undefined && others.length === 0;
  const device = read(textOf(order, 'device_id'), normaliseIdentifier);
  const fingerprint = read(textOf(order, 'device_fingerprint'), normaliseIdentifier);
  const email = textOf(order, 'customer_email') ?? textOf(order, 'order_email');
  const status = textOf(transaction, 'authorisation_status') ?? '';
  const billing = transaction['billing_address'];
  return {
    reference,
    day: moment.slice(0, 10),
    values: {
      credential: read(textOf(transaction, 'payment_method_reference_id'), normaliseIdentifier),
      account: read(textOf(order, 'customer_account_id'), normaliseLogin),
      email: read(email, normaliseEmail),
      ip: read(textOf(order, 'device_ip_address'), normaliseIp),
      address: address ?? null,
      device,
      fingerprint,
      subscription: isOnly ? textOf(subscription, 'reference_id') : null,
    },
    descriptor: read(textOf(transaction, 'descriptor'), descriptorHead),
    country: isRecord(billing) ? read(textOf(billing, 'country'), countryCode) : null,
    traits: {
      ...NO_TRAITS,
      settled: settledAt !== null || SETTLED.test(status),
      failed: isNoMoney(status) || transaction['amount_in_cents'] === 0,
      product: entriesOf(order, 'items').some((item) => textOf(item, 'name') !== null),
      threeDSecure: transaction['three_d_secure_verified'] === true,
      delivery: deliveries.some(isProven),
      authorisedDay: settledAt === null,
      disputed: entriesOf(order, 'disputes').length > 0,
      deviceLength: device?.length ?? 0,
      fingerprintLength: fingerprint?.length ?? 0,
    },
  };
}

function read(value: string | null, normalise: (text: string) => string | null): string | null {
  return value === null ? null : normalise(value);
}

function isProven(delivery: Fields): boolean {
  return (
    textOf(delivery, 'physical_shipping_tracking_number') !== null ||
    textOf(delivery, 'physical_shipping_datetime_delivered') !== null ||
    textOf(delivery, 'physical_shipping_status') === 'DELIVERED' ||
    Object.entries(delivery).some(
      ([name, value]) =>
        name.startsWith('digital_') && value !== null && value !== '' && value !== ERASED,
    )
  );
}
