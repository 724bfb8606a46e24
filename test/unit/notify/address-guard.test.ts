/** Guarantee: no notification is posted to a private address, whatever name leads there. */
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/base/kernel/errors.ts';
import { createGuardedLookup, isOutsideAddress } from '../../../src/base/notify/address-guard.ts';
import { createPost } from '../../../src/base/notify/post.ts';

describe('isOutsideAddress', () => {
  it.each([
    '169.254.169.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a00:1',
    'not an address',
    '',
  ])('refuses %s', (address) => {
    expect(isOutsideAddress(address, true)).toBe(false);
  });

  it.each(['93.184.215.14', '172.15.255.255', '172.32.0.0', '100.128.0.0', '2606:4700::1111'])(
    'allows %s',
    (address) => {
      expect(isOutsideAddress(address, false)).toBe(true);
    },
  );

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'allows loopback %s only when told so',
    (address) => {
      expect(isOutsideAddress(address, false)).toBe(false);
      expect(isOutsideAddress(address, true)).toBe(true);
    },
  );
});

describe('createGuardedLookup', () => {
  function resolve(addresses: string[], all: boolean): Promise<unknown> {
    const answers = addresses.map((address) => ({ address, family: 4 }));
    const fake = (_host: string, _options: object, done: (...given: unknown[]) => void) =>
      done(null, answers);
    const lookup = createGuardedLookup(false, fake as never);
    return new Promise((done) => {
      lookup('hooks.example', { all }, (error, address) => done(error?.message ?? address));
    });
  }

  it('hands out addresses outside, one or all', async () => {
    expect(await resolve(['93.184.215.14'], false)).toBe('93.184.215.14');
    expect(await resolve(['93.184.215.14'], true)).toEqual([
      { address: '93.184.215.14', family: 4 },
    ]);
  });

  it('refuses a name when any of its addresses lies inside', async () => {
    const refusal = 'The name leads to a private address.';
    expect(await resolve(['93.184.215.14', '10.0.0.1'], true)).toBe(refusal);
    expect(await resolve(['169.254.169.254'], false)).toBe(refusal);
    expect(await resolve([], false)).toBe(refusal);
  });
});

describe('createPost refuses to start with', () => {
  it.each([
    'ftp://hooks.example/x',
    'nonsense',
    'http://hooks.example/x',
    'http://127.0.0.1:9/x',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://[::1]/x',
    'https://10.1.2.3/x',
    'https://0x7f000001/x',
    'https://2130706433/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://169.254.169.254/latest',
    'https://user:secret@hooks.example/x',
  ])('%s', (url) => {
    expect(() => createPost({ url })).toThrow(ConfigError);
  });

  it('a private address even when loopback is allowed', () => {
    expect(() => createPost({ url: 'https://10.1.2.3/x', allowLoopback: true })).toThrow(
      ConfigError,
    );
    expect(() => createPost({ url: 'http://hooks.example/x', allowLoopback: true })).toThrow(
      ConfigError,
    );
  });

  it('but takes a public https URL, and loopback when allowed', () => {
    expect(createPost({ url: 'https://hooks.example/x' })).toBeTypeOf('function');
    expect(createPost({ url: 'http://127.0.0.1:9/x', allowLoopback: true })).toBeTypeOf('function');
  });
});
