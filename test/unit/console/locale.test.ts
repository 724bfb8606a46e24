/** Guarantee: numbers, amounts and dates are written as the reader's language does, and a bad header changes nothing. */
import { expect, test } from 'vitest';
import { roundUp } from '../../../src/surface/view/bars.ts';
import { formatsOf } from '../../../src/surface/view/locale.ts';

function asking(header: string | undefined) {
  return formatsOf({ get: () => header } as unknown as Parameters<typeof formatsOf>[0]);
}

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', '1.234.567', '1.234,50 €', '03.11.2026'],
  ['en-US', '1,234,567', '€1,234.50', 'Nov 3, 2026'],
  ['en-GB;q=0.5, de;q=0.9', '1.234.567', '1.234,50 €', '03.11.2026'],
  [undefined, '1,234,567', '€1,234.50', 'Nov 3, 2026'],
  ['*', '1,234,567', '€1,234.50', 'Nov 3, 2026'],
  ['<script>;q=x,,,;', '1,234,567', '€1,234.50', 'Nov 3, 2026'],
  ['zz-ZZ', '1,234,567', '€1,234.50', 'Nov 3, 2026'],
])('%s', (header, count, money, day) => {
  const formats = asking(header);
  expect(formats.count(1_234_567)).toBe(count);
  expect(formats.money({ amountMinor: 1_234_50, currency: 'EUR' }).replaceAll(/\s/g, ' ')).toBe(
    money,
  );
  expect(formats.day(new Date('2026-11-03T23:59:00Z'))).toBe(day);
});

test('amounts have the digits of their currency, exactly', () => {
  const { money, plain } = asking('en-US');
  expect(money({ amountMinor: 5_000, currency: 'JPY' })).toBe('¥5,000');
  expect(plain({ amountMinor: 5_000, currency: 'KWD' })).toBe('5.000');
  // Above what a float holds to the cent.
  expect(money({ amountMinor: 9_007_199_254_740_991, currency: 'USD' })).toBe(
    '$90,071,992,547,409.91',
  );
});

test('the setting goes before the browser', () => {
  const request = { get: () => 'de' } as unknown as Parameters<typeof formatsOf>[0];
  expect(formatsOf(request, 'en-GB').count(1_000)).toBe('1,000');
});

test.each([
  [0, 2],
  [2, 2],
  [3, 4],
  [7, 8],
  [10, 10],
  [11, 20],
  [99, 100],
  [100_001, 200_000],
])('an axis up to %i ends at %i', (value, end) => {
  expect(roundUp(value)).toBe(end);
});
