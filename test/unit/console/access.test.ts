/** Guarantee: secrets are compared whole, and one caller's addresses count as one. */
import { describe, expect, it } from 'vitest';
import { addressKey } from '../../../src/surface/access/attempt.store.ts';
import { csrfTokenOf, sameSecret } from '../../../src/surface/access/secret.ts';

describe('sameSecret', () => {
  it.each([
    ['secret', 'secret', true],
    ['secret', 'secre', false],
    ['', 'secret', false],
    ['Secret', 'secret', false],
  ])('%j and %j: %s', (given, expected, same) => {
    expect(sameSecret(given, expected)).toBe(same);
  });
});

describe('csrfTokenOf', () => {
  it('is the same for a session, another for another, and does not tell the session', () => {
    expect(csrfTokenOf('a')).toBe(csrfTokenOf('a'));
    expect(csrfTokenOf('a')).not.toBe(csrfTokenOf('b'));
    expect(csrfTokenOf('abc')).not.toContain('abc');
  });
});

describe('addressKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.8', false],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.8', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['fe80::1%eth0', 'fe80::2%eth1', true],
    ['::1', '127.0.0.1', false],
  ])('%s and %s are one caller: %s', (one, other, same) => {
    expect(addressKey(one) === addressKey(other)).toBe(same);
  });
});
