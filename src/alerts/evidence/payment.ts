/** A payment as it is judged: its elements as hashes, and what else is known of it. */
import type { Traits } from '../../orders/traits.ts';

/** What two payments may have in common. */
export const ELEMENTS = ['account', 'email', 'ip', 'address', 'device', 'fingerprint'] as const;
export type Element = (typeof ELEMENTS)[number];

export interface Payment {
  readonly reference: string;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly values: Readonly<Record<Element, string | null>>;
  /** Without one it cannot be said which other payments were made with the same card. */
  readonly credential: string | null;
  readonly subscription: string | null;
  /** The address of the first payment of the subscription, where this is a later one. */
  readonly firstIp: string | null;
  readonly descriptor: string | null;
  readonly country: string | null;
  readonly traits: Traits;
}

/** An earlier payment with the same credential. */
export interface EarlierPayment extends Payment {
  readonly history: PaymentHistory;
}

/** What was ever reported about a payment. */
export interface PaymentHistory {
  readonly disputed: boolean;
  readonly fraud: boolean;
  /** Something was reported and taken back. */
  readonly revoked: boolean;
}

/** What the judgement is about. */
export interface Subject {
  readonly kind: 'alert' | 'lookup' | 'scheme_notice' | 'representment';
  readonly id: string;
  /** The scheme's token; null: not told. */
  readonly scheme: string | null;
  readonly reason: string | null;
  /** The day of the dispute, or the day on which we were told of it. */
  readonly day: string;
  /** A fraud report without a dispute. */
  readonly isFraudNotice: boolean;
}

/** `elsewhere`: the programme is not about such a dispute. */
export type Verdict = 'qualifies' | 'edge' | 'not' | 'elsewhere';

/** How an order calls what it would have to say. */
export const FIELD_OF = {
  credential: 'transactions[].payment_method_reference_id',
  account: 'customer_account_id',
  email: 'customer_email',
  ip: 'device_ip_address',
  address: 'deliveries[].physical_shipping_address',
  device: 'device_id',
  fingerprint: 'device_fingerprint',
  product: 'items[].name',
  descriptor: 'transactions[].descriptor',
  settled: 'transactions[].settlement_datetime',
  delivery: 'deliveries[].physical_shipping_tracking_number',
  country: 'transactions[].billing_address.country',
} as const;

const MS_PER_DAY = 86_400_000;

/** Whole days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / MS_PER_DAY);
}

const RANK = { qualifies: 0, edge: 1, not: 2, elsewhere: 3 } as const;

/** The worse of two. */
export function worse(a: Verdict, b: Verdict): Verdict {
  return RANK[a] >= RANK[b] ? a : b;
}

/** Something to judge, and the payment that it is about. */
export interface KnownSubject {
  readonly subject: Subject;
  readonly chargeReference: string;
}
