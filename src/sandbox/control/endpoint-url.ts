/**
 * Where webhooks may be sent: HTTPS, as at the service, and plain HTTP where nobody else can listen: on
 * this machine, in its private networks, to a container by its name.
 */
import { BlockList, isIP } from 'node:net';
import { invalid } from '../refusal.ts';

/** Names that never leave a machine or a private network: one word, or under one of these. */
const PRIVATE_NAME = /^(?:[a-z0-9_-]+|.+\.(?:internal|local|localhost|test))$/i;

const PRIVATE_ADDRESSES = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(network, bits, 'ipv4');
}
PRIVATE_ADDRESSES.addAddress('::1', 'ipv6');
PRIVATE_ADDRESSES.addSubnet('fc00::', 7, 'ipv6');

/** Takes an endpoint's URL; null sends nothing. @throws Refusal 422 */
export function checkedUrl(url: string | null): string | null {
  if (url === null) return null;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:') return url;
  if (parsed?.protocol === 'http:' && isPrivate(parsed.hostname)) return url;
  const message =
    'The endpoint URL must be HTTPS. HTTP is accepted for this machine and private networks only.';
  throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'url' }]);
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family === 0) return PRIVATE_NAME.test(host);
  return PRIVATE_ADDRESSES.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
