/** Guarantee: two writings that nobody can tell apart are one reference, and two that anybody can are two. */
import { describe, expect, it } from 'vitest';
import {
  normaliseReference,
  referenceKey,
  UNSEEN_CHARACTERS,
} from '../../../src/alerts/ledger/reference.ts';
import { SAME_AS_CHQ_1 } from './same-references.ts';

describe('a reference', () => {
  it.each(SAME_AS_CHQ_1.map((text) => [JSON.stringify(text), text]))(
    '%s is CHQ-1',
    (_shown, text) => {
      expect(referenceKey(text)).toBe('chq-1');
    },
  );

  /** Unicode's own words for what is not seen, of the first plane; and what ends a line or a field in old files. */
  const SEPARATORS = '\u001c\u001d\u001e\u001f\u007f\u0085';
  const isUnseen = (text: string) =>
    /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]$/u.test(text) || SEPARATORS.includes(text);

  it('holds nothing that Unicode calls white space or ignorable', () => {
    const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
    const unseen = characters.filter(isUnseen);
    expect(unseen.length).toBeGreaterThan(80);
    expect(unseen.filter((each) => referenceKey(`CHQ${each}-1`) !== 'chq-1')).toEqual([]);
    expect(unseen.filter((each) => normaliseReference(`${each}CHQ-1${each}`) !== 'CHQ-1')).toEqual(
      [],
    );
  });

  it('strikes out nothing that anybody sees', () => {
    const printed = Array.from({ length: 0x5f }, (_, at) => String.fromCharCode(0x20 + at));
    for (const each of printed.filter((text) => text !== ' ')) {
      expect(referenceKey(each)).toBe(each.toLowerCase());
      expect(normaliseReference(each)).toBe(each);
    }
    const struck = [...UNSEEN_CHARACTERS].filter((each) => !isUnseen(each));
    expect(struck).toEqual([]);
  });

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
