/**
 * Refuses to connect to addresses inside: private, link-local, loopback and the like.
 *
 * The notification URL is the one address Forestall posts to that is not the service or the
 * processor. The check runs on the addresses a name resolves to, at the moment of connecting, so a
 * name that changes its answer between check and use gains nothing.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

const inside = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['169.254.0.0', 16], // link-local, and the metadata service of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15], // benchmarking
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved and broadcast
] as const) {
  inside.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96], // IPv4 addresses written as IPv6 ones, as they once were
  ['64:ff9b::', 96], // NAT64: an IPv4 address in disguise
  ['64:ff9b:1::', 48], // the same, within a network
  ['2001::', 32], // Teredo: the same
  ['2002::', 16], // 6to4: the same
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10], // site-local, as they once were
  ['ff00::', 8],
] as const) {
  inside.addSubnet(network, prefix, 'ipv6');
}

/** Whether a message may be posted to this IP address. */
export function isOutsideAddress(address: string, allowLoopback: boolean): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (loopback.check(address, type)) return allowLoopback;
  return !inside.check(address, type);
}

/** Thrown when a name leads to an address inside. */
class InsideAddressError extends Error {
  readonly code = 'INSIDE_ADDRESS';
}

/** A `lookup` for a socket that fails when any address of the name lies inside. */
export function createGuardedLookup(
  allowLoopback: boolean,
  lookup: typeof systemLookup = systemLookup,
): LookupFunction {
  return (hostname, options: LookupOptions, done): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) {
        done(error, '', 0);
        return;
      }
      const [first] = addresses;
      const allowed = addresses.every(({ address }) => isOutsideAddress(address, allowLoopback));
      if (first === undefined || !allowed) {
        done(new InsideAddressError('The name leads to a private address.'), '', 0);
      } else if (options.all === true) {
        done(null, addresses);
      } else {
        done(null, first.address, first.family);
      }
    });
  };
}
