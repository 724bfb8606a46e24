/** Guarantee: what JSON can say and Postgres cannot hold is replaced, and nothing else is touched. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeStorable } from '../../../src/apply/storable.ts';

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

it('a key __proto__ stays data', () => {
  const object = JSON.parse('{"__proto__":{"polluted":"\\u0000"},"constructor":{"prototype":1}}');
  const { text } = makeStorable(object);
  expect(text).toBe('{"__proto__":{"polluted":"\ufffd"},"constructor":{"prototype":1}}');
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

it('whatever the object, its text is well-formed and free of NUL', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (object) => {
      const { text } = makeStorable(object);
      expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      expect(text).not.toMatch(/\p{Cs}/u);
    }),
  );
});
