/**
 * From which address a request comes: the other end of the connection, or what proxies say that the
 * operator named. What was not named is not believed: a header is written by anyone who sends it.
 */
import { isIP } from 'node:net';
import type { Request } from 'express';
import { ConfigError } from '../kernel/errors.ts';

/** How many proxies are in front, one behind the other, or which: addresses, networks, named ranges. */
export type TrustedProxies = number | readonly string[];

/** Most proxies in a row: no installation has as many. */
const HOPS_MAX = 10;

/** Ranges with a name, as Express knows them. */
const NAMED_RANGES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** The widest private networks have these prefixes (10.0.0.0/8, fc00::/7): a wider one is everybody. */
const PREFIX_MIN = { 4: 8, 6: 7 } as const;
const PREFIX_MAX = { 4: 32, 6: 128 } as const;

/** What is wrong with them, without their value; undefined when they can be used. */
export function trustedProxiesFault(proxies: TrustedProxies): string | undefined {
  if (typeof proxies === 'number') {
    const isCount = Number.isInteger(proxies) && proxies >= 1 && proxies <= HOPS_MAX;
    return isCount ? undefined : `must be a number of proxies from 1 to ${HOPS_MAX}`;
  }
  if (proxies.length === 0) return 'names no proxy';
  return proxies.every(isRange)
    ? undefined
    : 'must be a number of proxies, or addresses like 10.0.0.7 and 10.1.0.0/16, no network wider than /8 (IPv6: /7)';
}

function isRange(text: string): boolean {
  if (NAMED_RANGES.has(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  if ((version !== 4 && version !== 6) || more.length > 0 || address.includes('%')) return false;
  if (prefix === undefined) return true;
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  return length >= PREFIX_MIN[version] && length <= PREFIX_MAX[version];
}

/** Reads `2`, or `10.0.0.7, 10.1.0.0/16`; {@link trustedProxiesFault} judges what it reads. */
export function readTrustedProxies(text: string): TrustedProxies {
  const words = text.split(',').map((word) => word.trim());
  const [only = ''] = words;
  return words.length === 1 && /^-?[\d.]+$/.test(only) && isIP(only) === 0 ? Number(only) : words;
}

/** The setting of Express. @throws {ConfigError} when the proxies cannot be meant */
export function trustProxySetting(proxies: TrustedProxies | undefined): false | number | string[] {
  if (proxies === undefined) return false;
  const fault = trustedProxiesFault(proxies);
  if (fault !== undefined) throw new ConfigError(`trustedProxies ${fault}.`);
  return typeof proxies === 'number' ? proxies : [...proxies];
}

/**
 * The caller's address. What is in a header and is no address tells nothing, so the proxy itself
 * counts then; otherwise each made-up word would be another caller.
 */
export function callerAddress(request: Pick<Request, 'ip' | 'socket'>): string | undefined {
  const { ip, socket } = request;
  return ip !== undefined && isIP(ip) !== 0 ? ip : socket.remoteAddress;
}
