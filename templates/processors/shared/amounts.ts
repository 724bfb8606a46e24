/**
 * Amounts between Forestall, which counts the minor units of ISO 4217, and a provider, which writes
 * decimals or counts some currencies in units of its own.
 *
 * Everything is exact: an amount that a provider cannot express is undefined, never rounded.
 */

/**
 * Decimal places of the currencies whose minor unit is not a hundredth, from ISO 4217. Written down
 * because `Intl` follows display habits instead: it gives 0 for HUF and IDR.
 */
const ISO_DIGITS: ReadonlyMap<string, number> = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI'].map(zero),
  ...['VND', 'VUV', 'XAF', 'XOF', 'XPF'].map(zero),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map(three),
  ['CLF', 4],
  ['UYW', 4],
]);

function zero(currency: string): [string, number] {
  return [currency, 0];
}

function three(currency: string): [string, number] {
  return [currency, 3];
}

/** How many decimal places the currency's minor unit has. */
export function isoDigits(currency: string): number {
  return ISO_DIGITS.get(currency) ?? 2;
}

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
  digits: number = isoDigits(currency),
): string | undefined {
  const amount = rescale(amountMinor, { from: isoDigits(currency), to: digits });
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
  return rescale(amount, { from: fraction.length, to: isoDigits(currency) }) ?? null;
}
