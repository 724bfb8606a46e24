/**
 * Calls Shopify's GraphQL Admin API, which answers HTTP 200 also when it refuses.
 * https://shopify.dev/docs/api/admin-graphql
 */
import type { JsonObject } from 'forestall/adapter';
import { callProvider, isObject, objectsAt, reasonFor, textAt } from 'forestall/adapter';

/** The version whose published schema the calls were held against; each is served for a year. */
export const API_VERSION = '2026-10';

export interface ShopifyAccess {
  /** `<shop>.myshopify.com`. */
  readonly shop: string;
  /** Of an app with the scopes `read_orders` and `write_orders`; `read_all_orders` for orders older than 60 days. */
  readonly accessToken: string;
}

/** How a call ended. With both data and errors the data counts first: a mutation may have executed. */
export type ShopifyReply =
  | {
      readonly kind: 'answer';
      readonly data: JsonObject;
      /** The codes of the errors; null for one without. */
      readonly errors: readonly (string | null)[];
    }
  | { readonly kind: 'silence'; readonly reason: string };

export type ShopifyCall = (
  operation: { readonly query: string; readonly variables: JsonObject },
  signal?: AbortSignal,
) => Promise<ShopifyReply>;

export function createShopifyCall({ shop, accessToken }: ShopifyAccess): ShopifyCall {
  const url = `https://${shop}/admin/api/${API_VERSION}/graphql.json`;
  const headers = { 'x-shopify-access-token': accessToken, 'content-type': 'application/json' };
  return async (operation, signal): Promise<ShopifyReply> => {
    const request = { method: 'POST' as const, url, headers, body: JSON.stringify(operation) };
    const reply = await callProvider(request, signal);
    if (reply.kind === 'silence') return reply;
    const { body } = reply;
    const isGraphql = isObject(body['data']) || Array.isArray(body['errors']);
    if (reply.status !== 200 || !isGraphql) return { kind: 'silence', reason: reasonFor(reply) };
    const data = isObject(body['data']) ? body['data'] : {};
    const errors = objectsAt(body, 'errors').map((error) => textAt(error, 'extensions', 'code'));
    return { kind: 'answer', data, errors };
  };
}

/** Why the reply is no usable answer, for a person. */
export function shopifyReason(reply: ShopifyReply): string {
  if (reply.kind === 'silence') return reply.reason;
  const [first] = reply.errors;
  if (first === undefined) return 'the answer shows nothing readable';
  return first === null ? 'Shopify reports an unnamed error' : `Shopify reports ${first}`;
}
