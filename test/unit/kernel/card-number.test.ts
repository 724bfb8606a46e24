/** Guarantee: a full card number is found wherever it stands; what only looks like one is left alone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsCardNumber, maskCardNumbers } from '../../../src/base/kernel/card-number.ts';
import { passesLuhn } from '../../../src/base/kernel/card-reading.ts';

describe('holdsCardNumber', () => {
  // Published test numbers of the card schemes.
  it.each([
    '4111111111111111',
    '4222222222222', // 13 digits
    '378282246310005', // 15 digits
    '6304000000000000000', // 19 digits, as Maestro issues them
    '5555 5555 5555 4444',
    '5555-5555-5555-4444',
    'paid with 4111111111111111, thanks',
    'card:4111111111111111.',
    '6304000000000000000 0', // other digits behind it
    '1234 4111111111111111', // and before it
  ])('finds %s', (text) => {
    expect(holdsCardNumber(text)).toBe(true);
  });

  it.each([
    '4111111111111112', // fails the Luhn check
    '411111111111', // 12 digits
    '12345678901234567890', // 20 digits
    '74111111111111111111119', // 23 digits: an ARN, whatever lies inside
    '1000000000000008', // passes Luhn, no scheme begins with 1
    '1234567890123452', // the same, with other digits after it
    '63040000000000000000', // 20 digits, of which the first 19 are a card's
    '411111 and 1111',
    '+49 151 23456789',
    '',
  ])('leaves %s alone', (text) => {
    expect(holdsCardNumber(text)).toBe(false);
  });
});

it('of a short number at least five digits are lost', () => {
  // 13 and 14 digits, published test numbers.
  expect(maskCardNumbers('4222222222222')).toBe('4222*****2222');
  expect(maskCardNumbers('30569309025904')).toBe('30569*****5904');
});

it('masks all but first six and last four', () => {
  expect(maskCardNumbers('a 4111 1111 1111 1111 b 378282246310005')).toBe(
    'a 411111******1111 b 378282*****0005',
  );
  expect(maskCardNumbers('order 4111111111111112')).toBe('order 4111111111111112');
});

it('accepts exactly one check digit for any number', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{12,18}$/), (digits) => {
      const passing = [...'0123456789'].filter((check) => passesLuhn(digits + check));
      expect(passing).toHaveLength(1);
    }),
  );
});
