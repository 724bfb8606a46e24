/**
 * Certificates for the cases about wrong ones: an authority of the run's own, and what it signs. Written
 * as plain DER, because Node makes keys and signatures but no certificates.
 */
import type { KeyObject } from 'node:crypto';
import { createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate with its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = oid(1, 2, 840, 10045, 4, 3, 2);
const COMMON_NAME = oid(2, 5, 4, 3);
const BASIC_CONSTRAINTS = oid(2, 5, 29, 19);
const SUBJECT_ALT_NAME = oid(2, 5, 29, 17);
const DAY_MS = 86_400_000;

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  let size = [length];
  if (length >= 256) size = [0x82, length >> 8, length & 0xff];
  else if (length >= 128) size = [0x81, length];
  return Buffer.concat([Buffer.from([tag]), Buffer.from(size), body]);
}

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const octets = (body: Buffer): Buffer => der(0x04, body);
const nameOf = (text: string): Buffer =>
  sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));

function moment(atMs: number): Buffer {
  const text = new Date(atMs).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${text}Z`));
}

interface Wanted {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extension: Buffer;
}

function certify({ subject, issuer, publicKey, signer, extension }: Wanted): string {
  const algorithm = sequence(ECDSA_WITH_SHA256);
  const now = Date.now();
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(issuer),
    sequence(moment(now - DAY_MS), moment(now + 30 * DAY_MS)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = sign('sha256', body, signer);
  const whole = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  // No line may be empty, which a length that 64 divides would leave.
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const keyPair = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** An authority: its certificate, and what issues one for a host. */
export function makeAuthority(name: string): {
  readonly cert: string;
  issue(host: string): Certificate;
} {
  const { privateKey } = keyPair();
  const isAuthority = octets(sequence(der(0x01, Buffer.from([0xff]))));
  const cert = certify({
    subject: name,
    issuer: name,
    publicKey: createPublicKey(privateKey),
    signer: privateKey,
    extension: sequence(BASIC_CONSTRAINTS, der(0x01, Buffer.from([0xff])), isAuthority),
  });
  return {
    cert,
    issue(host): Certificate {
      const own = keyPair();
      const names = octets(sequence(der(0x82, Buffer.from(host))));
      return {
        cert: certify({
          subject: host,
          issuer: name,
          publicKey: own.publicKey,
          signer: privateKey,
          extension: sequence(SUBJECT_ALT_NAME, names),
        }),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}
