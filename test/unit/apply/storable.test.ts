/** Guarantee: what JSON can say and Postgres cannot hold is replaced, and nothing else is touched. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeStorable } from '../../../src/alerts/apply/snapshot.ts';

it('leaves what can be stored as it is', () => {
  const object = { note: 'café 😀 \u202e \t\n"\\u0000"', nested: [{ a: null, b: 1.5, c: true }] };
  expect(makeStorable(object).object).toEqual(object);
  expect(JSON.parse(makeStorable(object).text)).toEqual(object);
});

it('replaces NUL and half a surrogate pair, in values and keys, at any depth', () => {
  const object = { 'k\0': ['a\0b', { x: '\ud800', y: '\udc00z', z: '😀' }], '\udfff': 1 };
  expect(makeStorable(object)).toEqual({
    object: {
      'k\ufffd': ['a\ufffdb', { x: '\ufffd', y: '\ufffdz', z: '😀' }],
      '\ufffd': 1,
    },
    text: '{"k\ufffd":["a\ufffdb",{"x":"\ufffd","y":"\ufffdz","z":"😀"}],"\ufffd":1}',
  });
});

it('a moment without a zone becomes UTC, where it is a whole value', () => {
  const object = {
    updated_at: '2026-11-20T10:00:00',
    deep: [{ at: '2026-11-20T10:00:00.123456' }, '2026-11-20 10:00:00', '2026-11-20'],
    kept: '2026-11-20T10:00:00+02:00',
    note: 'x"2026-11-20T10:00:00',
    '2026-11-20T10:00:00': 1,
  };
  const zoned = {
    ...object,
    updated_at: '2026-11-20T10:00:00Z',
    deep: [{ at: '2026-11-20T10:00:00.123456Z' }, '2026-11-20 10:00:00Z', '2026-11-20'],
  };
  expect(makeStorable(object)).toEqual({ object: zoned, text: JSON.stringify(zoned) });
});

it('a key __proto__ stays data', () => {
  const object = JSON.parse('{"__proto__":{"polluted":"\\u0000"},"constructor":{"prototype":1}}');
  const { text } = makeStorable(object);
  expect(text).toBe('{"__proto__":{"polluted":"\ufffd"},"constructor":{"prototype":1}}');
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

/** An escape of NUL or of half a pair: behind an even number of backslashes, because `\\u0000` spells one. */
const BAD_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

it('a text that spells an escape stays what it is', () => {
  const object = { said: String.raw`\uDA and \u0000` };
  const { text } = makeStorable(object);
  expect(JSON.parse(text)).toEqual(object);
  expect(text).not.toMatch(BAD_ESCAPE);
  expect(JSON.stringify('\u0000')).toMatch(BAD_ESCAPE);
});

it('whatever the object, its text is well-formed and free of NUL', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
      const { text } = makeStorable(object);
      expect(text).not.toMatch(BAD_ESCAPE);
      expect(text).not.toMatch(/\p{Cs}/u);
    }),
  );
});
