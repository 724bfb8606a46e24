/**
 * Calls Checkout.com's API. Some of its answers have no body: what tells that Checkout.com itself spoke,
 * and no gateway in between, is the header with its id of the request.
 *
 * https://www.checkout.com/docs/developer-resources/api/api-endpoints
 */
import type { JsonObject, ProviderReply } from 'forestall/adapter';
import { callProvider, isObject, textAt, valueAt } from 'forestall/adapter';

export interface CheckoutAccess {
  /** `sk_…` or `sk_sbox_…` that may read payments and disputes, and refund; not of the former platform. */
  readonly secretKey: string;
  /** Yours: `https://<prefix>.api.checkout.com`, or `https://<prefix>.api.sandbox.checkout.com`. */
  readonly baseUrl: string;
}

export interface CheckoutApi {
  get(path: string, signal?: AbortSignal): Promise<ProviderReply>;
  post(
    path: string,
    write: { readonly body: JsonObject; readonly idempotencyKey: string },
    signal: AbortSignal,
  ): Promise<ProviderReply>;
}

export function createCheckoutApi({ secretKey, baseUrl }: CheckoutAccess): CheckoutApi {
  const headers = { authorization: `Bearer ${secretKey}` };
  return {
    get: (path, signal) =>
      callProvider({ method: 'GET', url: `${baseUrl}${path}`, headers, isBare: true }, signal),
    post: (path, { body, idempotencyKey }, signal): Promise<ProviderReply> => {
      const writing = {
        ...headers,
        'content-type': 'application/json',
        'cko-idempotency-key': idempotencyKey,
      };
      const call = { method: 'POST', url: `${baseUrl}${path}`, headers: writing } as const;
      return callProvider({ ...call, body: JSON.stringify(body), isBare: true }, signal);
    },
  };
}

/** Whether Checkout.com itself has spoken. */
function isTheirs(reply: ProviderReply): reply is ProviderReply & { kind: 'answer' } {
  return reply.kind === 'answer' && reply.headers.get('cko-request-id') !== null;
}

/** Checkout.com's first word for what was wrong, else the status; null when it is not its answer. */
export function checkoutErrorCode(reply: ProviderReply): string | null {
  if (!isTheirs(reply)) return null;
  const codes = valueAt(reply.body, 'error_codes');
  const [code] = Array.isArray(codes) ? codes : [];
  return typeof code === 'string' ? code : String(reply.status);
}

/** Whether Checkout.com says that the payment does not exist. */
export function isMissing(reply: ProviderReply): boolean {
  return isTheirs(reply) && reply.status === 404;
}

/** The objects of a list, all of them; null when this is none. */
export function wholeListOf(reply: ProviderReply, name: string): JsonObject[] | null {
  if (reply.kind === 'silence' || reply.status !== 200) return null;
  const list = valueAt(reply.body, name);
  if (!Array.isArray(list) || !list.every(isObject)) return null;
  const total = valueAt(reply.body, 'total_count');
  return typeof total === 'number' && total > list.length ? null : list;
}

/** The action that an accepted write has begun. */
export function actionIdOf(reply: ProviderReply): string | null {
  return reply.kind === 'answer' && reply.status === 202 ? textAt(reply.body, 'action_id') : null;
}
