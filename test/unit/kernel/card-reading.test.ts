/**
 * Guarantee: a full card number is read however it is written, and is masked there; numbers of orders, telephones, articles
 * and acquirers that only look like one are left alone.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fieldHoldsCard,
  holdsCardNumber,
  isCardNumberOnly,
  maskCardNumbers,
  maskText,
} from '../../../src/base/kernel/card-number.ts';
import { passesLuhn } from '../../../src/base/kernel/card-reading.ts';
import { cardWritings, isCardLeft, SCRIPTS, SEPARATORS } from '../../support/card-writings.ts';
import { workOfReading } from '../../support/reading-work.ts';

const PLACES: readonly ((card: string) => string)[] = [
  (card) => card,
  (card) => `paid with ${card}, he says`,
  (card) => `card:${card}.`,
  (card) => `(${card})`,
  (card) => `"${card}"`,
  (card) => `<b>${card}</b>`,
  (card) => `${card} 12/27 123`,
  (card) => `2 x ${card}`,
  (card) => `17 ${card}`,
  (card) => `order-${card}-a`,
  (card) => `first line\n${card}\nlast line`,
  (card) => `visa${card}visa`,
];

describe('500 card numbers in 20 separators, 4 scripts and 12 places', () => {
  const texts = cardWritings(500).map((card, index) => ({
    card,
    text: PLACES[index % PLACES.length]?.(card) ?? card,
  }));

  it('are as many, and all different', () => {
    expect(SEPARATORS).toHaveLength(20);
    expect(SCRIPTS).toHaveLength(4);
    expect(PLACES).toHaveLength(12);
    expect(new Set(texts.map(({ text }) => text)).size).toBe(500);
    // The digits around a number do not hide it from the look.
    expect(texts.filter(({ text }) => !isCardLeft(text))).toEqual([]);
  });

  it('are all found, and 0 are left in clear', () => {
    const missed = texts.filter(({ text }) => !holdsCardNumber(text));
    expect(missed).toEqual([]);
    const left = texts.filter(({ text }) => isCardLeft(maskCardNumbers(text)));
    expect(left).toEqual([]);
    const bytes = texts.filter(({ text }) => isCardLeft(maskText(Buffer.from(text)).toString()));
    expect(bytes).toEqual([]);
  });

  it('are all found as names of something', () => {
    expect(texts.filter(({ card }) => !fieldHoldsCard('reference_id', card))).toEqual([]);
    expect(texts.filter(({ card }) => !isCardNumberOnly(card))).toEqual([]);
  });
});

describe('what else is a card number', () => {
  it.each([
    ['escapes of JSON', '4111\\u00201111\\t1111\\u20281111'],
    ['digits as escapes', [...'4111111111111111'].map((digit) => `\\u003${digit}`).join('')],
    ['an address in a browser', '4111%201111+1111%C2%A01111'],
    ['entities', '4111&nbsp;1111&#160;1111&#x20;1111'],
    ['a blank after each digit', [...'4111111111111111'].join(' ')],
    ['zero width between all digits', [...'4111111111111111'].join('\u200b')],
    ['mixed blanks and dashes', '4111 1111-11 11111\u20131'],
    ['circled and raised digits', '④¹¹¹1111 1111 1111'],
    ['mathematical digits', '\u{1d7d2}\u{1d7cf}\u{1d7cf}\u{1d7cf} 1111 1111 1111'],
    ['two, one after the other', '4111 1111 1111 1111 5555 5555 5555 4444'],
    ['between an amount and a date', '4.50 4111 1111 1111 1111 2026-11-20'],
  ])('%s', (_what, text) => {
    expect(holdsCardNumber(text)).toBe(true);
    const left = maskCardNumbers(text);
    expect(holdsCardNumber(left)).toBe(false);
    expect(left).toMatch(/411111\*{6}1111/);
  });

  it('is masked among bytes that are no text', () => {
    const body = Buffer.concat([
      Buffer.from([0xff]),
      Buffer.from('\uff14\uff11\uff11\uff11\u00a01111\u00a01111\u00a01111 ü'),
      Buffer.from([0xc3]),
    ]);
    const left = Buffer.concat([
      Buffer.from([0xff]),
      Buffer.from('411111******1111 ü'),
      Buffer.from([0xc3]),
    ]);
    expect(maskText(body).equals(left)).toBe(true);
  });
});

/** 22 digits and the check digit that an acquirer reference number ends with. */
function referenceNumber(first: string, rest: string): string {
  const body = first + rest;
  const check = [...'0123456789'].find((digit) => passesLuhn(body + digit));
  return body + (check ?? '');
}

describe('what only looks like one', () => {
  const digits = (least: number, most = least): fc.Arbitrary<string> =>
    fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`));

  it('is an acquirer reference number, in one piece or in groups', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('0', '2', '7', '8'),
        digits(21),
        fc.constantFrom(' ', '-', '.', ''),
        fc.constantFrom(4, 5, 6),
        (first, rest, gap, size) => {
          const number = referenceNumber(first, rest);
          const groups = number.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
          const text = `ARN ${groups.join(gap)}, refunded`;
          expect(maskCardNumbers(text)).toBe(text);
        },
      ),
      { numRuns: 3_000 },
    );
    fc.assert(
      fc.property(digits(23, 24), (number) => {
        expect(holdsCardNumber(`a ${number} b`)).toBe(false);
        expect(fieldHoldsCard('reference_id', number)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is anything in the field of an acquirer reference number, which may be mistyped', () => {
    for (const field of [
      'acquirer_reference_number',
      'transaction_acquirer_reference_number',
      'transaction_arn',
    ]) {
      expect(fieldHoldsCard(field, '4111111111111111')).toBe(false);
    }
    expect(fieldHoldsCard('note', '4111111111111111')).toBe(true);
  });

  it('is a number of an order, as shops make them', () => {
    const order = fc.oneof(
      // Shopify: thirteen digits
      digits(12).map((rest) => `4${rest}`),
      // Amazon
      fc
        .tuple(fc.constantFrom('028', '113', '302', '402', '503', '701'), digits(7), digits(7))
        .map((parts) => parts.join('-')),
      // a day and a counter; milliseconds; a snowflake
      digits(6, 8).map((rest) => `20261120${rest}`),
      digits(12).map((rest) => `1${rest}`),
      digits(18).map((rest) => `1${rest}`),
      // classic references of Adyen
      digits(15).map((rest) => `8${rest}`),
    );
    fc.assert(
      fc.property(order, (number) => {
        expect(fieldHoldsCard('reference_id', number)).toBe(false);
        expect(fieldHoldsCard('order_number', number)).toBe(false);
        expect(isCardNumberOnly(number)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is a telephone number', () => {
    const country = fc.constantFrom('+49', '+43', '+44', '+33', '+34', '+36', '+39', '+52', '+62');
    fc.assert(
      fc.property(country, digits(2, 4), digits(5, 7), (code, area, number) => {
        expect(holdsCardNumber(`call ${code} ${area} ${number} now`)).toBe(false);
        expect(fieldHoldsCard('order_phone', `${code.slice(1)} ${area} ${number}`)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(holdsCardNumber('+44 20 7946 0123 or +44 20 7946 0124 or +44 20 7946 0125')).toBe(false);
  });

  it('is a UUID, a hash, a moment or a list of amounts', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const text = `a${id}`.slice(1);
        if (/[a-f]/.test(text)) expect(holdsCardNumber(text)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(holdsCardNumber('a4111111-1111-1111-8111-4111111111111111'.slice(0, 36))).toBe(false);
    expect(holdsCardNumber(`${'f'.repeat(10)}4111111111111111${'c'.repeat(38)}`)).toBe(false);
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2099-12-31') }),
        (at) => {
          const day = at.toISOString();
          expect(holdsCardNumber(`from ${day} to ${day}`)).toBe(false);
          expect(holdsCardNumber(day.replace('T', ' '))).toBe(false);
        },
      ),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 99_999 }), { minLength: 3, maxLength: 9 }),
        (amounts) => {
          const text = amounts.map((amount) => (amount / 100).toFixed(2)).join(', ');
          expect(holdsCardNumber(text)).toBe(false);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

/** Processor time, in microseconds: both parts, since a system may tell neither of them apart exactly. */
function cpuOf(work: () => unknown): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return user + system;
}

describe('time', () => {
  it('grows with the text, whatever stands in it', () => {
    for (const piece of ['1', '1 ', '4111 ', '1\u200b', '41111111111111112 ', '\uff11']) {
      const text = piece.repeat(200_000);
      const spent = cpuOf(() => holdsCardNumber(text));
      // In microseconds. Were each digit a beginning of its own, it would be minutes.
      expect(spent, JSON.stringify(piece)).toBeLessThan(5_000_000);
    }
  });

  // Steps are blocks of code that V8 entered: a time would depend on the machine, and on who else is at work on it.
  it('of a quarter of a megabyte delays nobody, whatever stands in it', async () => {
    const pieces = [
      '4 ',
      '4-',
      '4%20',
      '4&#32;',
      '\\u0034',
      '4444 ',
      '4\u00a0',
      '4\u200b',
      '\uff14',
      '\u0664\u00a0',
      '+4111111111111112 ',
      '4111111111111111a',
    ];
    const texts = pieces.map((piece) => piece.repeat(Math.floor((256 * 1024) / piece.length)));
    for (const [index, { holds, steps, expressions }] of (await workOfReading(texts)).entries()) {
      const piece = JSON.stringify(pieces[index]);
      const characters = texts[index]?.length ?? 0;
      expect(holds, piece).toBe(false);
      // Counted: 7.5 to 38.5 for a character. A reader with sums of its own for each digit took up to 48.5, one that asked
      // the schemes at each digit up to 115.
      expect(steps / characters, piece).toBeGreaterThan(1);
      expect(steps / characters, piece).toBeLessThan(42);
      // One before each plus of a telephone number; none for a character, a digit or an escape.
      expect(expressions / characters, piece).toBeLessThan(0.1);
    }
  });
});
