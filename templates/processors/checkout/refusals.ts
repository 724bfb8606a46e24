/**
 * What Checkout.com's refusals mean for what comes next. The same table is in this folder's README; a word
 * that is not here is tried again.
 *
 * https://www.checkout.com/docs/developer-resources/codes/error-codes
 */
import type { FailureClass } from 'forestall';
import type { ProviderReply, Refusal } from 'forestall/adapter';
import { classOf, isDenial, isRefusal } from 'forestall/adapter';
import { checkoutErrorCode } from './checkout-api.ts';

export const CHECKOUT_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['403', 'retry'],
  ['api_calls_quota_exceeded', 'retry'],
  ['401', 'ours'],
  ['404', 'ours'],
  ['amount_invalid', 'ours'],
  ['business_invalid', 'ours'],
  ['business_settings_missing', 'ours'],
  ['amount_exceeds_balance', 'done'],
]);

/** The refusal in Checkout.com's own words, or null. 409 is a key that is in use: the refund may be made. */
export function refusalOf(reply: ProviderReply): Refusal | null {
  const code = checkoutErrorCode(reply);
  if (code === null || reply.kind === 'silence') return null;
  if (!isRefusal(reply.status) && !isDenial(reply.status)) return null;
  return { code, failureClass: classOf(code, CHECKOUT_CLASSES) };
}
