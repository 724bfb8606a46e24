/**
 * What PayPal's words for a refused refund mean for what comes next. The same table with PayPal's
 * explanations is in this folder's README; a word that is not here is tried again.
 *
 * https://developer.paypal.com/docs/api/payments/v2/#captures_refund
 */
import type { FailureClass } from 'forestall';
import type { JsonObject, ProviderReply, Refusal } from 'forestall/adapter';
import { classOf, isDenial, isRefusal, objectsAt, textAt } from 'forestall/adapter';
import { payPalErrorCode } from './paypal-api.ts';

export const PAYPAL_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['PENDING_CAPTURE', 'retry'],
  ['REFUND_FAILED_INSUFFICIENT_FUNDS', 'retry'],
  ['invalid_token', 'retry'],
  ['AUTHENTICATION_FAILURE', 'ours'],
  ['CANNOT_BE_NEGATIVE', 'ours'],
  ['CANNOT_BE_ZERO_OR_NEGATIVE', 'ours'],
  ['CURRENCY_MISMATCH', 'ours'],
  ['DECIMALS_NOT_SUPPORTED', 'ours'],
  ['DECIMAL_PRECISION', 'ours'],
  ['INVALID_CURRENCY_CODE', 'ours'],
  ['INVALID_REQUEST', 'ours'],
  ['INVALID_RESOURCE_ID', 'ours'],
  ['NOT_AUTHORIZED', 'ours'],
  ['PAYEE_ACCOUNT_LOCKED_OR_CLOSED', 'ours'],
  ['PAYEE_ACCOUNT_RESTRICTED', 'ours'],
  ['PERMISSION_DENIED', 'ours'],
  ['REFUND_CAPTURE_CURRENCY_MISMATCH', 'ours'],
  ['REFUND_IS_RESTRICTED', 'ours'],
  ['RESOURCE_NOT_FOUND', 'ours'],
  ['invalid_client', 'ours'],
  ['MAX_NUMBER_OF_REFUNDS_EXCEEDED', 'final'],
  ['PARTIAL_REFUND_NOT_ALLOWED', 'final'],
  ['PAYER_ACCOUNT_LOCKED_OR_CLOSED', 'final'],
  ['REFUND_AMOUNT_TOO_LOW', 'final'],
  ['REFUND_NOT_ALLOWED', 'final'],
  ['REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK', 'final'],
  ['REFUND_TIME_EXCEEDED_FOR_PAYMENT_SOURCE', 'final'],
  ['REFUND_TIME_LIMIT_EXCEEDED', 'final'],
  ['TRANSACTION_DISPUTED', 'final'],
  ['CAPTURED_AMOUNT_FULLY_REFUNDED', 'done'],
  ['CAPTURE_FULLY_REFUNDED', 'done'],
  ['REFUND_AMOUNT_EXCEEDED', 'done'],
]);

/** Issues with an earlier request under the same id, which may have executed. */
const NOT_A_REFUSAL: ReadonlySet<string> = new Set([
  'PREVIOUS_REQUEST_IN_PROGRESS',
  'DUPLICATE_REQUEST_ID',
]);

function isAboutTheKey(body: JsonObject): boolean {
  const issues = objectsAt(body, 'details').map((detail) => textAt(detail, 'issue'));
  return [...issues, textAt(body, 'name')].some((word) => NOT_A_REFUSAL.has(word ?? ''));
}

/** What PayPal says of credentials, tokens and scopes that it does not accept. */
const DENIALS: ReadonlySet<string | null> = new Set([
  'AUTHENTICATION_FAILURE',
  'NOT_AUTHORIZED',
  'invalid_client',
  'invalid_token',
]);

/** The refusal in PayPal's own words, or null. Credentials that it does not accept are one: nothing began. */
export function refusalOf(reply: ProviderReply): Refusal | null {
  const code = payPalErrorCode(reply);
  if (reply.kind === 'silence' || code === null || isAboutTheKey(reply.body)) return null;
  // `error` alone is the word of its token service, and of many a gateway in between.
  const isTheirs = textAt(reply.body, 'name') !== null;
  if (isRefusal(reply.status) && isTheirs)
    return { code, failureClass: classOf(code, PAYPAL_CLASSES) };
  const said = textAt(reply.body, 'name') ?? textAt(reply.body, 'error');
  const isDenied = isDenial(reply.status) && DENIALS.has(said);
  return isDenied ? { code, failureClass: classOf(code, PAYPAL_CLASSES) } : null;
}
