/**
 * Yes-or-no facts about a payment, and the lengths of its identifiers, in one number: a row of the
 * index has to stay small. Bits are never given another meaning, because rows are kept for 530
 * days.
 */

/** One bit each. */
export const TRAIT = {
  /** The order says that it was settled. */
  settled: 1,
  /** Declined, voided, or for nothing: no payment that counts. */
  failed: 2,
  /** The order names what was sold. */
  product: 4,
  threeDSecure: 8,
  /** A parcel with its number, or a download that was noted. */
  delivery: 16,
  /** The day is that of the authorisation: the order does not say when it was settled. */
  authorisedDay: 32,
  /** Noted before the rows that show it are deleted. */
  disputed: 64,
  fraud: 128,
} as const;

/** What an order cannot take back. */
export const HISTORY_TRAITS = TRAIT.disputed | TRAIT.fraud;

const DEVICE_SHIFT = 12;
const FINGERPRINT_SHIFT = 20;
const LENGTH_MAX = 255;

/** A payment's traits, read. */
export interface Traits {
  readonly settled: boolean;
  readonly failed: boolean;
  readonly product: boolean;
  readonly threeDSecure: boolean;
  readonly delivery: boolean;
  readonly authorisedDay: boolean;
  readonly disputed: boolean;
  readonly fraud: boolean;
  /** Characters; 0 without one, and 255 for any longer one. */
  readonly deviceLength: number;
  readonly fingerprintLength: number;
}

/** Nothing is said. */
export const NO_TRAITS: Traits = {
  settled: false,
  failed: false,
  product: false,
  threeDSecure: false,
  delivery: false,
  authorisedDay: false,
  disputed: false,
  fraud: false,
  deviceLength: 0,
  fingerprintLength: 0,
};

/** As it is stored. */
export function packTraits(traits: Traits): number {
  const bit = (name: keyof typeof TRAIT): number => (traits[name] ? TRAIT[name] : 0);
  return (
    bit('settled') |
    bit('failed') |
    bit('product') |
    bit('threeDSecure') |
    bit('delivery') |
    bit('authorisedDay') |
    bit('disputed') |
    bit('fraud') |
    (Math.min(traits.deviceLength, LENGTH_MAX) << DEVICE_SHIFT) |
    (Math.min(traits.fingerprintLength, LENGTH_MAX) << FINGERPRINT_SHIFT)
  );
}

/** As it was stored. */
export function unpackTraits(packed: number): Traits {
  const has = (name: keyof typeof TRAIT): boolean => (packed & TRAIT[name]) !== 0;
  return {
    settled: has('settled'),
    failed: has('failed'),
    product: has('product'),
    threeDSecure: has('threeDSecure'),
    delivery: has('delivery'),
    authorisedDay: has('authorisedDay'),
    disputed: has('disputed'),
    fraud: has('fraud'),
    deviceLength: (packed >> DEVICE_SHIFT) & LENGTH_MAX,
    fingerprintLength: (packed >> FINGERPRINT_SHIFT) & LENGTH_MAX,
  };
}
