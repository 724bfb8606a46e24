/**
 * Stripe's amounts, which count a few currencies in units of their own, and minor units of ISO 4217.
 * https://docs.stripe.com/currencies#special-cases
 */
import { providerUnits } from 'forestall/adapter';

const UNITS = providerUnits({ ISK: 2, MGA: 0, UGX: 2 });

/** Stripe's amount as minor units of ISO 4217, or null. */
export const minorOf = UNITS.minorOf;

/** Decimal places of the currency's amounts at Stripe. */
export const stripeDigits = UNITS.digits;

/** Minor units as Stripe counts them; undefined when it cannot express them: three decimals must end in 0. */
export function stripeAmountOf(amountMinor: number, currency: string): number | undefined {
  const isCut = stripeDigits(currency) === 3 && amountMinor % 10 !== 0;
  return isCut ? undefined : UNITS.amountOf(amountMinor, currency);
}
