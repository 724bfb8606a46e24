/** Guarantee: bytes that two readers could understand differently are refused, and never crash us. */
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { amountMinor } from '../../../src/service/wire/fields.ts';
import { JSON_DEPTH_MAX, parseJsonStrict } from '../../../src/service/wire/strict-json.ts';

const parse = (text: string) => parseJsonStrict(Buffer.from(text));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJsonStrict', () => {
  test('reads plain JSON, whatever its top value is', () => {
    expect(parse('{"id":"evt_1","n":[1,{"é":null}]}')).toEqual({
      ok: true,
      value: { id: 'evt_1', n: [1, { é: null }] },
    });
    expect(parse('"text: with {brackets} \\" and \\\\"')).toEqual({
      ok: true,
      value: 'text: with {brackets} " and \\',
    });
    expect(parse(' 12 ')).toEqual({ ok: true, value: 12 });
  });

  test('reads a view into a larger buffer', () => {
    const whole = Buffer.from('xxx{"a":1}yyy');
    expect(parseJsonStrict(whole.subarray(3, 10))).toEqual({ ok: true, value: { a: 1 } });
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'empty'],
    ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), 'bom'],
    ['a stray byte 0xff', Buffer.from([0x7b, 0xff, 0x7d]), 'not_utf8'],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'not_utf8'],
    ['white space only', Buffer.from('  '), 'not_json'],
    ['a cut object', Buffer.from('{"a":'), 'not_json'],
    ['an unended string', Buffer.from('{"a":"b'), 'not_json'],
    ['a string ending in a backslash', Buffer.from('"\\'), 'not_json'],
    ['a trailing comma', Buffer.from('[1,]'), 'not_json'],
    ['HTML', Buffer.from('<html></html>'), 'not_json'],
    ['two values', Buffer.from('{} {}'), 'not_json'],
  ])('refuses %s', (_case, bytes, reason) => {
    expect(parseJsonStrict(bytes)).toEqual({ ok: false, reason });
  });

  test.each([
    '{"id":"evt_1","id":"evt_2"}',
    '{"id":"evt_1","\\u0069d":"evt_2"}',
    '{"data":{"object":{"id":1,"id":1}}}',
    '[{"a":[{"b":1,"c":2,"b":3}]}]',
    '{"__proto__":1,"__proto__":2}',
    '{"1":1,"1":2}',
    '{"":1,"":2}',
  ])('refuses a repeated key in %s', (text) => {
    expect(parse(text)).toEqual({ ok: false, reason: 'duplicate_key' });
  });

  test('accepts equal keys in different objects, and colons inside strings', () => {
    expect(parse('[{"a":"b:c"},{"a":"\\":"}]').ok).toBe(true);
  });

  test('a key __proto__ is data: it changes no prototype', () => {
    const outcome = parse('{"__proto__":{"polluted":true}}');
    expect(outcome.ok).toBe(true);
    const value = (outcome as { value: object }).value;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('accepts the deepest allowed nesting and refuses one more', () => {
    expect(JSON_DEPTH_MAX).toBe(64);
    expect(parse(nested(64)).ok).toBe(true);
    expect(parse(nested(65))).toEqual({ ok: false, reason: 'too_deep' });
  });

  test('what is closed again is no longer deep', () => {
    expect(parse(`[${Array.from({ length: 1000 }, () => '{"a":[]}').join(',')}]`).ok).toBe(true);
  });

  test.each([
    ['open brackets', '['.repeat(500_000)],
    ['open objects', '{"a":'.repeat(500_000)],
    ['closed brackets', nested(500_000)],
  ])('refuses half a million %s without overflowing the stack', (_case, text) => {
    expect(parse(text)).toEqual({ ok: false, reason: 'too_deep' });
  });

  test('closing brackets before opening ones do not buy depth', () => {
    expect(parse(`${']'.repeat(1000)}${'['.repeat(500)}`).ok).toBe(false);
  });

  test('numbers that are not exactly representable are no amounts', () => {
    for (const text of ['1e400', '9007199254740993', '-9007199254740993', '12.5']) {
      const outcome = parse(text);
      expect(outcome.ok).toBe(true);
      expect(amountMinor.safeParse((outcome as { value: unknown }).value).success).toBe(false);
    }
    const largest = parse('9007199254740991');
    expect(largest).toEqual({ ok: true, value: 9007199254740991 });
    expect(amountMinor.safeParse(9007199254740991).success).toBe(true);
  });

  test.each([
    '4899.9999999999999999999999',
    '489999999999999999999e-17',
    '1e-400',
    '9007199254740993.5',
    // 17 digits in all, and an exponent beside as many as are always exact.
    '4503599627370497.5',
    '1.00000000000001e-400',
    '45035996273704975E-1',
  ])('refuses %s, which would read as a whole number', (text) => {
    expect(parse(`{"amount":[-${text}]}`)).toEqual({ ok: false, reason: 'rounded_number' });
  });

  test.each([
    '4900.0',
    '4900.000000000000000000000',
    '49e2',
    '4.9E+3',
    '490000e-2',
    '0.0',
    '0e-400',
    '123456789012345e1',
  ])('reads %s, which is a whole number', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: Number(text) });
  });

  test.each([
    '0.30000000000000004',
    '4899.99',
    '5e-324',
    '{"9.99999999999999999":"1.99999999999999999"}',
  ])('reads %s', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test.each([
    ['a one after many zeros', `1.${'0'.repeat(250_000)}1`, 'rounded_number'],
    [
      'many runs of zeros',
      `1.${'0'.repeat(49)}1`.padEnd(250_000, `${'0'.repeat(49)}1`),
      'rounded_number',
    ],
    ['zeros before the point', `1${'0'.repeat(250)}.${'0'.repeat(249_000)}1`, 'rounded_number'],
    ['many numbers', `[${Array.from({ length: 60_000 }, () => '1.0').join()}]`, undefined],
    ['a long exponent', `1e-${'0'.repeat(250_000)}1`, undefined],
  ])('a body of 250 KB is read in a moment: %s', (_what, text, reason) => {
    // Of the processor: what waits for its turn on a busy machine is not the reader's.
    const before = process.threadCpuUsage();
    const outcome = parse(text);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(500);
    expect(outcome.ok ? undefined : outcome.reason).toBe(reason);
  });

  test('whatever JSON.stringify writes is read back the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  test('any bytes at all are answered, never thrown at', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof parseJsonStrict(bytes).ok).toBe('boolean');
      }),
    );
  });
});
