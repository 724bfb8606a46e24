/** The demonstration merchant's shop: orders with their charges, as a small store would have them. */
import { randomInt } from 'node:crypto';
import type { OrderInput } from '../service/wire/order-input.ts';

/** What was bought: it decides what the demonstration policy does with an alert. */
export interface Product {
  readonly name: string;
  readonly priceMinor: number;
  readonly kind: 'digital' | 'subscription' | 'physical';
}

export const PRODUCTS = {
  font: { name: 'Font licence', priceMinor: 2_900, kind: 'digital' },
  course: { name: 'Evening course, 6 lessons', priceMinor: 8_400, kind: 'digital' },
  magazine: { name: 'Magazine, monthly', priceMinor: 1_290, kind: 'subscription' },
  lamp: { name: 'Desk lamp', priceMinor: 6_450, kind: 'physical' },
  bicycle: { name: 'Folding bicycle', priceMinor: 84_900, kind: 'physical' },
} as const satisfies Record<string, Product>;

/** The charge of an order, as the processor knows it. */
export interface DemoCharge {
  readonly reference: string;
  readonly amount_in_cents: number;
  readonly currency: string;
  readonly authorised_at: string;
  readonly order_reference: string;
  readonly card_brand: string;
  readonly card_bin: string;
  readonly card_last4: string;
  readonly acquirer_reference_number: string;
  readonly authorisation_code: string;
  readonly subscription_reference: string | null;
}

/** An order and the charge that paid it. */
export interface Sale {
  readonly order: OrderInput;
  readonly charge: DemoCharge;
}

/** What may be chosen about a sale; the rest is made up. */
export interface SaleWishes {
  readonly product: Product;
  /** Pay with the same card at the same time as this sale. */
  readonly twinOf?: Pick<Sale, 'charge'> | undefined;
  /**
   * Charges whose card and amount this sale must not share by chance: the service goes by these two alone where it
   * knows no number, and would name the other payment.
   */
  readonly unlike?: Iterable<PaidAlike>;
  /** When it was bought, in milliseconds since 1970. @default some day of the last twenty */
  readonly boughtAtMs?: number;
}

/** What two payments of one customer share. */
interface PaidAlike {
  readonly amount_in_cents: number;
  readonly card: { readonly last4: string | null };
}

/** Draws for digits that no other payment of the price has; of ten thousand there are, few are taken. */
const DRAWS_MAX = 1_000;

const DAY_MS = 86_400_000;
const FIRST_NAMES = ['Ada', 'Noor', 'Mateo', 'Ines', 'Kofi', 'Yuki', 'Lena', 'Tomás'];

/** Creates one sale, `nowMs` being the present. */
export function makeSale(wishes: SaleWishes, nowMs: number): Sale {
  const { product, twinOf, boughtAtMs } = wishes;
  const number = String(randomInt(100_000, 999_999));
  const reference = `order-${number}`;
  const boughtAt =
    twinOf?.charge.authorised_at ??
    new Date(boughtAtMs ?? nowMs - randomInt(1, 20) * DAY_MS).toISOString();
  const charge: DemoCharge = {
    reference: `ch_${number}${digits(6)}`,
    amount_in_cents: product.priceMinor,
    currency: 'USD',
    authorised_at: boughtAt,
    order_reference: reference,
    card_brand: twinOf?.charge.card_brand ?? (randomInt(2) === 0 ? 'SCHEME_A' : 'SCHEME_B'),
    card_bin: twinOf?.charge.card_bin ?? '411111',
    card_last4: twinOf?.charge.card_last4 ?? last4Of(wishes),
    acquirer_reference_number: digits(23),
    authorisation_code: digits(6),
    subscription_reference: product.kind === 'subscription' ? `sub_${number}` : null,
  };
  return { charge, order: orderOf({ reference, number, product, charge }) };
}

function last4Of({ product, unlike = [] }: SaleWishes): string {
  const taken = new Set<string>();
  for (const { amount_in_cents: minor, card } of unlike) {
    if (minor === product.priceMinor && card.last4 !== null) taken.add(card.last4);
  }
  for (let draw = 1; ; draw++) {
    const last4 = digits(4);
    if (!taken.has(last4) || draw === DRAWS_MAX) return last4;
  }
}

interface OrderParts {
  readonly reference: string;
  readonly number: string;
  readonly product: Product;
  readonly charge: DemoCharge;
}

function orderOf({ reference, number, product, charge }: OrderParts): OrderInput {
  const first = FIRST_NAMES[randomInt(FIRST_NAMES.length)] ?? 'Ada';
  const email = `${first.toLowerCase()}.${number}@customer.example`;
  return {
    type: 'COMPLETE',
    reference_id: reference,
    order_datetime: charge.authorised_at,
    order_number: number,
    order_subtotal_amount_in_cents: product.priceMinor,
    order_total_amount_in_cents: product.priceMinor,
    order_currency: 'USD',
    order_status: 'CLOSED_COMPLETE',
    customer_email: email,
    order_email: email,
    customer_first_name: first,
    customer_account_id: `acct-${number}`,
    merchant_name: 'Demo store',
    merchant_store_name: 'Demo store, online',
    merchant_contact_phone: '+1 202 555 0100',
    merchant_url: 'https://store.example',
    device_ip_address: `203.0.113.${randomInt(1, 254)}`,
    device_id: `device-${randomInt(2 ** 40)
      .toString(16)
      .padStart(15, 'd')}`,
    transactions: [
      {
        reference_id: charge.reference,
        amount_in_cents: charge.amount_in_cents,
        currency: charge.currency,
        payment_method_type: 'CARD',
        authorisation_status: 'SETTLED',
        authorised_at: charge.authorised_at,
        descriptor: 'DEMO STORE',
        acquirer_reference_number: charge.acquirer_reference_number,
        authorisation_code: charge.authorisation_code,
        payment_method_card_brand: charge.card_brand,
        payment_method_card_bin: charge.card_bin,
        payment_method_card_last_4: charge.card_last4,
      },
    ],
    items: [
      {
        reference_id: `${reference}:1`,
        name: product.name,
        price_in_cents: product.priceMinor,
        quantity: 1,
      },
    ],
    ...deliveryOf(reference, product, charge),
  };
}

function deliveryOf(
  reference: string,
  product: Product,
  charge: DemoCharge,
): Pick<OrderInput, 'deliveries' | 'subscriptions'> {
  if (product.kind === 'subscription') {
    return {
      subscriptions: [
        {
          reference_id: `${reference}:sub`,
          interval: 'MONTH',
          interval_price_in_cents: product.priceMinor,
          interval_currency: 'USD',
        },
      ],
    };
  }
  if (product.kind === 'digital')
    return { deliveries: [{ reference_id: `${reference}:d`, type: 'DIGITAL' }] };
  return {
    deliveries: [
      {
        reference_id: `${reference}:d`,
        type: 'PHYSICAL',
        physical_shipping_carrier: 'Demo Parcel',
        physical_shipping_tracking_number: `DP${digits(10)}`,
        physical_shipping_status: 'DELIVERED',
        physical_shipping_datetime_shipped: charge.authorised_at,
        physical_shipping_datetime_delivered: charge.authorised_at,
      },
    ],
  };
}

function digits(count: number): string {
  return Array.from({ length: count }, () => String(randomInt(10))).join('');
}
