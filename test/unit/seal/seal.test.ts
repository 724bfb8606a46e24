/**
 * Guarantee: a sealed value opens with its key at its place, and nowhere else, and not when one byte
 * of it was changed. The fixed values were made with Python's `cryptography`; WebCrypto opens ours.
 */
import { describe, expect, it } from 'vitest';
import { parseDataKeys, textsOfKeys } from '../../../src/base/kernel/data-keys.ts';
import { customerIndex, customerIndexes } from '../../../src/base/seal/customer-index.ts';
import type { SealPlace } from '../../../src/base/seal/seal.ts';
import {
  keyIdOfJson,
  openBytes,
  openJson,
  sealBytes,
  sealJson,
} from '../../../src/base/seal/seal.ts';
import { placeOfOrder, sealOrder } from '../../../src/orders/sealed-order.ts';

/** The bytes 0, 1, 2 … 31. */
const COUNTING = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OTHER = Buffer.alloc(32, 'another key, ').toString('base64');
const keys = parseDataKeys(`k1:${COUNTING}`);
const key = { id: 'k1', bytes: Buffer.from(COUNTING, 'base64') };
const place: SealPlace = {
  organisationId: 'org_1',
  table: 'inbox_event',
  column: 'body',
  row: ['evt_1'],
};
const BODY = '{"id":"evt_1","name":"Zoë"}';
const SEALED = Buffer.from(
  '6465666768696a6b6c6d6e6f3339b7025bd374fb481600d9f849489323af6328b14ea91d647a8e35d32b8bd60dcc2ea2b954fbfc68fe3dea',
  'hex',
);
const ORDER = { organisationId: 'org_1', integrationId: 'int_1', referenceId: 'order-1' };
const SEALED_JSON = 'sealed:k1:ZGVmZ2hpamtsbW5vMzm/REOyZ8NDN88m86OKGS0OlckFfTrTXQ==';

const open = (bytes: Buffer, at: SealPlace = place): string =>
  openBytes(keys, at, { keyId: 'k1', bytes }).toString('utf8');

describe('a sealed value', () => {
  it('made by another program opens', () => {
    expect(open(SEALED)).toBe(BODY);
    expect(openJson(keys, placeOfOrder(ORDER, 'body'), SEALED_JSON)).toEqual({ a: [1] });
  });

  it('made here opens in another program, and is never the same twice', async () => {
    const [one, two] = [1, 2].map(() => sealBytes(key, place, Buffer.from(BODY)));
    expect(one?.subarray(0, 12)).not.toEqual(two?.subarray(0, 12));
    const { subtle } = globalThis.crypto;
    const theirs = await subtle.importKey('raw', key.bytes, 'AES-GCM', false, ['decrypt']);
    const plain = await subtle.decrypt(
      {
        name: 'AES-GCM',
        iv: one?.subarray(0, 12) ?? Buffer.alloc(0),
        additionalData: Buffer.from('["forestall","org_1","inbox_event","body","evt_1"]'),
      },
      theirs,
      one?.subarray(12) ?? Buffer.alloc(0),
    );
    expect(Buffer.from(plain).toString('utf8')).toBe(BODY);
  });

  it.each<[string, Partial<SealPlace>]>([
    ['organisation', { organisationId: 'org_2' }],
    ['table', { table: 'quarantine' }],
    ['column', { column: 'detail' }],
    ['row', { row: ['evt_2'] }],
    ['spelling of the row', { row: ['evt', '1'] }],
  ])('does not open at another %s', (_what, other) => {
    expect(() => open(SEALED, { ...place, ...other })).toThrow('does not open under data key k1');
  });

  it('does not open once any byte of it was changed, or is missing', () => {
    for (let at = 0; at < SEALED.length; at++) {
      const changed = Buffer.from(SEALED);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => open(changed), String(at)).toThrow('it was changed');
    }
    for (const length of [0, 12, 27, SEALED.length - 1]) {
      expect(() => open(SEALED.subarray(0, length))).toThrow('it was changed');
    }
  });

  it('does not open without its key, or under another one of its name', () => {
    const sealed = { keyId: 'k1', bytes: SEALED };
    expect(() => openBytes(undefined, place, sealed)).toThrow(
      'sealed under data key k1, which FORESTALL_DATA_KEYS does not name',
    );
    expect(() => openBytes(parseDataKeys(`k1:${OTHER}`), place, sealed)).toThrow('does not open');
  });

  it('in JSON names its key; what is not sealed stays what it is', () => {
    const at = placeOfOrder(ORDER, 'submitted');
    const sealed: unknown = JSON.parse(sealJson(key, at, '{"a":1}'));
    expect(keyIdOfJson(sealed)).toBe('k1');
    expect(openJson(keys, at, sealed)).toEqual({ a: 1 });
    expect(() => openJson(keys, placeOfOrder(ORDER, 'body'), sealed)).toThrow('does not open');
    expect(sealJson(undefined, at, '{"a":1}')).toBe('{"a":1}');
    expect(openJson(undefined, at, { a: 1 })).toEqual({ a: 1 });
    expect(() => openJson(keys, at, 'a text')).toThrow('is no sealed value');
  });
});

describe('the index of customers', () => {
  const ada = {
    organisationId: 'org_1',
    field: 'customer_email',
    value: 'Ada@Example.com',
  } as const;
  const EMAIL = '97ab2337ce2c8da5a780ac2d59dea63b4844450fac011b9814aafc680c326b1b';
  const ACCOUNT = '5c5a6b4d37ccd1e60b1f7b30da389ff443ffa2722512ae5fa949581123c20008';

  it('is an HMAC under a derived key, of the address in lower case, as another program makes it', () => {
    expect(customerIndex(key, ada).toString('hex')).toBe(EMAIL);
    const account = { ...ada, field: 'customer_account_id', value: 'C-1' } as const;
    expect(customerIndex(key, account).toString('hex')).toBe(ACCOUNT);
    expect(customerIndex(key, { ...account, value: 'c-1' }).toString('hex')).not.toBe(ACCOUNT);
  });

  it('is looked for under every key', () => {
    const found = customerIndexes(parseDataKeys(`k2:${OTHER},k1:${COUNTING}`), ada);
    expect(found.map((each) => each.toString('hex'))).toEqual([expect.any(String), EMAIL]);
  });

  it('stands beside a sealed order; an erased customer has none, and sealing nothing clears it', () => {
    const body = JSON.stringify({ customer_email: 'ada@example.com', customer_account_id: 'C-1' });
    const written = sealOrder(keys, ORDER, { body });
    expect(written.email_hmac?.toString('hex')).toBe(EMAIL);
    expect(written.account_hmac?.toString('hex')).toBe(ACCOUNT);
    expect(written).not.toHaveProperty('submitted');
    const erased = sealOrder(keys, ORDER, { body: '{"customer_email":"[erased]"}' });
    expect(erased).toMatchObject({ email_hmac: null, account_hmac: null });
    expect(sealOrder(parseDataKeys(`open,k1:${COUNTING}`), ORDER, { body })).toEqual({
      email_hmac: null,
      account_hmac: null,
    });
    expect(sealOrder(undefined, ORDER, { body })).toEqual({});
  });
});

describe('FORESTALL_DATA_KEYS', () => {
  it('seals with the first and opens with all; "open" seals nothing', () => {
    const two = parseDataKeys(`new:${OTHER}\nold:${COUNTING}`);
    expect([two.sealing?.id, [...two.byId.keys()]]).toEqual(['new', ['new', 'old']]);
    expect(two.byId.get('old')?.bytes).toEqual(key.bytes);
    const none = parseDataKeys(`open,old:${COUNTING}`);
    expect([none.sealing, [...none.byId.keys()]]).toEqual([undefined, ['old']]);
    expect(textsOfKeys(undefined)).toEqual([]);
    expect(textsOfKeys(parseDataKeys(`k:${OTHER}`))[0]).toBe(OTHER);
  });

  const short = Buffer.alloc(31, 'short').toString('base64');
  const long = Buffer.alloc(33, 'long').toString('base64');
  it.each([
    ['nothing', '', 'entry 1 is not key_id:base64 of 32 bytes'],
    ['a key without an id', COUNTING, 'entry 1 is not'],
    ['an entry with too much', `k:${COUNTING}:x`, 'entry 1 is not'],
    ['an empty entry', `k:${COUNTING},`, 'entry 2 is not'],
    ['an id of capitals', `K:${COUNTING}`, 'a key_id that is none'],
    ['the reserved id', `k:${OTHER},open:${COUNTING}`, 'a key_id that is none'],
    ['31 bytes', `k:${short}`, 'entry 1 is not the base64 of 32 bytes'],
    ['33 bytes', `k:${long}`, 'entry 1 is not the base64 of 32 bytes'],
    ['another alphabet', `k:${COUNTING.replace('A', '-')}`, 'entry 1 is not'],
    ['white space', `k: ${COUNTING}`, 'entry 1 is not'],
    ['bits beyond the last byte', `k:${COUNTING.replace('h8=', 'h9=')}`, 'entry 1 is not'],
    ['one byte repeated', `k:${Buffer.alloc(32, 7).toString('base64')}`, 'one byte repeated'],
    ['an id twice', `k:${COUNTING},k:${OTHER}`, 'names one key_id twice'],
    ['a key twice', `a:${COUNTING},b:${COUNTING}`, 'holds the same key under two ids'],
    ['no key after open', 'open', 'names no key'],
    [
      'too many',
      Array.from(
        { length: 9 },
        (_, n) => `k${n}:${Buffer.alloc(32, `key ${n}`).toString('base64')}`,
      ).join(),
      'more than 8 keys',
    ],
  ])('refuses %s', (_what, text, complaint) => {
    expect(() => parseDataKeys(text)).toThrow(complaint);
  });
});
