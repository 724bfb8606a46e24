/**
 * What Mollie's refusals mean for what comes next. Mollie has no error codes: the word is the status and
 * the field that the error is about. The same table is in this folder's README.
 *
 * https://docs.mollie.com/reference/handling-errors
 */
import type { FailureClass } from 'forestall';
import type { ProviderReply, Refusal } from 'forestall/adapter';
import { classOf, isDenial, isRefusal } from 'forestall/adapter';
import { mollieErrorCode } from './mollie-api.ts';

export const MOLLIE_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['400', 'ours'],
  ['401', 'ours'],
  ['403', 'ours'],
  ['404', 'ours'],
  ['422:amount.currency', 'ours'],
  ['422:description', 'ours'],
  ['422:metadata', 'ours'],
  ['canceled', 'final'],
  ['failed', 'final'],
  ['422:amount', 'done'],
]);

/**
 * The refusal in Mollie's own words, or null. 409 is none: Mollie takes the refund for a second one like an
 * earlier one, which may be ours.
 */
export function refusalOf(reply: ProviderReply): Refusal | null {
  const code = mollieErrorCode(reply);
  if (code === null || reply.kind === 'silence') return null;
  if (!isRefusal(reply.status) && !isDenial(reply.status)) return null;
  return { code, failureClass: classOf(code, MOLLIE_CLASSES) };
}
