/**
 * Calls Stripe's API v1: form-encoded in, JSON out. Nothing here knows what a refund is.
 *
 * The API version is pinned, so that an upgrade of the account changes nothing here: this one still
 * shows the invoice on the charge, which is the way to the subscription.
 * https://docs.stripe.com/api/versioning
 */
import type { JsonObject } from '../../shared/json.ts';
import { objectsAt, textAt } from '../../shared/json.ts';
import type { StatedMode } from '../shared/mode.ts';
import type { ProviderReply } from '../shared/provider-call.ts';
import { callProvider } from '../shared/provider-call.ts';

const API_VERSION = '2024-06-20';

export interface StripeAccess {
  /** `sk_…` or, better, a restricted key `rk_…` that may read charges, and write refunds. */
  readonly secretKey: string;
  /** A connected account `acct_…` to act for. */
  readonly account?: string;
  /** @default 'https://api.stripe.com' */
  readonly baseUrl?: string;
}

/** Stripe's keys say in their name whether they move real money: https://docs.stripe.com/keys */
export function stripeModeOf({ secretKey }: Pick<StripeAccess, 'secretKey'>): StatedMode {
  const [, mode] = /^[sr]k_(test|live)_/.exec(secretKey) ?? [];
  return mode === 'test' || mode === 'live' ? { mode } : {};
}

export type StripeParameters = readonly (readonly [name: string, value: string])[];

export interface StripeApi {
  get(path: string, query: StripeParameters, signal?: AbortSignal): Promise<ProviderReply>;
  /** `idempotencyKey`: at most 255 characters; Stripe replays the first result for at least 24 h. */
  post(
    path: string,
    write: { readonly form: StripeParameters; readonly idempotencyKey: string },
    signal: AbortSignal,
  ): Promise<ProviderReply>;
  delete(path: string, signal: AbortSignal): Promise<ProviderReply>;
}

export function createStripeApi(access: StripeAccess): StripeApi {
  const base = access.baseUrl ?? 'https://api.stripe.com';
  const headers: Record<string, string> = {
    authorization: `Bearer ${access.secretKey}`,
    'stripe-version': API_VERSION,
    ...(access.account === undefined ? {} : { 'stripe-account': access.account }),
  };
  return {
    get: (path, query, signal): Promise<ProviderReply> => {
      const search = query.length === 0 ? '' : `?${encode(query)}`;
      return callProvider({ method: 'GET', url: `${base}${path}${search}`, headers }, signal);
    },
    post: (path, { form, idempotencyKey }, signal): Promise<ProviderReply> => {
      const writing = {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': idempotencyKey,
      };
      const url = `${base}${path}`;
      return callProvider({ method: 'POST', url, headers: writing, body: encode(form) }, signal);
    },
    delete: (path, signal): Promise<ProviderReply> =>
      callProvider({ method: 'DELETE', url: `${base}${path}`, headers }, signal),
  };
}

/** Stripe's own word for what was wrong, or null when the answer is not Stripe's. */
export function stripeErrorCode(reply: ProviderReply): string | null {
  if (reply.kind === 'silence') return null;
  const { body } = reply;
  return textAt(body, 'error', 'code') ?? textAt(body, 'error', 'type');
}

/** Whether Stripe says that the object does not exist. A 404 of anything in between is no proof. */
export function isMissing(reply: ProviderReply): boolean {
  return (
    reply.kind === 'answer' && reply.status === 404 && stripeErrorCode(reply) === 'resource_missing'
  );
}

/** The listed objects; null when this is no list, or not all of it: our refund may be in the rest. */
export function wholeListOf(reply: ProviderReply): JsonObject[] | null {
  const isCut = reply.kind === 'answer' && reply.body['has_more'] === true;
  return isCut ? null : listOf(reply);
}

/** The listed objects; null when this is no list. */
export function listOf(reply: ProviderReply): JsonObject[] | null {
  if (reply.kind === 'silence' || reply.status !== 200) return null;
  const { body } = reply;
  return Array.isArray(body['data']) ? objectsAt(body, 'data') : null;
}

function encode(parameters: StripeParameters): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of parameters) encoded.append(name, value);
  return encoded.toString();
}
