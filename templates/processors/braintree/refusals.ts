/**
 * What Braintree's words for a refused or failed refund mean for what comes next. The same table with
 * Braintree's explanations is in this folder's README.
 *
 * https://developer.paypal.com/braintree/docs/reference/general/validation-errors/all
 */
import type { FailureClass } from 'forestall';
import type { Refusal } from 'forestall/adapter';
import { classOf } from 'forestall/adapter';
import type { BraintreeReply } from './braintree-api.ts';

/**
 * The validations that concern the refund itself, the error classes that stop a call before it begins,
 * and the states of a failed refund. Another validation leaves it open: a key that is in use by a
 * request under way, or was used with other values, is refused as VALIDATION too.
 * https://developer.paypal.com/braintree/graphql/reference/types/refund-transaction-input
 */
export const BRAINTREE_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['91506', 'retry'],
  ['91563', 'retry'],
  ['91574', 'retry'],
  ['915201', 'retry'],
  ['81501', 'ours'],
  ['81502', 'ours'],
  ['81503', 'ours'],
  ['81528', 'ours'],
  ['81531', 'ours'],
  ['91538', 'ours'],
  ['91547', 'ours'],
  ['91559', 'ours'],
  ['AUTHENTICATION', 'ours'],
  ['AUTHORIZATION', 'ours'],
  ['NOT_FOUND', 'ours'],
  ['91505', 'final'],
  ['915200', 'final'],
  ['VOIDED', 'final'],
  ['91512', 'done'],
  ['91521', 'done'],
]);

/** Classes of errors with which nothing was begun, whatever their code. */
const NOT_BEGUN: ReadonlySet<string | null> = new Set([
  'AUTHENTICATION',
  'AUTHORIZATION',
  'NOT_FOUND',
]);

/** The refusal that an answer proves, or null: every one of its errors must say that nothing was refunded. */
export function refusalOf(reply: BraintreeReply): Refusal | null {
  if (reply.kind === 'silence') return null;
  const words = reply.errors.map(({ errorClass, legacyCode }) =>
    NOT_BEGUN.has(errorClass) ? errorClass : legacyCode,
  );
  const [code] = words;
  if (code === undefined || code === null) return null;
  const isProven = words.every((word) => word !== null && BRAINTREE_CLASSES.has(word));
  return isProven ? { code, failureClass: classOf(code, BRAINTREE_CLASSES) } : null;
}
