/**
 * The console's settings: where it listens, how people sign in, and what it refuses to do.
 *
 * It listens on this machine only, unless the connection is encrypted, by our own certificate or by a
 * proxy in front, or the operator states that it need not be.
 */
import { z } from 'zod';
import type { TrustedProxies } from '../base/http/caller-address.ts';
import { readTrustedProxies, trustedProxiesFault } from '../base/http/caller-address.ts';
import { webAddress } from '../base/kernel/setting-kinds.ts';
import type { OidcSettings } from '../surface/access/oidc.ts';

/** Names of this machine. */
export const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1', '[::1]']);

/** The settings as the environment names them; part of the one shape in `config.ts`. */
export const consoleShape = {
  FORESTALL_CONSOLE_HOST: z.string().min(1).default('127.0.0.1'),
  FORESTALL_CONSOLE_URL: webAddress.optional(),
  FORESTALL_CONSOLE_PLAIN_HTTP: z
    .enum(['allow'], { error: 'must be allow, or left out' })
    .optional(),
  FORESTALL_CONSOLE_LOCALE: z
    .string()
    .refine((text) => isLocale(text), { error: 'must be a language like en-GB or de' })
    .optional(),
  FORESTALL_CONSOLE_TRUSTED_PROXIES: z
    .string()
    .transform((text, context) => {
      const proxies = readTrustedProxies(text);
      const fault = trustedProxiesFault(proxies);
      if (fault === undefined) return proxies;
      context.addIssue(fault);
      return z.NEVER;
    })
    .optional(),
  FORESTALL_OIDC_ISSUER: webAddress
    .refine((text) => text.startsWith('https:') || LOOPBACK.has(new URL(text).hostname), {
      error: 'must be https',
    })
    .optional(),
  FORESTALL_OIDC_CLIENT_ID: z.string().min(1).optional(),
  FORESTALL_OIDC_CLIENT_SECRET: z
    .string()
    .min(16, { error: 'must have at least 16 characters' })
    .optional(),
};

function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf([text]).length > 0;
  } catch {
    return false;
  }
}

type Raw = z.infer<z.ZodObject<typeof consoleShape>>;

/** What the other settings say that matters here. */
interface ConsoleContext {
  readonly hasTls: boolean;
  readonly hasToken: boolean;
}

export interface ConsoleSettings {
  readonly host: string;
  /** Its address as browsers see it, where one is set. */
  readonly url: string | undefined;
  /** It speaks HTTPS itself: set when a certificate is configured and it listens beyond this machine. */
  readonly ownTls: boolean;
  /** Cookies travel over encrypted connections only. */
  readonly secureCookies: boolean;
  readonly oidc: OidcSettings | undefined;
  /** Proxies whose word about the caller's address is taken; undefined: of none. */
  readonly trustedProxies: TrustedProxies | undefined;
  /** How numbers and dates are written; undefined: as each browser asks for. */
  readonly locale: string | undefined;
}

export function consoleFaults(raw: Raw, { hasTls, hasToken }: ConsoleContext): string[] {
  const faults: string[] = [];
  const isElsewhere = !LOOPBACK.has(raw.FORESTALL_CONSOLE_HOST);
  if (isElsewhere && !hasToken) {
    faults.push(
      'FORESTALL_CONSOLE_TOKEN is missing; the console listens beyond this machine only with one.',
    );
  }
  const isEncrypted = hasTls || raw.FORESTALL_CONSOLE_URL?.startsWith('https:') === true;
  if (isElsewhere && !isEncrypted && raw.FORESTALL_CONSOLE_PLAIN_HTTP === undefined) {
    faults.push(
      'FORESTALL_CONSOLE_HOST is not this machine and nothing encrypts the way there. Set FORESTALL_TLS_CERT and FORESTALL_TLS_KEY, or FORESTALL_CONSOLE_URL=https://… when a proxy in front does it, or FORESTALL_CONSOLE_PLAIN_HTTP=allow.',
    );
  }
  const oidc = [
    raw.FORESTALL_OIDC_ISSUER,
    raw.FORESTALL_OIDC_CLIENT_ID,
    raw.FORESTALL_OIDC_CLIENT_SECRET,
  ];
  const given = oidc.filter((value) => value !== undefined).length;
  if (given > 0 && (given < oidc.length || raw.FORESTALL_CONSOLE_URL === undefined)) {
    faults.push(
      'FORESTALL_OIDC_ISSUER, FORESTALL_OIDC_CLIENT_ID, FORESTALL_OIDC_CLIENT_SECRET and FORESTALL_CONSOLE_URL belong together; set all or no FORESTALL_OIDC_*.',
    );
  }
  return faults;
}

export function consoleSettingsOf(
  raw: Raw,
  { hasTls }: Pick<ConsoleContext, 'hasTls'>,
): ConsoleSettings {
  const { FORESTALL_CONSOLE_HOST: host, FORESTALL_CONSOLE_URL: url } = raw;
  const ownTls = hasTls && !LOOPBACK.has(host);
  return {
    host,
    url,
    ownTls,
    secureCookies: ownTls || url?.startsWith('https:') === true,
    oidc: oidcOf(raw),
    trustedProxies: raw.FORESTALL_CONSOLE_TRUSTED_PROXIES,
    locale: raw.FORESTALL_CONSOLE_LOCALE,
  };
}

function oidcOf(raw: Raw): OidcSettings | undefined {
  const {
    FORESTALL_OIDC_ISSUER: issuer,
    FORESTALL_OIDC_CLIENT_ID: clientId,
    FORESTALL_OIDC_CLIENT_SECRET: clientSecret,
    FORESTALL_CONSOLE_URL: consoleUrl,
  } = raw;
  if (
    issuer === undefined ||
    clientId === undefined ||
    clientSecret === undefined ||
    consoleUrl === undefined
  ) {
    return undefined;
  }
  return { issuer, clientId, clientSecret, consoleUrl };
}
