/**
 * Guarantee: a receiver with the secret, and nobody else, can tell our deliveries, with the library of Standard Webhooks in
 * its language or with our own `verify`.
 */
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import {
  createEndpointSecret,
  isEndpointSecret,
  signDelivery,
  verify,
} from '../../../src/base/notify/standard-webhooks.ts';

// printf '%s' 'evt_1.1764309600.{"text":"café"}' |
//   openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw | base64 -d | xxd -p) -binary | base64
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const AT = 1_764_309_600;
const BODY = '{"text":"café"}';
const SIGNATURE = 'v1,C4V8W5oAc0ejFkrLr4bt6W4Wn1CkMFDMcS2KZYs5Bi8=';
const HEADERS = {
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(AT),
  'webhook-signature': SIGNATURE,
};
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

function outcome(change: Partial<Parameters<typeof verify>[0]>): string {
  const verdict = verify({
    secret: SECRET,
    headers: HEADERS,
    body: BODY,
    nowSeconds: AT,
    ...change,
  });
  return verdict.ok ? 'accepted' : verdict.reason;
}

describe('a signature', () => {
  it('is that of openssl', () => {
    expect(signDelivery({ id: 'evt_1', atSeconds: AT, body: BODY, secrets: [SECRET] })).toEqual(
      HEADERS,
    );
    expect(
      verify({ secret: SECRET, headers: HEADERS, body: Buffer.from(BODY), nowSeconds: AT }),
    ).toEqual({
      ok: true,
      id: 'evt_1',
      signedAtSeconds: AT,
    });
  });

  it('is made by both secrets of a rotation, and each receiver needs one of them', () => {
    const headers = {
      ...signDelivery({ id: 'evt_1', atSeconds: AT, body: BODY, secrets: [OTHER, SECRET] }),
    };
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(outcome({ headers, secret: SECRET })).toBe('accepted');
    expect(outcome({ headers, secret: OTHER })).toBe('accepted');
    expect(outcome({ secret: [OTHER, SECRET] })).toBe('accepted');
    expect(outcome({ secret: OTHER })).toBe('no_match');
  });

  it.each([
    [-301, 'too_new'],
    [-300, 'accepted'],
    [300, 'accepted'],
    [301, 'too_old'],
  ])('read %i s later: %s', (laterSeconds, said) => {
    expect(outcome({ nowSeconds: AT + laterSeconds })).toBe(said);
  });

  it.each([
    ['no id', { 'webhook-id': undefined }, 'missing_header'],
    ['an empty signature', { 'webhook-signature': '' }, 'missing_header'],
    ['two timestamps', { 'webhook-timestamp': [String(AT), String(AT)] }, 'missing_header'],
    ['a timestamp with a fraction', { 'webhook-timestamp': `${AT}.0` }, 'malformed_header'],
    [
      'another version of signature',
      { 'webhook-signature': SIGNATURE.replace('v1', 'v2') },
      'no_match',
    ],
    [
      'a signature behind ten others',
      { 'webhook-signature': `${'v1,x '.repeat(10)}${SIGNATURE}` },
      'no_match',
    ],
    ['another id', { 'webhook-id': 'evt_2' }, 'no_match'],
  ])('with %s is refused', (_name, change, said) => {
    expect(outcome({ headers: { ...HEADERS, ...change } })).toBe(said);
  });

  it('is read from a Headers too', () => {
    expect(outcome({ headers: new Headers(HEADERS) })).toBe('accepted');
  });
});

describe('a secret', () => {
  it('is new each time, and taken by both', () => {
    const secrets = [createEndpointSecret(), createEndpointSecret()];
    expect(new Set(secrets).size).toBe(2);
    expect(secrets.every(isEndpointSecret)).toBe(true);
    expect(Buffer.from(secrets[0]!.slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it.each([
    ['of 23 bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
    ['of 65 bytes', `whsec_${Buffer.alloc(65, 7).toString('base64')}`],
    ['without its prefix', SECRET.slice('whsec_'.length)],
    ['that is no Base64', 'whsec_not base64 at all, and quite long'],
    ['that is empty', ''],
  ])('%s is none', (_name, secret) => {
    expect(isEndpointSecret(secret)).toBe(false);
    expect(() => verify({ secret, headers: HEADERS, body: BODY, nowSeconds: AT })).toThrow(
      ConfigError,
    );
    expect(() =>
      signDelivery({ id: 'evt_1', atSeconds: AT, body: BODY, secrets: [SECRET, secret] }),
    ).toThrow(ConfigError);
  });

  it.each([24, 64])('of %i bytes is one', (bytes) => {
    expect(isEndpointSecret(`whsec_${Buffer.alloc(bytes, 7).toString('base64')}`)).toBe(true);
  });

  it('is needed', () => {
    expect(() => verify({ secret: [], headers: HEADERS, body: BODY, nowSeconds: AT })).toThrow(
      ConfigError,
    );
    expect(() => signDelivery({ id: 'evt_1', atSeconds: AT, body: BODY, secrets: [] })).toThrow(
      ConfigError,
    );
  });
});

describe('the package standardwebhooks', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: AT * 1_000, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const arbitraryBody = fc
    .record({ text: fc.string({ unit: 'grapheme' }), amount_minor: fc.integer() })
    .map((body) => JSON.stringify(body));

  it('verifies what we sign, and we what it signs', () => {
    fc.assert(
      fc.property(arbitraryBody, fc.uuid(), (body, id) => {
        const secret = createEndpointSecret();
        const headers = { ...signDelivery({ id, atSeconds: AT, body, secrets: [OTHER, secret] }) };
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        const theirs = {
          ...headers,
          'webhook-signature': new Webhook(secret).sign(id, new Date(AT * 1_000), body),
        };
        expect(verify({ secret, headers: theirs, body, nowSeconds: AT })).toMatchObject({
          ok: true,
        });
      }),
    );
  });

  it('refuses 1,000 altered deliveries, and so do we', () => {
    const headers = {
      ...signDelivery({ id: 'evt_1', atSeconds: AT, body: BODY, secrets: [SECRET] }),
    };
    let refused = 0;
    fc.assert(
      fc.property(alteration(headers, BODY), ({ altered, body }) => {
        expect(() => new Webhook(SECRET).verify(body, altered)).toThrow();
        expect(verify({ secret: SECRET, headers: altered, body, nowSeconds: AT }).ok).toBe(false);
        refused += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBe(1_000);
    // The control: unaltered, both take it.
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual({ text: 'café' });
  });
});

type Headers3 = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

/** One character of the body, the id, the timestamp or the signature is another one, or one more or less. */
function alteration(
  headers: Headers3,
  body: string,
): fc.Arbitrary<{ altered: Headers3; body: string }> {
  const parts = ['body', 'webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  return fc
    .record({
      part: fc.constantFrom(...parts),
      at: fc.nat(),
      how: fc.constantFrom('replace', 'insert', 'drop'),
      by: fc.constantFrom(...'0123456789abcdefXYZ+/}é'),
    })
    .map(({ part, at, how, by }) => {
      const text = part === 'body' ? body : headers[part];
      const place = at % text.length;
      const kept = how === 'insert' ? text.slice(place) : text.slice(place + 1);
      const changed = `${text.slice(0, place)}${how === 'drop' ? '' : by}${kept}`;
      return { text, changed, part };
    })
    .filter(({ text, changed, part }) => changed !== text && isOther(part, changed))
    .map(({ part, changed }) =>
      part === 'body'
        ? { altered: headers, body: changed }
        : { altered: { ...headers, [part]: changed }, body },
    );
}

/** A timestamp that is the same number is no alteration of what was signed: `017…` is none of ours, but means the same. */
function isOther(part: string, changed: string): boolean {
  return part !== 'webhook-timestamp' || Number(changed) !== AT;
}
