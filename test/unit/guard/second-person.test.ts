/** Guarantee: whoever was made by the other, or with the other by the same hand, is no second person. */
import { describe, expect, it } from 'vitest';
import { areTwoPeople } from '../../../src/alerts/guard/second-person.ts';

const gave = (by: string, name: string) => ({ by, name });

describe('two names', () => {
  it.each([
    ['of whom nobody was given anything', 'ada', 'bo', [], true],
    ['that are one', 'ada', 'Ada', [], false],
    ['of which one made the other', 'ada', 'bo', [gave('ada', 'bo')], false],
    ['of which the other made the one', 'ada', 'bo', [gave('bo', 'ada')], false],
    ['written otherwise where that was done', 'Ada', 'bo', [gave('ADA', 'Bo')], false],
    ['made by the same person', 'p1', 'p2', [gave('x', 'p1'), gave('x', 'p2')], false],
    ['made at the command line', 'p1', 'p2', [gave('cli', 'p1'), gave('cli', 'p2')], false],
    ['made by two different people', 'p1', 'p2', [gave('x', 'p1'), gave('y', 'p2')], true],
    ['made through one between', 'ada', 'p2', [gave('ada', 'p1'), gave('p1', 'p2')], false],
    [
      'whose makers had the same maker',
      'p1',
      'p2',
      [gave('x', 'a'), gave('x', 'b'), gave('a', 'p1'), gave('b', 'p2')],
      false,
    ],
    ['in a ring', 'p1', 'p3', [gave('p1', 'p2'), gave('p2', 'p1'), gave('z', 'p3')], true],
    ['beside what others were given', 'ada', 'bo', [gave('ada', 'cy'), gave('bo', 'di')], true],
  ])('%s', (_what, one, other, given, expected) => {
    expect(areTwoPeople(one, other, given)).toBe(expected);
    expect(areTwoPeople(other, one, given)).toBe(expected);
  });
});
