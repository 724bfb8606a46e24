/**
 * Adyen's `{ value, currency }`, which counts a few currencies in units of its own.
 * https://docs.adyen.com/development-resources/currency-codes
 */
import { minorUnitDigits } from 'forestall';
import { integerAt, rescale, textAt } from 'forestall/adapter';

/** Decimal places of Adyen's units where they differ from ISO 4217. */
const ADYEN_DIGITS: ReadonlyMap<string, number> = new Map([
  ['CLP', 2],
  ['CVE', 0],
  ['IDR', 0],
  ['ISK', 2],
]);

/** An amount in minor units of ISO 4217. */
export interface AdyenAmount {
  readonly amountMinor: number;
  readonly currency: string;
}

/** Minor units of ISO 4217 as Adyen counts them; undefined when Adyen cannot express the amount. */
export function adyenValueOf(amountMinor: number, currency: string): number | undefined {
  return rescale(amountMinor, { from: minorUnitDigits(currency), to: adyenDigits(currency) });
}

/** The `amount` of an answer or a notification in minor units of ISO 4217, or null. */
export function amountOf(root: unknown): AdyenAmount | null {
  const currency = textAt(root, 'amount', 'currency');
  const value = integerAt(root, 'amount', 'value');
  if (currency === null || value === null) return null;
  const digits = { from: adyenDigits(currency), to: minorUnitDigits(currency) };
  const amountMinor = rescale(value, digits);
  return amountMinor === undefined ? null : { amountMinor, currency };
}

function adyenDigits(currency: string): number {
  return ADYEN_DIGITS.get(currency) ?? minorUnitDigits(currency);
}
