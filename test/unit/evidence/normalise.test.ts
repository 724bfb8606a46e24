/** Guarantee: what is the same in two spellings compares as equal, and what differs never does. */
import { describe, expect, it } from 'vitest';
import {
  countryCode,
  descriptorHead,
  normaliseAddress,
  normaliseIp,
  normaliseLogin,
} from '../../../src/orders/normalise-element.ts';

const IPS: readonly (readonly [given: string, normalised: string | null])[] = [
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7 ', '203.0.113.7'],
  ['203.0.113.7:443', '203.0.113.7'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['[2001:db8::1]:8443', '2001:db8::1'],
  ['2001:db8::1%eth0', '2001:db8::1'],
  // RFC 5952: the longest run of zeros, the first of equal ones, never a single one.
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:CB00:7107', '203.0.113.7'],
  // Nobody's own, or no address.
  ['10.1.2.3', null],
  ['100.64.0.1', null],
  ['172.31.255.255', null],
  ['172.32.0.1', '172.32.0.1'],
  ['192.168.1.1', null],
  ['127.0.0.1', null],
  ['::ffff:192.168.1.1', null],
  ['::1', null],
  ['fd00::1', null],
  ['fe80::1%en0', null],
  ['255.255.255.255', null],
  ['203.0.113.007', null],
  ['203.0.113.7, 10.0.0.1', null],
  ['unknown', null],
];

const LOGINS: readonly (readonly [given: string, normalised: string | null])[] = [
  ['Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
  [' ada+shop@example.com ', 'ada+shop@example.com'],
  ['+49 (0) 170 123-4567', '+491701234567'],
  ['0049 170 1234567', '+491701234567'],
  ['+49 170/1234567', '+491701234567'],
  ['User-0042', 'User-0042'],
  ['user-0042', 'user-0042'],
  ['0012345', '0012345'],
  ['e\u0301lise', '\u00e9lise'],
  ['  ', null],
];

const STREET = { line_1: '12 Main St', city: 'Springfield', postal_code: '12345', country: 'US' };
const RIVER = { line_1: 'Flussstraße 5a', city: 'Köln', postal_code: '50667', country: 'DE' };

const SAME: readonly (readonly [string, object, object])[] = [
  ['case and spaces', STREET, { ...STREET, line_1: '  12  MAIN  st ', city: 'SPRINGFIELD' }],
  ['a street word and a full stop', STREET, { ...STREET, line_1: '12 Main Street.' }],
  ['the longer postal code', STREET, { ...STREET, postal_code: '12345-6789' }],
  ['the province beside a postal code', STREET, { ...STREET, country_subdivision: 'IL' }],
  ['an eszett, an umlaut', RIVER, { ...RIVER, line_1: 'Flussstrasse 5A', city: 'Ko\u0308ln' }],
  ['a shortened Strasse', RIVER, { ...RIVER, line_1: 'Flussstr. 5a' }],
  [
    'a second line of its own',
    { ...STREET, line_1: '12 Main St, Apartment 4' },
    { ...STREET, line_2: 'Apt 4' },
  ],
  [
    'a space in the postal code',
    { ...STREET, postal_code: 'SW1A 1AA' },
    { ...STREET, postal_code: 'sw1a1aa' },
  ],
];

const DIFFERENT: readonly (readonly [string, object, object])[] = [
  [
    'words that would run together',
    { ...STREET, line_1: '12 3rd St' },
    { ...STREET, line_1: '123 rd St' },
  ],
  ['another number', STREET, { ...STREET, line_1: '21 Main St' }],
  ['another flat', { ...STREET, line_2: 'Apt 4' }, { ...STREET, line_2: 'Apt 5' }],
  ['another town', STREET, { ...STREET, city: 'Shelbyville' }],
  ['another country', STREET, { ...STREET, country: 'CA' }],
  [
    'another province without a postal code',
    { ...STREET, postal_code: '', country_subdivision: 'IL' },
    { ...STREET, postal_code: '', country_subdivision: 'MA' },
  ],
];

describe('IP addresses', () => {
  it.each(IPS)('%s is %s', (given, normalised) => {
    expect(normaliseIp(given)).toBe(normalised);
  });
});

describe('logins', () => {
  it.each(LOGINS)('%s is %s', (given, normalised) => {
    expect(normaliseLogin(given)).toBe(normalised);
  });
});

describe('addresses', () => {
  it.each(SAME)('are the same: %s', (_name, a, b) => {
    expect(normaliseAddress(a)).not.toBeNull();
    expect(normaliseAddress(a)).toBe(normaliseAddress(b));
  });

  it.each(DIFFERENT)('differ: %s', (_name, a, b) => {
    expect(normaliseAddress(a)).not.toBe(normaliseAddress(b));
  });

  it.each([
    ['no street', { city: 'Springfield', postal_code: '12345', country: 'US' }],
    ['no place', { line_1: '12 Main St', country: 'US' }],
    ['nothing', {}],
    ['a text', '12 Main St'],
  ])('are not known: %s', (_name, address) => {
    expect(normaliseAddress(address)).toBeNull();
  });
});

describe('descriptors and countries', () => {
  it('keep what is compared', () => {
    expect(descriptorHead(' Shop*Fonts 123')).toBe('SHOP*F');
    expect(descriptorHead('SHOP*FX')).toBe('SHOP*F');
    expect(descriptorHead('   ')).toBeNull();
    expect(countryCode(' us ')).toBe('US');
    expect(countryCode('Germany')).toBeNull();
  });
});
