/**
 * Access tokens of a provider's API (OAuth 2.0, client credentials): fetched when one is needed, and kept while it lives.
 */
import { performance } from 'node:perf_hooks';
import { integerAt, textAt } from './json.ts';
import type { ProviderReply } from './provider-call.ts';
import { callProvider, isDenial } from './provider-call.ts';

/** Where tokens are fetched, and as whom. */
export interface TokenAccess {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The token of all calls of one adapter. */
export interface AccessTokens {
  /** A token, or the answer that refused it, or why there is none. */
  current(signal: AbortSignal | undefined): Promise<string | ProviderReply>;
  /** The provider does not accept the token any more. */
  drop(): void;
}

/** A token is given up this long before it ends, so that it does not end on the way. */
const TOKEN_MARGIN_MS = 60_000;

export function accessTokens(access: TokenAccess): AccessTokens {
  let kept: { readonly text: string; readonly endsAtMs: number } | undefined;
  return {
    async current(signal): Promise<string | ProviderReply> {
      if (kept !== undefined && kept.endsAtMs > performance.now()) return kept.text;
      const reply = await ask(access, signal);
      if (reply.kind === 'silence' || isDenial(reply.status)) return reply;
      const text = textAt(reply.body, 'access_token');
      const lifetimeSeconds = integerAt(reply.body, 'expires_in');
      if (reply.status !== 200 || text === null || lifetimeSeconds === null) {
        return { kind: 'silence', reason: `no access token was given (HTTP ${reply.status})` };
      }
      kept = { text, endsAtMs: performance.now() + lifetimeSeconds * 1_000 - TOKEN_MARGIN_MS };
      return text;
    },
    drop(): void {
      kept = undefined;
    },
  };
}

async function ask(
  { url, clientId, clientSecret }: TokenAccess,
  signal: AbortSignal | undefined,
): Promise<ProviderReply> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const headers = {
    authorization: `Basic ${credentials}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = 'grant_type=client_credentials';
  return await callProvider({ method: 'POST', url, headers, body }, signal);
}
