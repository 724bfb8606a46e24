/**
 * Stripe's amounts, which count a few currencies in units of their own, and minor units of ISO 4217.
 * https://docs.stripe.com/currencies
 */
import { minorUnitDigits } from 'forestall';
import { rescale } from './amounts.ts';

/**
 * Decimal places of Stripe's units where they differ from ISO 4217.
 * https://docs.stripe.com/currencies#special-cases
 */
const STRIPE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['ISK', 2],
  ['MGA', 0],
  ['UGX', 2],
]);

/** Stripe's amount as minor units of ISO 4217, or null. */
export function minorOf(amount: number | null, currency: string): number | null {
  if (amount === null) return null;
  return rescale(amount, { from: stripeDigits(currency), to: minorUnitDigits(currency) }) ?? null;
}

/**
 * Minor units of ISO 4217 as Stripe counts them; undefined when Stripe cannot express the amount. Of
 * amounts with three decimals it takes those that end in 0.
 */
export function stripeAmountOf(amountMinor: number, currency: string): number | undefined {
  const digits = stripeDigits(currency);
  if (digits === 3 && amountMinor % 10 !== 0) return undefined;
  return rescale(amountMinor, { from: minorUnitDigits(currency), to: digits });
}

/** Decimal places of the currency's amounts at Stripe. */
export function stripeDigits(currency: string): number {
  return STRIPE_DIGITS.get(currency) ?? minorUnitDigits(currency);
}
