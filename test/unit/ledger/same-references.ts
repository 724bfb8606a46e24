/** References that nobody can tell from `CHQ-1`. */

/** Each with something that is not seen, or is seen as the same. */
export const SAME_AS_CHQ_1: readonly string[] = [
  'CHQ-1',
  'CHQ-1 ',
  ' CHQ-1',
  '\tCHQ-1\n',
  'CHQ-1\u00a0',
  '\u202fCHQ-1',
  'CHQ\u200b-1',
  '\ufeffCHQ-1',
  'CHQ-\u20601',
  'CHQ\u00ad-1',
  '\u200eCHQ-1\u200f',
  'C H Q - 1',
  'chq-1',
  'Chq-1',
  'ＣＨＱ-１',
  'CHQ－1',
];
