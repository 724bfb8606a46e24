/**
 * What Stripe's words for a refused or failed refund mean for what comes next. The same table with
 * Stripe's explanations is in this folder's README; a word that is not here is tried again.
 *
 * https://docs.stripe.com/error-codes, https://docs.stripe.com/refunds#failed-refunds
 */
import type { FailureClass } from 'forestall';
import { textAt } from '../../shared/json.ts';
import type { Refusal } from '../shared/outcome.ts';
import { classOf } from '../shared/outcome.ts';
import type { ProviderReply } from '../shared/provider-call.ts';
import { isDenial, isRefusal } from '../shared/provider-call.ts';

export const STRIPE_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['balance_insufficient', 'retry'],
  ['insufficient_funds', 'retry'],
  ['account_invalid', 'ours'],
  ['api_key_expired', 'ours'],
  ['livemode_mismatch', 'ours'],
  ['more_permissions_required', 'ours'],
  ['parameter_invalid_empty', 'ours'],
  ['parameter_invalid_integer', 'ours'],
  ['parameter_missing', 'ours'],
  ['parameter_unknown', 'ours'],
  ['platform_api_key_expired', 'ours'],
  ['resource_missing', 'ours'],
  ['secret_key_required', 'ours'],
  ['testmode_charges_only', 'ours'],
  ['amount_too_small', 'final'],
  ['canceled', 'final'],
  ['charge_disputed', 'final'],
  ['charge_for_pending_refund_disputed', 'final'],
  ['charge_not_refundable', 'final'],
  ['declined', 'final'],
  ['expired_or_canceled_card', 'final'],
  ['lost_or_stolen_card', 'final'],
  ['merchant_request', 'final'],
  ['refund_disputed_payment', 'final'],
  ['amount_too_large', 'done'],
  ['charge_already_refunded', 'done'],
]);

/** What Stripe says of a key that it does not accept; such an answer may also name no code at all. */
const DENIALS: ReadonlySet<string> = new Set([
  'account_invalid',
  'api_key_expired',
  'more_permissions_required',
  'platform_api_key_expired',
  'secret_key_required',
]);

/**
 * The refusal in Stripe's own words, or null. `idempotency_error` is none: the key was used with other
 * parameters, so a refund under it may exist. A key that Stripe does not accept is one: nothing began.
 * https://docs.stripe.com/error-low-level
 */
export function refusalOf(reply: ProviderReply): Refusal | null {
  if (reply.kind === 'silence') return null;
  const type = textAt(reply.body, 'error', 'type');
  if (type !== 'invalid_request_error' && type !== 'card_error') return null;
  const code = textAt(reply.body, 'error', 'code') ?? type;
  if (isRefusal(reply.status)) return { code, failureClass: classOf(code, STRIPE_CLASSES) };
  const isDenied = isDenial(reply.status) && (code === type || DENIALS.has(code));
  return isDenied ? { code, failureClass: 'ours' } : null;
}
