/** Guarantee: what is printed fits the terminal, no word is lost, and columns stay columns. */
import { describe, expect, it } from 'vitest';
import { fitWidth } from '../../../src/surface/terminal/fit-width.ts';

describe('a line that is too wide', () => {
  it.each([
    ['short', 'short'],
    [
      'name      text      a long meaning that does not fit',
      [
        'name      text      a long meaning',
        '                    that does not',
        '                    fit',
      ].join('\n'),
    ],
    [
      'a plain sentence that is longer than the width of this terminal',
      ['a plain sentence that is longer than', 'the width of this terminal'].join('\n'),
    ],
    [
      'an-identifier-that-is-longer-than-everything',
      'an-identifier-that-is-longer-than-everything',
    ],
  ])('%s', (line, fitted) => {
    expect(fitWidth(line, 36)).toBe(fitted);
  });

  it('keeps every word, and the lines that fit', () => {
    const text = [
      'Programme  Ready  Of',
      'alerts     1      2  card number, authorisation code, address',
    ].join('\n');
    const fitted = fitWidth(text, 40);
    expect(fitted.split('\n').every((line) => line.length <= 40)).toBe(true);
    expect(fitted.split(/\s+/)).toEqual(text.split(/\s+/));
  });
});
