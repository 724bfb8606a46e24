/** Guarantee: the difference of two texts leads from the one to the other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../src/base/kernel/line-diff.ts';

describe('lineDiff', () => {
  it('shows what was taken out and put in, and keeps the rest', () => {
    expect(lineDiff('a\nb\nc', 'a\nx\nc\nd').map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'same a',
      'out b',
      'in x',
      'same c',
      'in d',
    ]);
  });

  it('rebuilds both texts, and marks nothing that is the same', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before.join('\n'), after.join('\n'));
        const side = (kind: string): string =>
          lines
            .filter((line) => line.kind === 'same' || line.kind === kind)
            .map((line) => line.text)
            .join('\n');
        expect([side('out'), side('in')]).toEqual([before.join('\n'), after.join('\n')]);
      }),
      { numRuns: 200 },
    );
    expect(lineDiff('a\nb', 'a\nb').every(({ kind }) => kind === 'same')).toBe(true);
  });

  it('of texts that are too long is their whole', () => {
    const long = Array.from({ length: 2_001 }, (_, index) => String(index)).join('\n');
    expect(lineDiff(long, 'x')).toHaveLength(2_002);
  });
});
