/**
 * What Shopify's words for a refused or failed refund mean for what comes next. The same table with
 * Shopify's explanations is in this folder's README.
 */
import type { FailureClass } from 'forestall';
import type { JsonObject, Refusal } from 'forestall/adapter';
import { classOf, objectsAt, textAt } from 'forestall/adapter';
import type { ShopifyReply } from './shopify-api.ts';

export const SHOPIFY_CLASSES: ReadonlyMap<string, FailureClass> = new Map([
  ['THROTTLED', 'retry'],
  ['USER_ERROR', 'retry'],
  ['ACCESS_DENIED', 'ours'],
  ['MAX_COST_EXCEEDED', 'ours'],
  ['SHOP_INACTIVE', 'ours'],
  ['CONFIG_ERROR', 'ours'],
  ['MERCHANT_ACCOUNT_ERROR', 'ours'],
  ['PAYMENT_METHOD_UNSUPPORTED', 'final'],
]);

/** Errors with which nothing was begun. An internal error is none of them. */
const NOT_BEGUN: ReadonlySet<string | null> = new Set([
  'THROTTLED',
  'ACCESS_DENIED',
  'MAX_COST_EXCEEDED',
  'SHOP_INACTIVE',
]);

/** The refusal that an answer proves, or null: every one of its errors must say that nothing was refunded. */
export function refusalOf(reply: ShopifyReply): Refusal | null {
  if (reply.kind === 'silence') return null;
  const [code] = reply.errors;
  if (code !== undefined && code !== null) {
    const isProven = reply.errors.every((each) => NOT_BEGUN.has(each));
    return isProven ? { code, failureClass: classOf(code, SHOPIFY_CLASSES) } : null;
  }
  const stated = objectsAt(reply.data, 'refundCreate', 'userErrors');
  if (reply.errors.length > 0 || stated.length === 0 || stated.some(isAboutTheKey)) return null;
  return { code: 'USER_ERROR', failureClass: classOf('USER_ERROR', SHOPIFY_CLASSES) };
}

/**
 * Errors of a refund have no codes. One about the key says that an earlier request carried it, or still
 * runs: what became of that has to be looked up.
 */
function isAboutTheKey(error: JsonObject): boolean {
  return /idempoten|in progress|previous attempt/i.test(textAt(error, 'message') ?? 'in progress');
}
