/** Guarantee: what a policy says of evidence is read exactly, and what is wrong with it is said. */
import { describe, expect, it } from 'vitest';
import { filingBy } from '../../../src/capabilities/representments/filing/when.ts';
import { loadPolicy } from '../../../src/policy/load.ts';

const read = (evidence: string) =>
  loadPolicy(`rules: []\notherwise: ACCEPT_DISPUTE\n${evidence}\n`, { file: 'p.yaml' });

describe('evidence of a policy', () => {
  it('is read with its margin and its sum', () => {
    const policy = read('evidence: {file: complete, margin: 36h, second_person_above: 500.00 EUR}');
    expect(policy.evidence).toEqual({
      file: 'complete',
      // 36 h
      marginMs: 129_600_000,
      secondPersonAbove: { amountMinor: 50_000, currency: 'EUR' },
    });
    expect(read('evidence: {file: by_hand}').evidence).toEqual({ file: 'by_hand' });
    expect(read('').evidence).toBeUndefined();
  });

  it.each([
    ['evidence: {file: always}', 'takes complete or by_hand'],
    ['evidence: {margin: 24h}', '"file" is missing'],
    ['evidence: {file: complete, margin: 15d}', 'at most 14d'],
    ['evidence: {file: complete, second_person_above: 500}', 'is not an amount'],
    ['evidence: {file: complete, merchant: x}', 'unknown key "merchant" of "evidence"'],
  ])('%s is refused: %s', (text, words) => {
    expect(() => read(text)).toThrow(words);
  });
});

describe('whether evidence is filed', () => {
  const setting = { mode: null, marginMs: 86_400_000, secondPersonAbove: null } as const;

  it('is the setting’s to say, else the policy’s; without a word it is not', () => {
    expect(filingBy(setting, undefined)).toBeUndefined();
    expect(filingBy(undefined, { file: 'complete' })).toBeUndefined();
    expect(filingBy(setting, { file: 'complete' })).toEqual({ ...setting, mode: 'complete' });
    expect(filingBy({ ...setting, mode: 'by_hand' }, { file: 'complete' })?.mode).toBe('by_hand');
  });

  it('by the margin and the sum of the policy, where it has them', () => {
    const secondPersonAbove = { amountMinor: 50_000, currency: 'EUR' };
    expect(filingBy(setting, { file: 'complete', marginMs: 1, secondPersonAbove })).toEqual({
      ...{ mode: 'complete', marginMs: 1, secondPersonAbove },
    });
  });
});
