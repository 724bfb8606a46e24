/**
 * A Stripe charge as an order of the service's.
 *
 * Hand it over when the charge succeeds (`charge.succeeded`), with `payment_intent` and `invoice`
 * expanded where you have them. What only your shop knows, items and delivery above all, goes into
 * `known`: without it alerts are matched, but receipts stay thin.
 * https://docs.stripe.com/api/charges/object
 */
import { minorUnitDigits } from 'forestall';
import { rescale } from '../shared/amounts.ts';
import type { JsonObject } from '../shared/json.ts';
import { integerAt, textAt } from '../shared/json.ts';

/** Stripe counts these in hundredths, though ISO 4217 gives them other minor units. */
const STRIPE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['ISK', 2],
  ['UGX', 2],
]);

/** The order, or the reason why the charge makes none. `known` wins over what Stripe says. */
export function orderFromStripe(charge: unknown, known: JsonObject = {}): JsonObject | string {
  const reference = textAt(charge, 'id');
  const currency = textAt(charge, 'currency')?.toUpperCase() ?? null;
  const counted = integerAt(charge, 'amount');
  const createdSeconds = integerAt(charge, 'created');
  if (reference === null || currency === null || counted === null || createdSeconds === null) {
    return 'it is no charge';
  }
  const digits = {
    from: STRIPE_DIGITS.get(currency) ?? minorUnitDigits(currency),
    to: minorUnitDigits(currency),
  };
  const amount = rescale(counted, digits);
  if (amount === undefined) return 'its amount is no whole number of minor units';
  const at = new Date(createdSeconds * 1_000).toISOString();
  const orderReference = textAt(charge, 'metadata', 'order_id') ?? reference;
  return {
    reference_id: orderReference,
    order_datetime: at,
    order_number: orderReference,
    order_subtotal_amount_in_cents: amount,
    order_total_amount_in_cents: amount,
    order_currency: currency,
    order_status: 'CLOSED_COMPLETE',
    customer_email: textAt(charge, 'billing_details', 'email'),
    customer_account_id: textAt(charge, 'customer'),
    transactions: [transactionOf(charge, { reference, amount, currency, at })],
    ...known,
  };
}

interface Facts {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly at: string;
}

function transactionOf(charge: unknown, { reference, amount, currency, at }: Facts): JsonObject {
  const card = 'payment_method_details';
  return {
    // The same reference that your processor adapter refunds by.
    reference_id: reference,
    amount_in_cents: amount,
    currency,
    payment_method_type: textAt(charge, card, 'type')?.toUpperCase() ?? null,
    authorisation_status: textAt(charge, 'status') === 'succeeded' ? 'SETTLED' : null,
    authorised_at: at,
    descriptor: textAt(charge, 'calculated_statement_descriptor'),
    authorisation_code: textAt(charge, card, 'card', 'authorization_code'),
    payment_method_card_brand: textAt(charge, card, 'card', 'brand'),
    payment_method_card_bin: textAt(charge, card, 'card', 'iin'),
    payment_method_card_last_4: textAt(charge, card, 'card', 'last4'),
    billing_address: {
      line_1: textAt(charge, 'billing_details', 'address', 'line1'),
      city: textAt(charge, 'billing_details', 'address', 'city'),
      postal_code: textAt(charge, 'billing_details', 'address', 'postal_code'),
      country: textAt(charge, 'billing_details', 'address', 'country'),
    },
  };
}
