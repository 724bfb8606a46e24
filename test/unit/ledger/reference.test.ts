/** Guarantee: two writings that nobody can tell apart are one reference, and two that anybody can are two. */
import { describe, expect, it } from 'vitest';
import { normaliseReference, referenceKey } from '../../../src/alerts/ledger/reference.ts';
import { SAME_AS_CHQ_1 } from './same-references.ts';

describe('a reference', () => {
  it.each(SAME_AS_CHQ_1.map((text) => [JSON.stringify(text), text]))(
    '%s is CHQ-1',
    (_shown, text) => {
      expect(referenceKey(text)).toBe('chq-1');
    },
  );

  it.each(['CHQ-2', 'CHQ1', 'CHQ-11', 'XCHQ-1', 'CHQ_1', 'СHQ-1', ''])('%j is another', (text) => {
    expect(referenceKey(text)).not.toBe('chq-1');
  });

  it('is kept as it was typed, without what nobody sees', () => {
    expect(normaliseReference(' \u200bCheque  of\u00a0Ada, No. ７ \ufeff')).toBe(
      'Cheque of Ada, No. 7',
    );
    expect(normaliseReference(' \u200b\u00a0\u2060')).toBe('');
  });
});
