/**
 * A Stripe charge as an order of the service's.
 *
 * Hand it over when the charge was captured (`charge.succeeded` with `captured`, else `charge.captured`),
 * with `payment_intent`, `invoice` and `refunds` expanded where you have them, and again after a refund. What
 * only your shop knows, items and delivery above all, goes into `known`: without it alerts are matched, but
 * receipts stay thin.
 * https://docs.stripe.com/api/charges/object
 */
import type { OrderInput } from 'forestall';
import { uncheckedOrder } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import { integerAt, isObject, objectsAt, textAt, valueAt } from 'forestall/adapter';
import { minorOf } from '../shared/stripe-amounts.ts';

/** The order, or the reason why the charge makes none. `known` wins over what Stripe says. */
export function orderFromStripe(charge: unknown, known: JsonObject = {}): OrderInput | string {
  const reference = textAt(charge, 'id');
  const currency = textAt(charge, 'currency')?.toUpperCase() ?? null;
  const isCaptured = valueAt(charge, 'captured') === true;
  // What was captured is what the customer's statement shows: less than authorised, or more with a tip.
  const counted = integerAt(charge, isCaptured ? 'amount_captured' : 'amount');
  const at = timeAt(charge);
  if (reference === null || currency === null || counted === null || at === null) {
    return 'it is no charge';
  }
  if (textAt(charge, 'status') === 'failed') return 'it failed';
  const amount = minorOf(counted, currency);
  const refunds = refundsOf(charge, reference, currency);
  if (amount === null || refunds === null) return 'its amount is no whole number of minor units';
  const orderReference = textAt(charge, 'metadata', 'order_id') ?? reference;
  const email = textAt(charge, 'billing_details', 'email') ?? textAt(charge, 'receipt_email');
  return uncheckedOrder({
    reference_id: orderReference,
    order_datetime: at,
    order_number: orderReference,
    order_subtotal_amount_in_cents: amount,
    order_total_amount_in_cents: amount,
    order_currency: currency,
    order_status: isCaptured ? 'CLOSED_COMPLETE' : 'OPEN_PENDING',
    order_email: email,
    order_phone: textAt(charge, 'billing_details', 'phone'),
    customer_email: email,
    customer_account_id: textAt(charge, 'customer') ?? textAt(charge, 'customer', 'id'),
    transactions: [transactionOf(charge, { reference, amount, currency, at, isCaptured })],
    refunds,
    ...known,
  });
}

interface Facts {
  readonly reference: string;
  readonly amount: number;
  readonly currency: string;
  readonly at: string;
  readonly isCaptured: boolean;
}

function transactionOf(charge: unknown, facts: Facts): JsonObject {
  const card = valueAt(charge, 'payment_method_details', 'card');
  const isSettled = facts.isCaptured && textAt(charge, 'status') === 'succeeded';
  return {
    // The same reference that your processor adapter refunds by.
    reference_id: facts.reference,
    amount_in_cents: facts.amount,
    currency: facts.currency,
    payment_method_type: textAt(charge, 'payment_method_details', 'type')?.toUpperCase() ?? null,
    authorisation_status: isSettled ? 'SETTLED' : null,
    authorised_at: facts.at,
    descriptor: textAt(charge, 'calculated_statement_descriptor'),
    authorisation_code: textAt(card, 'authorization_code'),
    cvc_verified: passed(textAt(card, 'checks', 'cvc_check'), 'pass'),
    three_d_secure_verified: passed(textAt(card, 'three_d_secure', 'result'), 'authenticated'),
    // The same for every payment with one card number: what evidence is compared by.
    payment_method_reference_id: textAt(card, 'fingerprint'),
    payment_method_card_brand: textAt(card, 'brand'),
    payment_method_card_bin: textAt(card, 'iin'),
    payment_method_card_last_4: textAt(card, 'last4'),
    billing_address: addressOf(valueAt(charge, 'billing_details', 'address')),
  };
}

/** Null where Stripe shows no result. */
function passed(result: string | null, word: string): boolean | null {
  return result === null ? null : result === word;
}

function addressOf(address: unknown): JsonObject | null {
  if (!isObject(address)) return null;
  return {
    line_1: textAt(address, 'line1'),
    city: textAt(address, 'city'),
    country_subdivision: textAt(address, 'state'),
    postal_code: textAt(address, 'postal_code'),
    country: textAt(address, 'country'),
  };
}

/**
 * Those that succeeded, where the list is expanded; null when an amount cannot be read. Up to API version
 * 2024-06-20 Stripe also lists what a partial capture released, which never was the customer's: one of just
 * that amount is left out, because a refund that did not happen must not be reported.
 */
function refundsOf(charge: unknown, reference: string, currency: string): JsonObject[] | null {
  const captured = integerAt(charge, 'amount_captured') ?? 0;
  const released = (integerAt(charge, 'amount') ?? 0) - captured;
  const refunds: JsonObject[] = [];
  for (const refund of objectsAt(charge, 'refunds', 'data')) {
    if (textAt(refund, 'status') !== 'succeeded') continue;
    if (released > 0 && integerAt(refund, 'amount') === released) continue;
    const amount = minorOf(integerAt(refund, 'amount'), currency);
    if (amount === null) return null;
    refunds.push({
      reference_id: textAt(refund, 'id'),
      amount_in_cents: amount,
      currency,
      status: 'SUCCEEDED',
      original_transaction_reference_id: reference,
      refund_datetime: timeAt(refund),
    });
  }
  return refunds;
}

function timeAt(root: unknown): string | null {
  const seconds = integerAt(root, 'created');
  return seconds === null ? null : new Date(seconds * 1_000).toISOString();
}
