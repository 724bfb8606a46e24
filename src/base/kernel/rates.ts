/**
 * Conversion by the merchant's own rate table: exact, without a float, and never by a rate that the
 * table does not hold.
 */
import type { Money } from './money.ts';
import { minorUnitDigits } from './money.ts';

/** What one whole unit of each currency is worth in the base currency, in 10⁻¹⁰. */
export type RateTable = ReadonlyMap<string, bigint>;

/** An amount in another currency. */
export interface Converted {
  /**
   * For comparing with whole minor units: the amount itself, or, where it lies between two minor
   * units, the lower one and a half. Every comparison then comes out as with the exact amount.
   */
  readonly comparable: number;
  /** Rounded to the nearest minor unit, for a sentence. */
  readonly shown: Money;
}

/** Converts; null when the table lacks one of the currencies. Pure. */
export function convert(money: Money, currency: string, rates: RateTable): Converted | null {
  const [from, to] = [rates.get(money.currency), rates.get(currency)];
  if (from === undefined || to === undefined) return null;
  const above = BigInt(money.amountMinor) * from * 10n ** BigInt(minorUnitDigits(currency));
  const below = to * 10n ** BigInt(minorUnitDigits(money.currency));
  const whole = above / below;
  const comparable = Number(whole) + (above % below === 0n ? 0 : 0.5);
  const amountMinor = Number((2n * above + below) / (2n * below));
  return { comparable, shown: { amountMinor, currency } };
}
