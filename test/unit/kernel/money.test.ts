/** Guarantee: an amount is exact in every currency, or it is no amount. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AMOUNT_MINOR_MAX,
  formatMoney,
  isCurrencyCode,
  isMovableAmount,
  minorUnitDigits,
} from '../../../src/base/kernel/money.ts';

describe('formatMoney', () => {
  // Digits of the minor unit from ISO 4217, table A.1.
  it.each([
    [12_990, 'USD', '129.90 USD'],
    [5, 'EUR', '0.05 EUR'],
    [0, 'GBP', '0.00 GBP'],
    [5_000, 'JPY', '5000 JPY'],
    [5_000, 'KWD', '5.000 KWD'],
    [7, 'BHD', '0.007 BHD'],
    [-250, 'USD', '-2.50 USD'],
  ])('%i minor units of %s read %s', (amountMinor, currency, text) => {
    expect(formatMoney({ amountMinor, currency })).toBe(text);
  });

  it('keeps every digit of every amount', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: AMOUNT_MINOR_MAX }),
        fc.constantFrom('USD', 'JPY', 'KWD'),
        (amountMinor, currency) => {
          const digits = formatMoney({ amountMinor, currency }).replace(/[^0-9]/g, '');
          expect(Number(digits)).toBe(amountMinor);
        },
      ),
    );
  });
});

describe('minorUnitDigits', () => {
  it.each([
    ['USD', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['KWD', 3],
    ['TND', 3],
    ['HUF', 2],
    ['IDR', 2],
    ['IQD', 3],
    ['ISK', 0],
    ['UYW', 4],
  ])('%s has %i', (currency, digits) => {
    expect(minorUnitDigits(currency)).toBe(digits);
  });
});

describe('isMovableAmount', () => {
  it.each([1, 100, AMOUNT_MINOR_MAX])('accepts %d', (value) => {
    expect(isMovableAmount(value)).toBe(true);
  });
  it.each([
    0,
    -1,
    1.5,
    AMOUNT_MINOR_MAX + 1,
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '100',
    null,
    undefined,
  ])('refuses %s', (value) => {
    expect(isMovableAmount(value)).toBe(false);
  });
});

describe('isCurrencyCode', () => {
  it.each(['USD', 'XXX'])('accepts %s', (value) => {
    expect(isCurrencyCode(value)).toBe(true);
  });
  it.each(['usd', 'US', 'USDX', 'U$D', '', 840, null])('refuses %s', (value) => {
    expect(isCurrencyCode(value)).toBe(false);
  });
});
