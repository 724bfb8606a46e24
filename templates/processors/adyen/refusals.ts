/**
 * What Adyen's words for a refused refund mean for what comes next: the codes of its answers and the
 * reasons in its notifications. The same table is in this folder's README; other words are tried again.
 *
 * https://docs.adyen.com/development-resources/error-codes
 */
import type { FailureClass } from 'forestall';
import type { ProviderReply, Refusal } from 'forestall/adapter';
import { classOf, isDenial, isRefusal, textAt } from 'forestall/adapter';

/** Reasons are compared in lower case: Adyen does not promise their spelling. */
export const ADYEN_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['000', 'ours'],
  ['010', 'ours'],
  ['100', 'ours'],
  ['137', 'ours'],
  ['138', 'ours'],
  ['167', 'ours'],
  ['702', 'ours'],
  ['901', 'ours'],
  ['modification in different currency than authorisation', 'ours'],
  ['transaction not found', 'ours'],
  ['only possible to refund the full amount', 'final'],
  ['transaction is expired', 'final'],
  ['insufficient balance on payment', 'done'],
]);

/** The class of a code or of a notification's reason. */
export function adyenClassOf(word: string): FailureClass {
  return classOf(word.toLowerCase(), ADYEN_CLASSES);
}

/** The key's request is under way, or was processed while this one was asked. */
const KEY_IN_USE = '704';

/**
 * The refusal in Adyen's own words, or null. `transient-error` marks answers that another attempt under
 * the same key may overturn. Credentials that Adyen does not accept are a refusal: nothing began.
 * https://docs.adyen.com/development-resources/api-idempotency#error-handling
 */
export function refusalOf(reply: ProviderReply): Refusal | null {
  if (reply.kind === 'silence' || reply.headers.get('transient-error') === 'true') return null;
  const code = textAt(reply.body, 'errorCode');
  if (code === null || code === KEY_IN_USE) return null;
  if (isRefusal(reply.status)) return { code, failureClass: adyenClassOf(code) };
  const isDenied = isDenial(reply.status) && textAt(reply.body, 'errorType') === 'security';
  return isDenied ? { code, failureClass: 'ours' } : null;
}
