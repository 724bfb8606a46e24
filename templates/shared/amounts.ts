/**
 * Amounts between Forestall, which counts the minor units of ISO 4217, and a provider, which writes
 * decimals or counts some currencies in units of its own.
 *
 * Everything is exact: an amount that a provider cannot express is undefined, never rounded.
 */
import { minorUnitDigits } from 'forestall';

/** Moves an integer amount from one number of decimal places to another; undefined when inexact. */
export function rescale(
  amount: number,
  digits: { readonly from: number; readonly to: number },
): number | undefined {
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
