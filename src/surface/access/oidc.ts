/**
 * Sign-in at an identity provider by OpenID Connect: authorization code flow with PKCE, state and
 * nonce, by openid-client. The provider says who somebody is; the operators' table says what they may.
 */
import type { Configuration } from 'openid-client';
import { createSecret } from './secret.ts';

/** Where the provider is, and who we are there. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The console's own address as browsers see it; the callback lies under it. */
  readonly consoleUrl: string;
}

/** Path of the callback: what is registered at the provider is the console's address with this. */
export const OIDC_CALLBACK = '/login/oidc/callback';

/** Seconds since the sign-in at the provider that count as a fresh one when it is asked for again. */
const FRESH_SIGN_IN_SECONDS = 60;

/** Loaded at the first sign-in: most consoles have no identity provider. */
const openidClient = (): Promise<typeof import('openid-client')> => import('openid-client');

/** A sign-in to begin: where to send the person, and what to remember meanwhile. */
export interface OidcBegin {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who the provider says it is. */
export interface OidcAccount {
  /** Issuer and subject. */
  readonly subject: string;
  readonly verifiedEmail: string | undefined;
}

export interface Oidc {
  /** @param again ask for the password even when the person is signed in at the provider */
  begin(again: boolean): Promise<OidcBegin>;
  /** @throws what openid-client throws: the answer does not prove anything */
  finish(
    query: string,
    flow: Pick<OidcBegin, 'state' | 'nonce' | 'codeVerifier'> & { readonly again: boolean },
  ): Promise<OidcAccount>;
}

/** Creates the provider; it is asked for its addresses at the first sign-in, not at start. */
export function createOidc(settings: OidcSettings): Oidc {
  let found: Promise<Configuration> | undefined;
  const configuration = async (): Promise<Configuration> => {
    found ??= discover(settings);
    try {
      return await found;
    } catch (error) {
      // The provider may be back at the next sign-in.
      found = undefined;
      throw error;
    }
  };
  const redirectUri = new URL(OIDC_CALLBACK, settings.consoleUrl).href;
  return {
    async begin(again): Promise<OidcBegin> {
      const config = await configuration();
      const client = await openidClient();
      const state = createSecret();
      const nonce = client.randomNonce();
      const codeVerifier = client.randomPKCECodeVerifier();
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(again ? { prompt: 'login', max_age: String(FRESH_SIGN_IN_SECONDS) } : {}),
      });
      return { url: url.href, state, nonce, codeVerifier };
    },
    async finish(query, { state, nonce, codeVerifier, again }): Promise<OidcAccount> {
      const config = await configuration();
      const url = new URL(redirectUri);
      url.search = query;
      const { authorizationCodeGrant } = await openidClient();
      const tokens = await authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
        ...(again ? { maxAge: FRESH_SIGN_IN_SECONDS } : {}),
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The provider sent no ID token.');
      const { iss, sub, email, email_verified: isVerified } = claims;
      const verifiedEmail = typeof email === 'string' && isVerified === true ? email : undefined;
      return { subject: JSON.stringify([iss, sub]), verifiedEmail };
    },
  };
}

/** Asks the provider for its addresses, as the first sign-in does. @throws what was in the way */
export async function reachIssuer(settings: OidcSettings, timeoutMs: number): Promise<void> {
  await discover(settings, Math.ceil(timeoutMs / 1_000));
}

async function discover(settings: OidcSettings, timeoutSeconds?: number): Promise<Configuration> {
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await openidClient();
  const issuer = new URL(settings.issuer);
  // The settings let a plain http issuer through on this machine only. The signature is checked although
  // the token comes from the provider itself: TLS then is not all that vouches for it.
  const isPlain = issuer.protocol === 'http:';
  const execute = [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])];
  return await discovery(issuer, settings.clientId, settings.clientSecret, undefined, {
    execute,
    ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
  });
}
