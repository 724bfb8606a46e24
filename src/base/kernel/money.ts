/**
 * Money: integer minor units with a currency, and nothing else.
 *
 * The interface calls the field `…_in_cents`, yet it means minor units: 5000 JPY is five thousand
 * yen and 5000 KWD is five dinars. Nothing here rounds; a number that is not a safe integer is no
 * amount.
 */

/** An amount in the minor unit of its currency. */
export interface Money {
  readonly amountMinor: number;
  /** ISO 4217, three upper-case letters. */
  readonly currency: string;
}

/** The largest amount Forestall moves: ten thousand million minor units. */
export const AMOUNT_MINOR_MAX = 10_000_000_000;

/** Whether `value` is an amount that may be moved: a safe integer from 1 to {@link AMOUNT_MINOR_MAX}. */
export function isMovableAmount(value: unknown): value is number {
  return (
    typeof value === 'number' &&
    Number.isSafeInteger(value) &&
    value >= 1 &&
    value <= AMOUNT_MINOR_MAX
  );
}

/** Whether `value` has the form of an ISO 4217 code. Lower case is not accepted. */
export function isCurrencyCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value);
}

/**
 * Currencies whose minor unit is not a hundredth, from ISO 4217. Not from `Intl`, which follows what
 * people write (no decimals in HUF or IDR) and would be wrong by a factor of a hundred there.
 */
export const DIGITS_OTHER_THAN_TWO: ReadonlyMap<string, number> = new Map([
  ...words('BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF', 0),
  ...words('BHD IQD JOD KWD LYD OMR TND', 3),
  ...words('CLF UYW', 4),
]);

function words(currencies: string, digits: number): [string, number][] {
  return currencies.split(' ').map((currency) => [currency, digits]);
}

/** How many decimal digits the currency's minor unit has: 0 for JPY, 2 for USD, 3 for KWD. */
export function minorUnitDigits(currency: string): number {
  return DIGITS_OTHER_THAN_TWO.get(currency) ?? 2;
}

/** The amount as a person reads it, for example `129.90 USD`, `5000 JPY`. Exact: no float is involved. */
export function formatMoney(money: Money): string {
  const digits = minorUnitDigits(money.currency);
  const negative = money.amountMinor < 0 ? '-' : '';
  const text = String(Math.abs(money.amountMinor)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const fraction = digits === 0 ? '' : `.${text.slice(text.length - digits)}`;
  return `${negative}${whole}${fraction} ${money.currency}`;
}
