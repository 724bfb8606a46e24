/**
 * Calls Braintree's GraphQL API, which answers HTTP 200 also when it refuses.
 * https://developer.paypal.com/braintree/graphql/guides/making_api_calls
 */
import type { JsonObject } from 'forestall/adapter';
import { callProvider, isObject, objectsAt, reasonFor, textAt } from 'forestall/adapter';

/** The API's version is a date; this one is the oldest that all the calls here know. */
const API_VERSION = '2019-01-01';

export const BRAINTREE_LIVE = 'https://payments.braintree-api.com';

export interface BraintreeAccess {
  readonly publicKey: string;
  readonly privateKey: string;
  /** `https://payments.sandbox.braintree-api.com` for the sandbox. @default live */
  readonly baseUrl?: string;
}

/** One entry of `errors`. */
export interface BraintreeError {
  /** For example `VALIDATION` or `NOT_FOUND`. */
  readonly errorClass: string | null;
  /** The number of the validation that failed, for example `91521`. */
  readonly legacyCode: string | null;
}

/** How a call ended. With both data and errors the data counts first: a mutation may have executed. */
export type BraintreeReply =
  | {
      readonly kind: 'answer';
      readonly data: JsonObject;
      readonly errors: readonly BraintreeError[];
    }
  | { readonly kind: 'silence'; readonly reason: string };

export type BraintreeCall = (
  operation: { readonly query: string; readonly variables: JsonObject },
  signal?: AbortSignal,
) => Promise<BraintreeReply>;

export function createBraintreeCall(access: BraintreeAccess): BraintreeCall {
  const base = access.baseUrl ?? BRAINTREE_LIVE;
  const credentials = Buffer.from(`${access.publicKey}:${access.privateKey}`).toString('base64');
  const headers = {
    authorization: `Basic ${credentials}`,
    'braintree-version': API_VERSION,
    'content-type': 'application/json',
  };
  return async (operation, signal): Promise<BraintreeReply> => {
    const request = { method: 'POST' as const, url: `${base}/graphql`, headers };
    const reply = await callProvider({ ...request, body: JSON.stringify(operation) }, signal);
    if (reply.kind === 'silence') return reply;
    const { body } = reply;
    const isGraphql = isObject(body['data']) || Array.isArray(body['errors']);
    if (reply.status !== 200 || !isGraphql) return { kind: 'silence', reason: reasonFor(reply) };
    const data = isObject(body['data']) ? body['data'] : {};
    return { kind: 'answer', data, errors: objectsAt(body, 'errors').map(errorOf) };
  };
}

function errorOf(error: JsonObject): BraintreeError {
  return {
    errorClass: textAt(error, 'extensions', 'errorClass'),
    legacyCode: textAt(error, 'extensions', 'legacyCode'),
  };
}

/** Whether the only thing wrong is that the object does not exist. */
export function isNotFound(reply: BraintreeReply): boolean {
  return (
    reply.kind === 'answer' &&
    reply.errors.length > 0 &&
    reply.errors.every(({ errorClass }) => errorClass === 'NOT_FOUND')
  );
}

/** Why the reply is no usable answer, for a person. */
export function braintreeReason(reply: BraintreeReply): string {
  if (reply.kind === 'silence') return reply.reason;
  const [first] = reply.errors;
  if (first === undefined) return 'the answer shows nothing readable';
  const text = [first.errorClass, first.legacyCode].filter((part) => part !== null).join(' ');
  return text === '' ? 'Braintree reports an unnamed error' : `Braintree reports ${text}`;
}
