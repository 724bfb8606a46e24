/**
 * Calls PayPal's REST API with an access token that is fetched when it is needed and kept while it
 * lives. https://developer.paypal.com/api/rest/authentication
 */
import { performance } from 'node:perf_hooks';
import type { JsonObject, ProviderReply } from 'forestall/adapter';
import { callProvider, integerAt, isDenial, objectsAt, textAt } from 'forestall/adapter';

export const PAYPAL_LIVE = 'https://api-m.paypal.com';

export interface PayPalAccess {
  readonly clientId: string;
  readonly clientSecret: string;
  /** `https://api-m.sandbox.paypal.com` for the sandbox. @default live */
  readonly baseUrl?: string;
}

export interface PayPalApi {
  get(path: string, signal?: AbortSignal): Promise<ProviderReply>;
  /** `requestId`: PayPal answers a repeat with the state of what the first request made. */
  post(
    path: string,
    write: { readonly body: JsonObject; readonly requestId: string },
    signal: AbortSignal,
  ): Promise<ProviderReply>;
}

/** A token is given up this long before it ends, so that it does not end on the way. */
const TOKEN_MARGIN_MS = 60_000;

interface Token {
  readonly text: string;
  readonly endsAtMs: number;
}

export function createPayPalApi(access: PayPalAccess): PayPalApi {
  const base = access.baseUrl ?? PAYPAL_LIVE;
  let token: Token | undefined;

  async function call(
    request: {
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    },
    signal?: AbortSignal,
  ): Promise<ProviderReply> {
    const kept = token !== undefined && token.endsAtMs > performance.now() ? token : undefined;
    const current = kept ?? (await fetchToken({ ...access, base }, signal));
    if ('kind' in current) return current;
    token = current;
    const headers = { ...request.headers, authorization: `Bearer ${current.text}` };
    const reply = await callProvider(
      { ...request, url: `${base}${request.path}`, headers },
      signal,
    );
    // A token that was revoked is not tried again; the next call fetches another.
    if (reply.kind === 'answer' && reply.status === 401) token = undefined;
    return reply;
  }

  return {
    get: (path, signal) => call({ method: 'GET', path }, signal),
    post: (path, { body, requestId }, signal): Promise<ProviderReply> => {
      const headers = {
        'content-type': 'application/json',
        'paypal-request-id': requestId,
        // Without it the answer shows only an id and a status.
        prefer: 'return=representation',
      };
      return call({ method: 'POST', path, headers, body: JSON.stringify(body) }, signal);
    },
  };
}

/** Without a token the call itself is never made: refused credentials are the answer, all else a silence. */
async function fetchToken(
  { clientId, clientSecret, base }: PayPalAccess & { readonly base: string },
  signal?: AbortSignal,
): Promise<Token | ProviderReply> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const reply = await callProvider(
    {
      method: 'POST',
      url: `${base}/v1/oauth2/token`,
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    },
    signal,
  );
  if (reply.kind === 'silence' || isDenial(reply.status)) return reply;
  const text = textAt(reply.body, 'access_token');
  const lifetimeSeconds = integerAt(reply.body, 'expires_in');
  if (reply.status !== 200 || text === null || lifetimeSeconds === null) {
    return { kind: 'silence', reason: `PayPal gave no access token (HTTP ${reply.status})` };
  }
  return { text, endsAtMs: performance.now() + lifetimeSeconds * 1000 - TOKEN_MARGIN_MS };
}

/** PayPal's own word for what was wrong: the issue where it names one, else the error's name. */
export function payPalErrorCode(reply: ProviderReply): string | null {
  if (reply.kind === 'silence') return null;
  const [detail] = objectsAt(reply.body, 'details');
  return textAt(detail, 'issue') ?? textAt(reply.body, 'name') ?? textAt(reply.body, 'error');
}

/** The `items` of a list; null when this is none, or not all of it. An empty one may have links alone. */
export function wholeListOf(body: JsonObject): JsonObject[] | null {
  const isList = Array.isArray(body['items']) || Array.isArray(body['links']);
  const isCut = objectsAt(body, 'links').some((link) => link['rel'] === 'next');
  return isList && !isCut ? objectsAt(body, 'items') : null;
}

/** Whether PayPal says that the object does not exist. A 404 of anything in between is no proof. */
export function isMissing(reply: ProviderReply): boolean {
  return (
    reply.kind === 'answer' &&
    reply.status === 404 &&
    textAt(reply.body, 'name') === 'RESOURCE_NOT_FOUND'
  );
}
