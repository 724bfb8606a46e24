/**
 * Amounts between Forestall, which counts the minor units of ISO 4217, and a provider, which writes
 * decimals or counts some currencies in units of its own.
 *
 * Everything is exact: an amount that a provider cannot express is undefined, never rounded.
 */
import { minorUnitDigits } from '../../base/kernel/money.ts';

/** Moves an integer amount from one number of decimal places to another; undefined when inexact or none. */
export function rescale(
  amount: number,
  digits: { readonly from: number; readonly to: number },
): number | undefined {
  if (!Number.isSafeInteger(amount)) return undefined;
  const shift = digits.to - digits.from;
  const factor = 10 ** Math.abs(shift);
  const result = shift >= 0 ? amount * factor : amount / factor;
  return Number.isSafeInteger(result) ? result : undefined;
}

/** Writes minor units as a decimal with exactly `digits` places; undefined when inexact. */
export function toDecimal(
  amountMinor: number,
  currency: string,
  digits: number = minorUnitDigits(currency),
): string | undefined {
  const amount = rescale(amountMinor, { from: minorUnitDigits(currency), to: digits });
  if (amount === undefined || amount < 0) return undefined;
  if (digits === 0) return String(amount);
  const text = String(amount).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

const DECIMAL = /^(\d{1,15})(?:\.(\d{1,4}))?$/;

/** Reads a decimal as minor units; null for a negative, a malformed or a too precise one. */
export function fromDecimal(text: string | null, currency: string): number | null {
  const parts = DECIMAL.exec(text ?? '');
  if (parts === null) return null;
  const fraction = parts[2] ?? '';
  const amount = Number(`${parts[1]}${fraction}`);
  return rescale(amount, { from: fraction.length, to: minorUnitDigits(currency) }) ?? null;
}

/** A provider's own way of counting money. */
export interface ProviderUnits {
  /** Decimal places of the currency's amounts at the provider. */
  digits(currency: string): number;
  /** The provider's amount as minor units of ISO 4217; null when it is none, or exact in none. */
  minorOf(amount: unknown, currency: string): number | null;
  /** Minor units as the provider counts them; undefined when it cannot express them. */
  amountOf(amountMinor: number, currency: string): number | undefined;
}

/** Whole numbers in units of the provider's own: the decimal places where they differ from ISO 4217. */
export function providerUnits(differing: Readonly<Record<string, number>>): ProviderUnits {
  const own = new Map(Object.entries(differing));
  const digits = (currency: string): number => own.get(currency) ?? minorUnitDigits(currency);
  return {
    digits,
    minorOf(amount, currency): number | null {
      if (typeof amount !== 'number') return null;
      return rescale(amount, { from: digits(currency), to: minorUnitDigits(currency) }) ?? null;
    },
    amountOf: (amountMinor, currency) =>
      rescale(amountMinor, { from: minorUnitDigits(currency), to: digits(currency) }),
  };
}
