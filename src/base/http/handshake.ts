/**
 * Whether an address leads to somebody: its name is looked up and hands are shaken, TLS included. Nothing is sent, so
 * that it may be tried on addresses that act on whatever they are sent.
 */
import type { LookupFunction, Socket } from 'node:net';
import { connect as connectPlain, isIP } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { codeOf, reasonOf } from '../kernel/errors.ts';

export interface HandshakeOptions {
  /** Longest wait for all of it, in milliseconds. */
  readonly timeoutMs: number;
  /** How the name is looked up. @default as the system does */
  readonly lookup?: LookupFunction;
}

/** No answer came in time. */
class SilentError extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Shakes hands, and hangs up. Rejects with what the network says, or with `ETIMEDOUT`. */
export async function shakeHands(url: URL, options: HandshakeOptions): Promise<void> {
  await shake(addressOf(url), { ...options, isTls: url.protocol === 'https:' }, () => undefined);
}

/**
 * The end of the certificate that a TLS server shows, no matter who vouches for it; undefined when none can be read in time.
 * Never throws.
 */
export async function certificateEndOf(url: URL, timeoutMs: number): Promise<Date | undefined> {
  const options = { timeoutMs, isTls: true, rejectUnauthorized: false };
  try {
    const text = await shake(addressOf(url), options, (socket) =>
      'getPeerCertificate' in socket ? socket.getPeerCertificate().valid_to : '',
    );
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? undefined : date;
  } catch {
    return undefined;
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

function addressOf({ hostname, port, protocol }: URL): Address {
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) };
}

interface Shaking extends HandshakeOptions {
  readonly isTls: boolean;
  readonly rejectUnauthorized?: boolean;
}

async function shake<Value>(
  address: Address,
  { timeoutMs, isTls, lookup, rejectUnauthorized = true }: Shaking,
  read: (socket: Socket | TLSSocket) => Value,
): Promise<Value> {
  const own = { ...address, ...(lookup === undefined ? {} : { lookup }) };
  // The name of a server is a name: an IP address is none (RFC 6066, section 3).
  const named: ConnectionOptions = isIP(address.host) === 0 ? { servername: address.host } : {};
  const socket = isTls ? connectTls({ ...own, ...named, rejectUnauthorized }) : connectPlain(own);
  const timer = setTimeout(() => socket.destroy(new SilentError('no answer')), timeoutMs);
  try {
    return await new Promise<Value>((done, fail) => {
      socket.once('error', fail);
      socket.once(isTls ? 'secureConnect' : 'connect', () => done(read(socket)));
    });
  } finally {
    clearTimeout(timer);
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'it hangs up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'no way leads to its host',
  ENETUNREACH: 'no way leads to its host',
  INSIDE_ADDRESS: 'its name leads to a private address',
  CERT_HAS_EXPIRED: 'its certificate has ended',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'nobody vouches for its certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'nobody vouches for its certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody vouches for its certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is of another name',
};

/** Why hands could not be shaken, without the address. */
export function whyNoHandshake(error: unknown): string {
  return WORDS[codeOf(error) ?? ''] ?? `not reached: ${reasonOf(error)}`;
}
